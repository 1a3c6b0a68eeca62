//! Keeps the store in step with what MANTYX shows a workspace.
//!
//! A list is synced when it is looked at, a run when it is opened, and the rest in the background. One sync of a list at a
//! time for each workspace: whoever comes meanwhile waits for it and uses its outcome.

mod list;
mod log;
mod syncer;

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use app::AppError;
use app::model::{HistoryState, SyncProgress};

use crate::auth::{Caller, Credential};
use crate::clock::now_ms;
use crate::error::Error;
use crate::mantyx::MantyxError;
use crate::state::AppState;
use crate::store::{History, RunUpdate, WorkspaceId};

pub use log::{record_log_facts, store_events};
pub use syncer::{ApiKey, reread_old_runs, start_syncers};

/// A list that was synced this short a time ago is fresh enough.
const FRESH_FOR: Duration = Duration::from_secs(2);
/// What a page says of a MANTYX that has no list of runs.
const CANNOT_LIST: &str =
    "This MANTYX cannot list runs. Those that were opened, launched or imported here are shown; a run's id finds it.";

#[derive(Clone, Debug, Default)]
pub struct Mirror {
    lists: Arc<Mutex<HashMap<WorkspaceId, LastSync>>>,
    syncers: syncer::Syncers,
}

/// When a workspace's newest page was last read; held while it is being.
type LastSync = Arc<tokio::sync::Mutex<Option<Instant>>>;

/// Whether what is stored is what MANTYX has.
#[derive(Debug)]
pub enum Freshness {
    Fresh,
    /// MANTYX could not be asked; the error says why.
    Stale(MantyxError),
    /// MANTYX does not have it, or not any more.
    Gone,
    /// This MANTYX has no list of runs.
    CannotList,
}

impl Freshness {
    /// A sentence for the page, where the data may be behind.
    pub fn stale(&self) -> Option<String> {
        match self {
            Self::Fresh => None,
            Self::Stale(error) => Some(AppError::from(Error::Mantyx(error.clone())).advice()),
            Self::Gone => Some("MANTYX no longer has this run. What was stored here is shown.".to_owned()),
            Self::CannotList => Some(CANNOT_LIST.to_owned()),
        }
    }
}

impl Mirror {
    /// Brings in the newest page of runs; what else there is comes in the background.
    pub async fn sync_newest(&self, state: &AppState, caller: &Caller) -> Result<Freshness, Error> {
        let last = self.last_sync(caller.workspace_id);
        let mut last = last.lock().await;
        if last.is_some_and(|at| at.elapsed() < FRESH_FOR) {
            return Ok(Freshness::Fresh);
        }
        // A credential that came with a request is used for that request only.
        let in_background = matches!(caller.credential, Credential::Grant(_));
        match list::sync_newest_page(state, caller).await {
            Ok(newest) => {
                *last = Some(Instant::now());
                if in_background {
                    self.syncers.wake(state, caller.workspace_id, &caller.slug);
                } else if newest.gap {
                    list::sync_head(state, caller).await?;
                }
                Ok(Freshness::Fresh)
            }
            Err(error) if cannot_list(&error) => {
                state.store.update_sync_state(caller.workspace_id, |now| now.can_list = false).await?;
                Ok(Freshness::CannotList)
            }
            Err(Error::Mantyx(error)) => stale(error),
            Err(error) => Err(error),
        }
    }

    /// Brings in a page of older runs. `false` when there are none, or when MANTYX cannot be asked.
    pub async fn sync_older(&self, state: &AppState, caller: &Caller) -> Result<bool, Error> {
        let last = self.last_sync(caller.workspace_id);
        let _one_at_a_time = last.lock().await;
        match list::sync_history_page(state, caller).await {
            Err(Error::Mantyx(error)) => {
                tracing::warn!(%error, "older runs could not be fetched");
                Ok(false)
            }
            other => Ok(other?.is_some()),
        }
    }

    /// Brings in one run: its snapshot, and its log as far as it is persisted.
    pub async fn sync_run(&self, state: &AppState, caller: &Caller, run_id: &str) -> Result<Freshness, Error> {
        if state.store.is_settled(caller.workspace_id, run_id).await? {
            return Ok(Freshness::Fresh);
        }
        match self.fetch_run(state, caller, run_id).await {
            Ok(Some(whole)) => {
                state.store.upsert_runs(caller.workspace_id, &[whole]).await?;
                Ok(Freshness::Fresh)
            }
            Ok(None) => Ok(Freshness::Fresh),
            Err(Error::Mantyx(error)) => stale(error),
            Err(error) => Err(error),
        }
    }

