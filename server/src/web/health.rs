//! `/healthz`: the process is alive. `/readyz`: it can serve requests.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use axum::extract::State;
use axum::http::StatusCode;
use tokio::sync::Mutex;

use crate::clock::now_ms;
use crate::state::AppState;
use crate::store::{self, Store, cannot_write};

/// Anyone may ask, so the database is written at most this often.
const CHECK_EVERY: Duration = Duration::from_secs(1);
const CHECK_FOR_PAGES_EVERY: Duration = Duration::from_secs(5);

type Answer = (StatusCode, &'static str);

const READY: Answer = (StatusCode::OK, "ready");

/// The last answer of `/readyz`.
#[derive(Clone, Debug, Default)]
pub struct Readiness {
    last: Arc<Mutex<Option<(Instant, Answer)>>>,
    cannot_save: Arc<AtomicBool>,
}

impl Readiness {
    /// Fails if nothing can be saved. A success counts for a moment, so that requests of anyone don't write a row each.
    pub async fn check_writable(&self, store: &Store) -> store::Result<()> {
        let mut last = self.last.lock().await;
        if is_recent(*last, CHECK_EVERY) && last.is_some_and(|(_, answer)| answer == READY) {
            return Ok(());
        }
        store.check_writable(now_ms()).await?;
        *last = Some((Instant::now(), READY));
        Ok(())
    }

    /// Returns whether the last check found that nothing can be saved. Pages ask without waiting: if the last check is
    /// old, another one is started for the next page.
    pub fn cannot_save(&self, state: &AppState) -> bool {
        if let Ok(last) = self.last.try_lock()
            && !is_recent(*last, CHECK_FOR_PAGES_EVERY)
        {
            tokio::spawn(readyz(State(state.clone())));
        }
        self.cannot_save.load(Ordering::Relaxed)
    }
}

pub async fn healthz() -> &'static str {
    "ok"
}

pub async fn readyz(State(state): State<AppState>) -> Answer {
    let mut last = state.readiness.last.lock().await;
    if let Some((_, answer)) = last.filter(|_| is_recent(*last, CHECK_EVERY)) {
        return answer;
    }
    let answer = check(&state).await;
    *last = Some((Instant::now(), answer));
    answer
}

fn is_recent(last: Option<(Instant, Answer)>, within: Duration) -> bool {
    last.is_some_and(|(at, _)| at.elapsed() < within)
}

async fn check(state: &AppState) -> Answer {
    let checked = state.store.check_writable(now_ms()).await;
    let cannot_save = checked.as_ref().is_err_and(cannot_write);
    state.readiness.cannot_save.store(cannot_save, Ordering::Relaxed);
    match checked {
        Ok(()) => READY,
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
