//! All routes of the server. `auth::TABLE` says what each of them needs.

use std::sync::Arc;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::http::Method;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::{MethodRouter, get, post};
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::limit::RequestBodyLimitLayer;

use crate::auth::{self, SealedSessionStore};
use crate::config::Site;
use crate::state::AppState;
use crate::web::body_timeout::{BodyTimes, limit_body_time};
use crate::web::cannot_save::note_cannot_save;
use crate::web::client_address::find_client;
use crate::web::finish_changes::finish_changes;
use crate::web::form_notice::return_to_form;
use crate::web::rate_limit::limit_anonymous_writes;
use crate::web::{
    assets, delete_forms, failure_forms, headers, health, launch, open_run, origin, pages, preferences, request_log,
    selection, settings_forms, waiting_forms,
};
use crate::{api, export, import, live, masking, metrics, waiting};

/// The largest request body: a launch form whose spec contains 5 MB of files as base64, and one more file to add.
const MAX_BODY_BYTES: usize = 16 * 1024 * 1024;

/// A launch form may contain files.
const LAUNCH: &str = "/launch";

/// Preferences are a few words. Clients without a sign-in may set them.
const MAX_PREFERENCES_BYTES: usize = 8 * 1024;

/// The routes with handlers of their own. The others are endpoints of the API, pages and server functions.
fn own_routes() -> Vec<(Method, &'static str, MethodRouter<AppState>)> {
    let small = RequestBodyLimitLayer::new(MAX_PREFERENCES_BYTES);
    vec![
        (Method::GET, "/", get(|| async { Redirect::to("/runs") })),
        (Method::GET, "/auth/start", get(auth::start)),
        (Method::GET, "/auth/callback", get(auth::callback)),
        (Method::POST, "/auth/sign-out", post(auth::sign_out)),
        (Method::POST, "/auth/sign-out-others", post(auth::sign_out_others)),
        (Method::POST, "/auth/sign-out-everywhere", post(auth::sign_out_everywhere)),
        (Method::POST, "/preferences", post(preferences::set_preferences).layer(small)),
        (Method::GET, "/open-run", get(open_run::open_run)),
        (Method::GET, "/selection", get(selection::open_selection)),
        (Method::POST, LAUNCH, post(launch::send_form)),
        (Method::GET, "/runs/{id}/live", get(live::relay)),
        (Method::GET, "/runs/{id}/export", get(export::download)),
        (Method::POST, "/runs/{id}/delete", post(delete_forms::delete_run)),
        (Method::POST, "/sessions/{id}/delete", post(delete_forms::delete_session)),
        (Method::POST, "/failures/{id}", post(failure_forms::change_failure)),
        (Method::POST, "/settings/redaction", post(settings_forms::change_redaction)),
        (Method::POST, "/settings/prices", post(settings_forms::change_prices)),
        (Method::GET, "/waiting/live", get(waiting::relay)),
        (Method::POST, "/waiting", post(waiting_forms::answer_call)),
    ]
}

/// Routes that accept a body of any size, because it is streamed.
fn own_uploads() -> Vec<(Method, &'static str, MethodRouter<AppState>)> {
    vec![(Method::POST, "/import", post(import::post_import_form))]
}

/// The paths whose requests may contain files.
fn paths_with_files() -> impl Iterator<Item = &'static str> {
    let uploads = own_uploads().into_iter().map(|(_, path, _)| path);
    let endpoints = api::listed().filter_map(|(_, path, is_upload)| is_upload.then_some(path));
    uploads.chain(endpoints).chain([LAUNCH])
}

/// A route as it is served.
#[derive(Clone, Debug)]
pub struct ServedRoute {
    pub method: Method,
    pub path: String,
    /// Accepts a body of any size.
    pub is_upload: bool,
}

/// All routes that may need a sign-in.
pub fn served_routes() -> Vec<ServedRoute> {
    let route = |method, path: &str, is_upload| ServedRoute { method, path: path.to_owned(), is_upload };
    let own = own_routes().into_iter().map(|(method, path, _)| route(method, path, false));
    let uploads = own_uploads().into_iter().map(|(method, path, _)| route(method, path, true));
    let endpoints = api::listed().map(|(method, path, is_upload)| route(method, path, is_upload));
    let pages = pages::paths().map(|path| route(Method::GET, path, false));
    let functions = leptos::server_fn::axum::server_fn_paths().map(|(path, method)| route(method, path, false));
    own.chain(uploads).chain(endpoints).chain(pages).chain(functions).collect()
}

pub fn router(state: AppState, sessions: SealedSessionStore) -> Router {
    let https = state.is_https();
    let add = |router: Router<AppState>, (_, path, handler): (_, &str, _)| router.route(path, handler);
    let limited = own_routes()
        .into_iter()
        .fold(Router::new(), add)
        .merge(api::routes().layer(from_fn(masking::api_responses)))
        .merge(pages::routes(&state))
        .layer(RequestBodyLimitLayer::new(MAX_BODY_BYTES));
    let uploads = own_uploads()
        .into_iter()
        .fold(Router::new(), add)
        .merge(api::upload_routes().layer(from_fn(masking::api_responses)));
    let with_session = limited
        .merge(uploads)
        .layer(from_fn_with_state(state.clone(), note_cannot_save))
        .layer(from_fn_with_state(state.clone(), auth::require_access))
        .layer(from_fn_with_state(Arc::new(sessions.clone()), return_to_form))
        .layer(from_fn_with_state(state.clone(), limit_anonymous_writes))
        .layer(from_fn_with_state(state.clone(), auth::identify))
        .layer(auth::layer(sessions, https))
        .layer(from_fn_with_state(state.clone(), finish_changes))
        .layer(from_fn_with_state(BodyTimes::new(state.limits, paths_with_files()), limit_body_time))
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
        .layer(from_fn_with_state(state.trusted_proxies.clone(), find_client))
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
