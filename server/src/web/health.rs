//! `/healthz`: the process is alive. `/readyz`: it can serve requests.

use axum::extract::State;
use axum::http::StatusCode;

use crate::state::AppState;

pub async fn healthz() -> &'static str {
    "ok"
}

pub async fn readyz(State(state): State<AppState>) -> (StatusCode, &'static str) {
    match state.store.ping().await {
        Ok(()) => (StatusCode::OK, "ready"),
        Err(error) => {
            tracing::warn!(%error, "not ready: database does not respond");
            (StatusCode::SERVICE_UNAVAILABLE, "the database does not answer")
        }
    }
}
