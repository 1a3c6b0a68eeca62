//! The developer API below `/api/v1/workspaces/{slug}`.

pub mod auth;
pub mod body;
mod catalogue;
pub mod errors;
mod feedback;
mod metering;
pub mod runs;
pub mod sessions;
mod stream;
pub mod tool_results;

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn;
use axum::routing::{get, post};
use http::StatusCode;

use crate::app::App;
use errors::ApiError;

pub fn router() -> Router<Arc<App>> {
    let workspace = Router::new()
        .route("/models", get(catalogue::models))
        .route("/agents", get(catalogue::agents))
        .route("/tools", get(catalogue::tools))
        .route("/plugins", get(catalogue::plugins))
        .route("/agent-runs", get(runs::list).post(runs::create))
        .route("/agent-runs/{id}", get(runs::snapshot))
        .route("/agent-runs/{id}/stream", get(stream::follow))
        .route("/agent-runs/{id}/tool-results", post(tool_results::post))
        .route("/agent-runs/{id}/cancel", post(runs::cancel))
        .route("/agent-runs/{id}/feedback", post(feedback::post))
        .route("/agent-sessions", get(sessions::list).post(sessions::create))
        .route("/agent-sessions/{id}", get(sessions::detail).delete(sessions::end))
        .route("/agent-sessions/{id}/events", get(sessions::events))
        .route("/agent-sessions/{id}/messages", post(sessions::messages::post));
    let workspace = workspace.route_layer(from_fn(metering::report));
    Router::new()
        .nest("/api/v1/workspaces/{slug}", workspace)
        .layer(DefaultBodyLimit::max(body::MAX_BODY_BYTES))
        .method_not_allowed_fallback(async || {
            ApiError::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", "This route does not take that method.")
        })
}
