//! Mirrors a workspace's runs and sessions from MANTYX into the store.
//!
//! Lists and runs are synced when a user opens them, everything else in the background.

mod freshness;
mod list;
mod log;
mod log_stream;
mod observed_runs;
mod refresh_gate;
mod retry_later;
mod run;
mod sessions;
mod syncer;
mod syncers;

use domain::{AuditAction, HistoryState, SyncProgress};
use tracing::Instrument;

use crate::auth::{Caller, Credential};
use crate::error::Error;
use crate::keyed_locks::KeyedLocks;
use crate::mantyx::MantyxError;
use crate::state::AppState;
use crate::store::{History, WorkspaceId};
use freshness::freshness_after;
use refresh_gate::{Outcome, REFRESH_TIMEOUT, RefreshGate, Ticket};

pub use freshness::Freshness;
pub use log::{CATCH_UP_PAUSE, record_log_facts, reindex_old_runs, store_events};
pub use log_stream::LogStream;
pub use syncers::{ApiKey, start_syncers};

#[derive(Clone, Debug, Default)]
pub struct Mirror {
    refresh_gate: RefreshGate,
    /// One request for older runs at a time for each workspace.
    history_syncs: KeyedLocks<WorkspaceId>,
    /// One sync at a time for each run. Waiting viewers get its outcome.
    run_syncs: KeyedLocks<(WorkspaceId, String), Option<Freshness>>,
    damaged_events: log_stream::DamagedEvents,
    syncers: syncers::Syncers,
}

impl Mirror {
    /// Syncs the newest page of runs. Older ones are synced in the background.
    pub async fn sync_newest(&self, state: &AppState, caller: &Caller) -> Result<Freshness, Error> {
        loop {
            let (outcome, is_own) = match self.refresh_gate.ticket(caller.workspace_id) {
                Ticket::Recent(outcome) => (Some(outcome), false),
                Ticket::Wait(pending) => (pending.wait().await, false),
                Ticket::Refresh(publisher, pending) => {
                    let (state, caller) = (state.clone(), caller.clone());
                    let span = tracing::info_span!("refresh newest runs", workspace = %caller.workspace_id);
                    // In a task: the caller may disconnect while others wait for the outcome.
                    let refresh = async move { publisher.publish(refresh_newest(&state, &caller).await) };
                    tokio::spawn(refresh.instrument(span));
                    (pending.wait().await, true)
                }
            };
            return match outcome {
                // Another caller's credential was rejected, which says nothing about this one.
                Some(Outcome::Rejected(_)) if !is_own => continue,
                Some(Outcome::Rejected(error)) => Err(error.into()),
                Some(Outcome::Fresh) => Ok(Freshness::Fresh),
                Some(Outcome::CannotList) => Ok(Freshness::CannotList),
                Some(Outcome::Failed(error)) => Ok(Freshness::Stale(error)),
                Some(Outcome::CannotSave) => Ok(Freshness::CannotSave),
                None => Ok(Freshness::Slow),
            };
        }
    }

    /// Syncs the sessions that were used last. Older ones are synced in the background.
    pub async fn sync_sessions(&self, state: &AppState, caller: &Caller) -> Result<Freshness, Error> {
        if let Some(error) = self.refresh_gate.recent_failure(caller.workspace_id) {
            return Ok(Freshness::Stale(error));
        }
        if matches!(caller.credential, Credential::Grant(_)) {
            self.syncers.wake(state, caller.workspace_id, &caller.slug);
        }
        let span = tracing::info_span!("refresh newest sessions", workspace = %caller.workspace_id);
        let (state, caller) = (state.clone(), caller.clone());
        // In a task: it finishes even when the page stops waiting.
        let refresh = async move { sessions::refresh_newest(&state, &caller).await };
        let refresh = tokio::spawn(refresh.instrument(span));
        match tokio::time::timeout(REFRESH_TIMEOUT, refresh).await {
            Err(_) => Ok(Freshness::Slow),
            Ok(Ok(Ok(()))) => Ok(Freshness::Fresh),
            Ok(Ok(Err(error))) => freshness_after(error),
            Ok(Err(_)) => Ok(Freshness::Stale(MantyxError::Unexpected("an internal fault of Runlens".to_owned()))),
        }
    }

