//! The JSON API for scripts. Callers use a session cookie or a MANTYX credential as bearer; both belong to one workspace.
//!
//! To add an endpoint, write its handler and add it to the table in `endpoints.rs`, from which both the router and the
//! OpenAPI document are built.

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

/// All endpoints except uploads, the OpenAPI document, and the page that shows it.
pub fn routes() -> Router<AppState> {
    router(|endpoint| !endpoint.upload)
        .route("/api/openapi.json", get(openapi::openapi))
        .route("/api/docs", get(docs::docs))
}

/// The endpoints that accept a body of any size.
pub fn upload_routes() -> Router<AppState> {
    router(|endpoint| endpoint.upload)
}

fn router(wanted: fn(&endpoints::Endpoint) -> bool) -> Router<AppState> {
    let endpoints = endpoints::all().into_iter().filter(wanted);
    endpoints.fold(Router::new(), |router, endpoint| router.route(endpoint.path, endpoint.handler))
}

fn invalid(field: &str, message: String) -> Error {
    AppError::Invalid { field: field.to_owned(), message }.into()
}
