//! Routes of the app's pages, rendered on the server.

use std::sync::{Arc, LazyLock};

use app::backend::SignedIn;
use app::shell::shell;
use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};
use domain::url::encode;
use leptos::prelude::provide_context;
use leptos_axum::{AxumRouteListing, LeptosRoutes, generate_route_list};

use crate::state::AppState;
use crate::web::rejected_form;

/// Pages that need no sign-in.
const OPEN_PAGES: [&str; 1] = ["/sign-in"];

/// Generated once: while Leptos generates routes, resources anywhere in the process that are first polled never load.
static PAGES: LazyLock<Vec<AxumRouteListing>> = LazyLock::new(|| generate_route_list(app::App));

/// Returns the routes of all pages and server functions, and the not-found page.
pub fn routes(state: &AppState) -> Router<AppState> {
    let context = {
        let state = Arc::new(state.clone());
        move || {
            provide_context(state.assets.clone());
            provide_context(state.sign_in.clone());
        }
    };
    let not_found = leptos_axum::render_app_async_with_context(context.clone(), shell);
    Router::new()
        .leptos_routes_with_context(state, PAGES.clone(), context, shell)
        .fallback(move |request: Request<Body>| not_found(request))
        .layer(axum::middleware::from_fn(require_sign_in))
        .layer(axum::middleware::from_fn(rejected_form::return_to_form))
}

/// Middleware that redirects signed-out users to the sign-in page, and back here after signing in. Server functions check
/// the sign-in themselves.
async fn require_sign_in(request: Request, next: Next) -> Response {
    let path = request.uri().path();
    let is_open = OPEN_PAGES.contains(&path) || path.starts_with("/rpc/");
    if is_open || request.extensions().get::<SignedIn>().is_some() {
        return next.run(request).await;
    }
    let path = request.uri().path_and_query().map_or("/runs", |path| path.as_str());
    Redirect::to(&format!("/sign-in?return_to={}", encode(path))).into_response()
}
