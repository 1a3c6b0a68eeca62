//! The JSON API for scripts: a session cookie, or a MANTYX credential as bearer, bound to its own workspace.

mod browse;
mod caller;
mod endpoints;
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

/// All of the API, and the document that describes it.
pub fn routes() -> Router<AppState> {
    endpoints::all()
        .into_iter()
        .fold(Router::new(), |router, endpoint| router.route(endpoint.path, endpoint.handler))
        .route("/api/openapi.json", get(openapi::openapi))
}

fn invalid(field: &str, message: String) -> Error {
    AppError::Invalid { field: field.to_owned(), message }.into()
}
