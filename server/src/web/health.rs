//! `/healthz`: the process is alive. `/readyz`: it can serve requests.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::State;
use axum::http::StatusCode;
use tokio::sync::Mutex;

use crate::clock::now_ms;
use crate::state::AppState;
use crate::store::cannot_write;

/// Anyone may ask, so the database is written at most this often.
const CHECK_EVERY: Duration = Duration::from_secs(1);

type Answer = (StatusCode, &'static str);

/// The last answer of `/readyz`.
#[derive(Clone, Debug, Default)]
pub struct Readiness(Arc<Mutex<Option<(Instant, Answer)>>>);

pub async fn healthz() -> &'static str {
    "ok"
}

pub async fn readyz(State(state): State<AppState>) -> Answer {
    let mut last = state.readiness.0.lock().await;
    if let Some((at, answer)) = *last
        && at.elapsed() < CHECK_EVERY
    {
        return answer;
    }
    let answer = check(&state).await;
    *last = Some((Instant::now(), answer));
    answer
}

async fn check(state: &AppState) -> Answer {
    match state.store.check_writable(now_ms()).await {
        Ok(()) => (StatusCode::OK, "ready"),
        Err(error) if cannot_write(&error) => {
            tracing::warn!(%error, "not ready: database cannot be written");
            (StatusCode::SERVICE_UNAVAILABLE, "the database cannot be written: its disk is full or read-only")
        }
        Err(error) => {
            tracing::warn!(%error, "not ready: database does not respond");
            (StatusCode::SERVICE_UNAVAILABLE, "the database does not answer")
        }
    }
}