    /// A run that has ended, whole, ready to be stored. Of any other what there is by now is stored on the way.
    async fn fetch_run(&self, state: &AppState, caller: &Caller, run_id: &str) -> Result<Option<RunUpdate>, Error> {
        let update = self.fetch_snapshot(state, caller, run_id).await?;
        let ended = update.summary.status.is_terminal();
        if ended && let Some(log) = log::fetch_whole(state, caller, run_id).await? {
            return Ok(Some(RunUpdate { log: Some(log), ..update }));
        }
        state.store.upsert_runs(caller.workspace_id, &[update]).await?;
        // A running run's log is followed by the live relay; its page renders what is persisted by now.
        log::fetch(state, caller, run_id, !ended).await?;
        Ok(None)
    }

    /// Brings in a run's spec, totals and status.
    pub async fn sync_snapshot(&self, state: &AppState, caller: &Caller, run_id: &str) -> Result<(), Error> {
        let update = self.fetch_snapshot(state, caller, run_id).await?;
        Ok(state.store.upsert_runs(caller.workspace_id, &[update]).await?)
    }

    async fn fetch_snapshot(&self, state: &AppState, caller: &Caller, run_id: &str) -> Result<RunUpdate, Error> {
        let snapshot = state
            .credentials
            .call(caller, |bearer| async move { state.mantyx.run(&bearer, &caller.slug, run_id).await })
            .await?;
        if snapshot.id() != Some(run_id) {
            return Err(MantyxError::Unexpected("another run than the one asked for".to_owned()).into());
        }
        RunUpdate::from_snapshot(&snapshot, now_ms())
            .ok_or_else(|| MantyxError::Unexpected("a run in an unknown state".to_owned()).into())
    }

    /// How far the workspace is mirrored.
    pub async fn progress(&self, state: &AppState, workspace: WorkspaceId) -> Result<SyncProgress, Error> {
        let known = state.store.sync_state(workspace).await?;
        let positive = |number: i64| u64::try_from(number).unwrap_or(0);
        Ok(SyncProgress {
            runs: positive(state.store.count_runs(workspace).await?),
            total: known.total.map(positive),
            history: match known.history {
                History::NotBegun => HistoryState::NotBegun,
                History::After(_) => HistoryState::UnderWay,
                History::Complete => HistoryState::Complete,
            },
            paused: known.paused,
            can_list: known.can_list,
            synced_at_ms: (known.synced_at_ms > 0).then_some(known.synced_at_ms),
            last_error: known.last_error,
        })
    }

    /// Stops or resumes bringing in older runs and logs; what is new keeps coming.
    pub async fn set_paused(&self, state: &AppState, caller: &Caller, paused: bool) -> Result<SyncProgress, Error> {
        state.store.update_sync_state(caller.workspace_id, |now| now.paused = paused).await?;
        match &caller.credential {
            Credential::Grant(_) => self.syncers.wake(state, caller.workspace_id, &caller.slug),
            Credential::Bearer(_) => self.syncers.ring(caller.workspace_id),
        }
        self.progress(state, caller.workspace_id).await
    }

    fn last_sync(&self, workspace: WorkspaceId) -> LastSync {
        let mut lists = self.lists.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        lists.entry(workspace).or_default().clone()
    }
}

/// Older servers have no `GET /agent-runs`.
fn cannot_list(error: &Error) -> bool {
    matches!(error, Error::Mantyx(MantyxError::NotFound | MantyxError::Refused { status: 405, .. }))
}

/// Errors that leave the stored data worth showing. A sign-in that has ended is not one of them.
fn stale(error: MantyxError) -> Result<Freshness, Error> {
    match error {
        MantyxError::Unauthorized | MantyxError::MissingScope { .. } => Err(error.into()),
        MantyxError::NotFound => Ok(Freshness::Gone),
        other => {
            tracing::warn!(error = %other, "MANTYX could not be asked; showing what is stored");
            Ok(Freshness::Stale(other))
        }
    }
}
