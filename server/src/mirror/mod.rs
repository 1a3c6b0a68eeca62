//! Keeps the store in step with what MANTYX shows a workspace.
//!
//! A list is synced when it is looked at, a run when it is opened, and the rest in the background.

mod list;
mod log;
mod looks;
mod retry_later;
mod round;
mod sessions;
mod syncer;

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use app::AppError;
use domain::{HistoryState, LockExt, SyncProgress};

use crate::auth::{Caller, Credential};
use crate::clock::now_ms;
use crate::error::Error;
use crate::mantyx::MantyxError;
use crate::state::AppState;
use crate::store::{History, RunUpdate, WorkspaceId};
use looks::{Looks, Outcome, PATIENCE, Turn};

pub use log::{QUIET, record_log_facts, reread_old_runs, store_events};
pub use syncer::{ApiKey, start_syncers};

/// What a page says of a MANTYX that has no list of runs.
const CANNOT_LIST: &str =
    "This MANTYX cannot list runs. Those that were opened, launched or imported here are shown; a run's id finds it.";
/// What a page says of a MANTYX that has not answered in time.
const SLOW: &str = "MANTYX has not answered yet. What is stored here is shown; what is new appears once it does.";

#[derive(Clone, Debug, Default)]
pub struct Mirror {
    looks: Looks,
    /// One walk into the history at a time for each workspace.
    walks: Arc<Mutex<HashMap<WorkspaceId, Arc<tokio::sync::Mutex<()>>>>>,
    syncers: syncer::Syncers,
}

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
    /// MANTYX was asked and has not answered yet.
    Slow,
}

impl Freshness {
    /// A sentence for the page, where the data may be behind.
    pub fn stale(&self) -> Option<String> {
        match self {
            Self::Fresh => None,
            Self::Stale(error) => Some(AppError::from(Error::Mantyx(error.clone())).advice()),
            Self::Gone => Some("MANTYX no longer has this run. What was stored here is shown.".to_owned()),
            Self::CannotList => Some(CANNOT_LIST.to_owned()),
            Self::Slow => Some(SLOW.to_owned()),
        }
    }
}

impl Mirror {
    /// Brings in the newest page of runs; what else there is comes in the background.
    pub async fn sync_newest(&self, state: &AppState, caller: &Caller) -> Result<Freshness, Error> {
        loop {
            let (outcome, mine) = match self.looks.turn(caller.workspace_id) {
                Turn::Known(outcome) => (Some(outcome), false),
                Turn::Wait(outcome, until) => (looks::wait(outcome, until).await, false),
                Turn::Look(teller, outcome, until) => {
                    let (state, caller) = (state.clone(), caller.clone());
                    // Whoever asked may go away; what was asked for is of use to others.
                    tokio::spawn(async move { teller.tell(look(&state, &caller).await) });
                    (looks::wait(outcome, until).await, true)
                }
            };
            return match outcome {
                // Another's credential was refused, which says nothing of this one.
                Some(Outcome::Refused(_)) if !mine => continue,
                Some(Outcome::Refused(error)) => Err(error.into()),
                Some(Outcome::Fresh) => Ok(Freshness::Fresh),
                Some(Outcome::CannotList) => Ok(Freshness::CannotList),
                Some(Outcome::Failed(error)) => Ok(Freshness::Stale(error)),
                None => Ok(Freshness::Slow),
            };
        }
    }

    /// Brings in the sessions that were used last; what else there is comes in the background.
    pub async fn sync_sessions(&self, state: &AppState, caller: &Caller) -> Result<Freshness, Error> {
        if let Some(error) = self.looks.trouble(caller.workspace_id) {
            return Ok(Freshness::Stale(error));
        }
        if matches!(caller.credential, Credential::Grant(_)) {
            self.syncers.wake(state, caller.workspace_id, &caller.slug);
        }
        let (with, by) = (state.clone(), caller.clone());
        // It goes on when nobody waits for it any more.
        let looking = tokio::spawn(async move { sessions::look(&with, &by).await });
        match tokio::time::timeout(PATIENCE, looking).await {
            Err(_) => Ok(Freshness::Slow),
            Ok(Ok(Ok(()))) => Ok(Freshness::Fresh),
            Ok(Ok(Err(Error::Mantyx(error)))) => stale(error),
            Ok(Ok(Err(error))) => Err(error),
            Ok(Err(_)) => Ok(Freshness::Stale(MantyxError::Unexpected("a fault of the dashboard's own".to_owned()))),
        }
    }

    /// Brings in a page of older runs. `false` when there are none, or when MANTYX cannot be asked, or not in time.
    pub async fn sync_older(&self, state: &AppState, caller: &Caller) -> Result<bool, Error> {
        if self.looks.trouble(caller.workspace_id).is_some() {
            return Ok(false);
        }
        let walk = async {
            let turn = self.walk_of(caller.workspace_id);
            let _turn = turn.lock().await;
            list::sync_history_page(state, caller).await
        };
        match tokio::time::timeout(PATIENCE, walk).await {
            Err(_) => Ok(false),
            Ok(Err(Error::Mantyx(error))) => {
                tracing::warn!(%error, "older runs could not be fetched");
                Ok(false)
            }
            Ok(other) => Ok(other?.is_some()),
        }
    }

    /// Brings in one run: its snapshot, and its log as far as it is persisted.
    pub async fn sync_run(&self, state: &AppState, caller: &Caller, run_id: &str) -> Result<Freshness, Error> {
        if state.store.is_settled(caller.workspace_id, run_id).await? {
            return Ok(Freshness::Fresh);
        }
        if let Some(error) = self.looks.trouble(caller.workspace_id)
            && state.store.run(caller.workspace_id, run_id).await?.is_some()
        {
            return Ok(Freshness::Stale(error));
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
        state.store.upsert_runs(caller.workspace_id, &[update]).await?;
        Ok(state.store.mark_launched_runs(caller.workspace_id).await?)
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

    /// Stops or resumes bringing in older runs and logs; what is new keeps coming.
    pub async fn set_paused(&self, state: &AppState, caller: &Caller, paused: bool) -> Result<SyncProgress, Error> {
        state.store.update_sync_state(caller.workspace_id, |now| now.paused = paused).await?;
        match &caller.credential {
            Credential::Grant(_) => self.syncers.wake(state, caller.workspace_id, &caller.slug),
            Credential::Bearer(_) => self.syncers.ring(caller.workspace_id),
        }
        self.progress(state, caller.workspace_id).await
    }

    fn walk_of(&self, workspace: WorkspaceId) -> Arc<tokio::sync::Mutex<()>> {
        let mut walks = self.walks.locked();
        walks.entry(workspace).or_default().clone()
    }
}

/// Reads the newest page and what is missing below it, as far as that is for a look to do.
async fn look(state: &AppState, caller: &Caller) -> Outcome {
    // A credential that came with a request is used for that request only.
    let in_background = matches!(caller.credential, Credential::Grant(_));
    let looked = async {
        let newest = list::sync_newest_page(state, caller).await?;
        if in_background {
            state.mirror.syncers.wake(state, caller.workspace_id, &caller.slug);
        } else if newest.gap {
            list::sync_head(state, caller).await?;
        }
        Ok(())
    };
    match looked.await {
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
            Outcome::Refused(error)
        }
        Error::Mantyx(error) => {
            tracing::warn!(%error, "MANTYX could not be asked; showing what is stored");
            Outcome::Failed(error)
        }
        other => {
            tracing::error!(error = %other, "what MANTYX told could not be stored");
            Outcome::Failed(MantyxError::Unexpected("a fault in the dashboard's own database".to_owned()))
        }
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