    /// Syncs a page of older runs. Returns false when there are none, or when MANTYX cannot be asked or does not answer
    /// in time.
    pub async fn sync_older(&self, state: &AppState, caller: &Caller) -> Result<bool, Error> {
        if self.refresh_gate.recent_failure(caller.workspace_id).is_some() {
            return Ok(false);
        }
        let sync = async {
            let _lock = self.history_syncs.lock(caller.workspace_id).await;
            list::sync_history_page(state, caller).await
        };
        match tokio::time::timeout(REFRESH_TIMEOUT, sync).await {
            Err(_) => Ok(false),
            Ok(Err(error)) if matches!(error, Error::Mantyx(_)) || error.cannot_save() => {
                tracing::warn!(%error, workspace = %caller.workspace_id, "cannot fetch older runs");
                Ok(false)
            }
            Ok(other) => Ok(other?.is_some()),
        }
    }

    /// Returns how much of the workspace is mirrored.
    pub async fn progress(&self, state: &AppState, workspace: WorkspaceId) -> Result<SyncProgress, Error> {
        let known = state.store.sync_state(workspace).await?;
        let (logs, logs_missing) = state.store.count_logs(workspace).await?;
        let positive = |number: i64| u64::try_from(number).unwrap_or(0);
        Ok(SyncProgress {
            runs: positive(state.store.count_runs(workspace).await?),
            total: known.total.map(positive),
            history: match known.history {
                History::NotBegun => HistoryState::NotBegun,
                History::After(_) => HistoryState::UnderWay,
                History::Complete => HistoryState::Complete,
            },
            logs: positive(logs),
            logs_missing: positive(logs_missing),
            paused: known.paused,
            can_list: known.can_list,
            synced_at_ms: (known.synced_at_ms > 0).then_some(known.synced_at_ms),
            last_error: known.last_error,
        })
    }

    /// Pauses or resumes the sync of older runs and logs. New runs are synced either way.
    pub async fn set_paused(&self, state: &AppState, caller: &Caller, paused: bool) -> Result<SyncProgress, Error> {
        let action = if paused { AuditAction::PauseSync } else { AuditAction::ResumeSync };
        state.store.set_sync_paused(caller.workspace_id, paused, &caller.actor.entry(action)).await?;
        match &caller.credential {
            Credential::Grant(_) => self.syncers.wake(state, caller.workspace_id, &caller.slug),
            Credential::Bearer(_) => self.syncers.notify(caller.workspace_id),
        }
        self.progress(state, caller.workspace_id).await
    }
}

/// Syncs the newest page, and wakes the syncer for the rest.
async fn refresh_newest(state: &AppState, caller: &Caller) -> Outcome {
    // A credential that came with a request is used for that request only, never in the background.
    let in_background = matches!(caller.credential, Credential::Grant(_));
    let refreshed = async {
        let has_gap = list::sync_newest_page(state, caller).await?;
        if in_background {
            state.mirror.syncers.wake(state, caller.workspace_id, &caller.slug);
        } else if has_gap {
            list::sync_head(state, caller).await?;
        }
        Ok(())
    };
    match refreshed.await {
        Ok(()) => Outcome::Fresh,
        Err(error) if cannot_list(&error) => {
            let known = state.store.update_sync_state(caller.workspace_id, |now| now.can_list = false).await;
            known.map_or_else(|error| failed(error.into()), |_| Outcome::CannotList)
        }
        Err(error) => failed(error),
    }
}

fn failed(error: Error) -> Outcome {
    match error {
        Error::Mantyx(error @ (MantyxError::Unauthorized | MantyxError::MissingScope { .. })) => {
            Outcome::Rejected(error)
        }
        Error::Mantyx(error) => {
            tracing::warn!(%error, "cannot sync the newest runs; showing stored runs");
            Outcome::Failed(error)
        }
        error if error.cannot_save() => {
            tracing::error!(%error, "cannot store the newest runs; showing stored runs");
            Outcome::CannotSave
        }
        other => {
            tracing::error!(error = %other, "cannot store the newest runs");
            Outcome::Failed(MantyxError::Unexpected("a fault in the database of Runlens".to_owned()))
        }
    }
}

/// Older servers have no `GET /agent-runs`.
fn cannot_list(error: &Error) -> bool {
    matches!(error, Error::Mantyx(MantyxError::NotFound | MantyxError::Refused { status: 405, .. }))
}
