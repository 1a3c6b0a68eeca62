//! The JSON API for scripts: a session cookie, or a MANTYX credential as bearer, bound to its own workspace.

mod browse;
mod caller;
mod docs;
mod endpoints;
mod examples;
mod log;
mod openapi;
mod runs;
mod sessions;
mod views;

use app::AppError;
use axum::Router;
use axum::routing::get;

use crate::error::Error;
use crate::state::AppState;

pub use caller::ApiCaller;

/// All of the API but uploads, and what describes it: to programs a document, to people a page.
pub fn routes() -> Router<AppState> {
    routed(|endpoint| !endpoint.upload)
        .route("/api/openapi.json", get(openapi::openapi))
        .route("/api/docs", get(docs::docs))
}

/// What takes a body of any size.
pub fn upload_routes() -> Router<AppState> {
    routed(|endpoint| endpoint.upload)
}

fn routed(wanted: fn(&endpoints::Endpoint) -> bool) -> Router<AppState> {
    let endpoints = endpoints::all().into_iter().filter(wanted);
    endpoints.fold(Router::new(), |router, endpoint| router.route(endpoint.path, endpoint.handler))
}

fn invalid(field: &str, message: String) -> Error {
    AppError::Invalid { field: field.to_owned(), message }.into()
}
