//! The JSON API for scripts. Callers use a session cookie or a MANTYX credential as bearer; both belong to one workspace.
//!
//! To add an endpoint, write its handler and add it to the table in `endpoints.rs`, from which both the router and the
//! OpenAPI document are built.

mod audit;
mod browse;
mod caller;
mod docs;
mod endpoints;
mod erase;
mod errors;
mod examples;
mod failures;
mod insights;
mod log;
mod openapi;
mod path_id;
mod runs;
mod sessions;
mod settings;
mod timeline_body;
mod views;
mod waiting;

use app::AppError;
use axum::http::{Method, StatusCode};
use axum::routing::get;
use axum::{Json, Router};
use serde_json::{Value, json};

use crate::error::Error;
use crate::state::AppState;

pub use caller::ApiCaller;
pub use docs::html as docs_html;

/// All endpoints except uploads, and the OpenAPI document.
pub fn routes() -> Router<AppState> {
    router(|endpoint| !endpoint.upload)
        .route("/api/openapi.json", get(openapi::openapi))
        .method_not_allowed_fallback(method_not_allowed)
}

/// The endpoints that accept a body of any size.
pub fn upload_routes() -> Router<AppState> {
    router(|endpoint| endpoint.upload).method_not_allowed_fallback(method_not_allowed)
}

/// The API responds in JSON, also to a wrong method.
pub async fn method_not_allowed() -> (StatusCode, Json<Value>) {
    let body = json!({ "error": "method_not_allowed", "message": "This endpoint has other methods. See /api/docs." });
    (StatusCode::METHOD_NOT_ALLOWED, Json(body))
}

fn router(wanted: fn(&endpoints::Endpoint) -> bool) -> Router<AppState> {
    let endpoints = endpoints::all().into_iter().filter(wanted);
    endpoints.fold(Router::new(), |router, endpoint| router.route(endpoint.path, endpoint.handler))
}

/// Method and path of each endpoint, and whether it accepts a body of any size.
pub fn listed() -> impl Iterator<Item = (Method, &'static str, bool)> {
    let own = ["/api/openapi.json", "/api/docs"].map(|path| (Method::GET, path, false));
    let endpoints = endpoints::all().into_iter().map(|endpoint| {
        let method = endpoint.method.to_uppercase().parse().unwrap_or_default();
        (method, endpoint.path, endpoint.upload)
    });
    own.into_iter().chain(endpoints)
}

fn invalid(field: &str, message: String) -> Error {
    AppError::Invalid { field: field.to_owned(), message }.into()
}
