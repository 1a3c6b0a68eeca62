//! The lifetime of a stream: it stays open as long as the session or the credential that opened it.

use std::time::{Duration, Instant};

use app::AppError;
use tokio::sync::watch;

use crate::auth::scopes::RUNS_READ;
use crate::auth::{Caller, Credential, Granted, IDLE_LIMIT_MS, RequestBearer, SIGN_IN_LIMIT_MS, SessionId};
use crate::clock::now_ms;
use crate::error::Error;
use crate::mantyx::MantyxError;
use crate::state::AppState;

/// The interval between checks. A sign-out in this process is noticed at once.
pub const CHECK_EVERY: Duration = Duration::from_secs(5);

pub struct Lifetime {
    holder: Holder,
    ended: watch::Receiver<u64>,
    checked_at: Instant,
    is_due: bool,
}

enum Holder {
    Session { session_id: String, grant_id: String },
    Bearer(RequestBearer),
}

impl Lifetime {
    /// Returns `None` for a caller who is neither signed in nor has a credential.
    pub fn new(state: &AppState, caller: &Caller, granted: Granted, session: Option<SessionId>) -> Option<Self> {
        let holder = match (granted, &caller.credential, session) {
            (Granted::Bearer(bearer), ..) => Holder::Bearer(bearer),
            (Granted::Listed(_), Credential::Grant(grant_id), Some(SessionId(session_id))) => {
                Holder::Session { session_id, grant_id: grant_id.clone() }
            }
            _ => return None,
        };
        Some(Self { holder, ended: state.credentials.watch_ended(), checked_at: Instant::now(), is_due: false })
    }

    /// Names whose stream it is.
    pub fn owner(&self) -> String {
        match &self.holder {
            Holder::Session { session_id, .. } => session_id.clone(),
            Holder::Bearer(bearer) => bearer.fingerprint(),
        }
    }

    /// Waits until the next check is due.
    pub async fn wait_for_check(&mut self) {
        let due = tokio::time::Instant::from_std(self.checked_at + CHECK_EVERY);
        // The sender lives as long as the server.
        let _ = tokio::time::timeout_at(due, self.ended.changed()).await;
        self.is_due = true;
    }

    /// Returns true if the stream has to end. Asks only when a check is due.
    pub async fn is_over(&mut self, state: &AppState, caller: &Caller) -> bool {
        if !self.is_due && self.checked_at.elapsed() < CHECK_EVERY && !self.ended.has_changed().unwrap_or(false) {
            return false;
        }
        self.ended.mark_unchanged();
        (self.checked_at, self.is_due) = (Instant::now(), false);
        match &self.holder {
            Holder::Session { grant_id, .. } if state.credentials.is_signed_out(grant_id) => true,
            Holder::Session { session_id, grant_id } => {
                let now = now_ms();
                let (idle_since, signed_in_since) = (now - IDLE_LIMIT_MS, now - SIGN_IN_LIMIT_MS);
                match state.store.is_signed_in(session_id, grant_id, now, idle_since, signed_in_since).await {
                    Ok(true) => !state.credentials.recheck(caller).await,
                    Ok(false) => true,
                    // While the database does not answer, nothing is known.
                    Err(_) => false,
                }
            }
            Holder::Bearer(bearer) => matches!(
                bearer.has_scope(state, RUNS_READ).await,
                Ok(false) | Err(Error::Mantyx(MantyxError::Unauthorized) | Error::App(AppError::Forbidden { .. }))
            ),
        }
    }
}
