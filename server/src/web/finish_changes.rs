//! Runs requests that change something outside of their connection. A client that disconnects drops its request, and half of
//! a change must not stay behind: what was sent to MANTYX must be stored too, and a session must be saved.

use axum::extract::{Request, State};
use axum::http::Method;
use axum::middleware::Next;
use axum::response::Response;

use crate::state::AppState;

/// Reads by its method, but exchanges a code that can be used once.
const CALLBACK: &str = "/auth/callback";

pub async fn finish_changes(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let is_read = matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
    if is_read && request.uri().path() != CALLBACK {
        return next.run(request).await;
    }
    state.finish(next.run(request)).await
}
