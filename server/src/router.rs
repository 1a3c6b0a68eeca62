//! All routes of the server.

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::limit::RequestBodyLimitLayer;

use crate::auth::{self, SealedSessionStore};
use crate::config::Site;
use crate::state::AppState;
use crate::web::body_timeout::limit_body_time;
use crate::web::finish_changes::finish_changes;
use crate::web::rate_limit::limit_anonymous_writes;
use crate::web::rejected_form::return_to_form;
use crate::web::{assets, headers, health, launch, open_run, origin, pages, preferences, request_log, selection};
use crate::{api, export, import, live, metrics};

/// The largest request body: a launch form whose spec contains 5 MB of files as base64, and one more file to add.
const MAX_BODY_BYTES: usize = 16 * 1024 * 1024;

/// Preferences are a few words. Clients without a sign-in may set them.
const MAX_PREFERENCES_BYTES: usize = 8 * 1024;

pub fn router(state: AppState, sessions: SealedSessionStore) -> Router {
    let https = state.is_https();

    let limited = Router::new()
        .route("/", get(|| async { Redirect::to("/runs") }))
        .route("/auth/start", get(auth::start))
        .route("/auth/callback", get(auth::callback))
        .route("/auth/sign-out", post(auth::sign_out))
        .route(
            "/preferences",
            post(preferences::set_preferences).layer(RequestBodyLimitLayer::new(MAX_PREFERENCES_BYTES)),
        )
        .route("/open-run", get(open_run::open_run))
        .route("/selection", get(selection::open_selection))
        .route("/launch", post(launch::send_form))
        .route("/runs/{id}/live", get(live::relay))
        .route("/runs/{id}/export", get(export::download))
        .merge(api::routes())
        .merge(pages::routes(&state))
        .layer(RequestBodyLimitLayer::new(MAX_BODY_BYTES));
    // Uploads are streamed, so their size is not limited.
    let uploads = Router::new().route("/import", post(import::post_import_form)).merge(api::upload_routes());
    let with_session = limited
        .merge(uploads)
        .layer(from_fn_with_state(state.clone(), auth::require_access))
        .layer(from_fn(return_to_form))
        .layer(from_fn_with_state(state.clone(), limit_anonymous_writes))
        .layer(from_fn_with_state(state.clone(), auth::identify))
        .layer(auth::layer(sessions, https))
        .layer(from_fn_with_state(state.clone(), finish_changes))
        .layer(from_fn_with_state(state.limits.body_timeout, limit_body_time))
        .layer(CompressionLayer::new())
        .layer(from_fn_with_state(state.site, static_files_first));

    Router::new()
        .route("/healthz", get(health::healthz))
        .route("/readyz", get(health::readyz))
        .route("/metrics", get(metrics::metrics))
        .merge(with_session)
        // Our limit instead of axum's 2 MB, which would apply to server functions.
        .layer(DefaultBodyLimit::disable())
        .layer(from_fn_with_state(state.public_url.clone(), origin::same_origin_only))
        .layer(CatchPanicLayer::new())
        .layer(from_fn_with_state(headers::Https(https), headers::secure_headers))
        .layer(from_fn_with_state(state.metrics.clone(), request_log::log_request))
        .with_state(state)
}

/// Middleware that serves files before sessions and compression, which they do not need.
async fn static_files_first(State(site): State<Site>, request: Request, next: axum::middleware::Next) -> Response {
    match assets::serve(site, &request) {
        Some(file) => file,
        None if request.uri().path().starts_with("/pkg/") => axum::http::StatusCode::NOT_FOUND.into_response(),
        None => next.run(request).await,
    }
}
