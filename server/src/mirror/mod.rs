//! Mirrors a workspace's runs and sessions from MANTYX into the store.
//!
//! A list is synced when somebody opens it, a run when somebody opens it, and everything else in the background.

mod list;
mod log;
mod refresh_gate;
mod retry_later;
mod sessions;
mod syncer;
mod syncers;

use app::AppError;
use domain::{HistoryState, SyncProgress};
use protocol::timeline::Replay;
use tracing::Instrument;

use crate::auth::{Caller, Credential};
use crate::clock::now_ms;
use crate::error::Error;
use crate::keyed_locks::KeyedLocks;
use crate::mantyx::MantyxError;
use crate::state::AppState;
use crate::store::{History, RunUpdate, WorkspaceId};
use log::Fetched;
use refresh_gate::{Outcome, REFRESH_TIMEOUT, RefreshGate, Ticket};

pub use log::{CATCH_UP_PAUSE, open_stream, record_log_facts, reindex_old_runs, store_events};
pub use syncers::{ApiKey, start_syncers};

/// Shown when this MANTYX has no list of runs.
const CANNOT_LIST: &str =
    "This MANTYX cannot list runs. Those that were opened, launched or imported here are shown; a run's id finds it.";
/// Shown when MANTYX has not answered in time.
const SLOW: &str = "MANTYX has not answered yet. What is stored here is shown; what is new appears once it does.";

#[derive(Clone, Debug, Default)]
pub struct Mirror {
    refresh_gate: RefreshGate,
    /// One request for older runs at a time for each workspace.
    history_syncs: KeyedLocks<WorkspaceId>,
    /// One sync at a time for each run. Waiting viewers get its outcome.
    run_syncs: KeyedLocks<(WorkspaceId, String), Option<Freshness>>,
    syncers: syncers::Syncers,
}

/// An ended run with its whole log.
struct FetchedRun {
    update: RunUpdate,
    replay: Box<Replay>,
}

/// How current the stored data is.
#[derive(Clone, Debug)]
pub enum Freshness {
    Fresh,
    /// MANTYX could not be asked.
    Stale(MantyxError),
    /// MANTYX does not have it, or no longer has it.
    Gone,
    /// This MANTYX has no list of runs.
    CannotList,
    /// MANTYX was asked and has not answered yet.
    Slow,
}

impl Freshness {
    /// Returns a sentence for the page when the data may be out of date.
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
            Ok(Ok(Err(Error::Mantyx(error)))) => stale(error),
            Ok(Ok(Err(error))) => Err(error),
            Ok(Err(_)) => Ok(Freshness::Stale(MantyxError::Unexpected("a fault of the dashboard's own".to_owned()))),
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
            Ok(Err(Error::Mantyx(error))) => {
                tracing::warn!(%error, workspace = %caller.workspace_id, "cannot fetch older runs");
                Ok(false)
            }
            Ok(other) => Ok(other?.is_some()),
        }
    }

    /// Syncs one run: its snapshot, and its log as far as MANTYX has stored it. Concurrent viewers share one sync.
    pub async fn sync_run(&self, state: &AppState, caller: &Caller, run_id: &str) -> Result<Freshness, Error> {
        let workspace = caller.workspace_id;
        if state.store.is_settled(workspace, run_id).await? {
            return Ok(Freshness::Fresh);
        }
        if let Some(error) = self.refresh_gate.recent_failure(workspace)
            && state.store.run(workspace, run_id).await?.is_some()
        {
            return Ok(Freshness::Stale(error));
        }
        let mut shared = self.run_syncs.lock((workspace, run_id.to_owned())).await;
        // Left by a viewer for whose sync this one waited.
        if let Some(freshness) = shared.clone() {
            return Ok(freshness);
        }
        let freshness = match self.fetch_run(state, caller, run_id).await {
            Ok(Some(FetchedRun { update, replay })) => {
                state.store.upsert_runs(workspace, &[update]).await?;
                state.timelines.insert(workspace, run_id, *replay);
                Freshness::Fresh
            }
            Ok(None) => Freshness::Fresh,
            Err(Error::Mantyx(error)) => stale(error)?,
            Err(error) => return Err(error),
        };
        *shared = Some(freshness.clone());
        Ok(freshness)
    }

    /// Returns a run that has ended, ready to be stored as a whole. Of any other run, stores what there is by now.
    async fn fetch_run(&self, state: &AppState, caller: &Caller, run_id: &str) -> Result<Option<FetchedRun>, Error> {
        let update = self.fetch_snapshot(state, caller, run_id).await?;
        let in_progress = !update.summary.status.is_terminal();
        if state.live.follows(caller.workspace_id, run_id) {
            // The hub stores what its stream brings: a second stream would bring the same.
            state.store.upsert_runs(caller.workspace_id, &[update]).await?;
            state.live.wait_until_stored(caller.workspace_id, run_id, in_progress).await;
            log::record_log_facts(state, caller, run_id).await?;
            return Ok(None);
        }
        let last_seq = state.store.last_seq(caller.workspace_id, run_id).await?;
        let mut stream = log::open_stream(state, caller, run_id, last_seq).await?;
        let mut first_events = Vec::new();
        if !in_progress && last_seq == 0 {
            match log::read_ended(state, &mut stream).await? {
                Fetched::Whole(log, replay) => {
                    return Ok(Some(FetchedRun { update: RunUpdate { log: Some(log), ..update }, replay }));
                }
                Fetched::Partial(events) => first_events = events,
            }
        }
        state.store.upsert_runs(caller.workspace_id, &[update]).await?;
        log::store_stream(state, caller, run_id, stream, first_events, in_progress).await?;
        Ok(None)
    }

    /// Syncs a run's spec, totals and status.
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
        state.store.update_sync_state(caller.workspace_id, |now| now.paused = paused).await?;
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
        other => {
            tracing::error!(error = %other, "cannot store the newest runs");
            Outcome::Failed(MantyxError::Unexpected("a fault in the dashboard's own database".to_owned()))
        }
    }
}

/// Older servers have no `GET /agent-runs`.
fn cannot_list(error: &Error) -> bool {
    matches!(error, Error::Mantyx(MantyxError::NotFound | MantyxError::Refused { status: 405, .. }))
}

/// Turns errors that leave the stored data worth showing into a freshness. A rejected credential stays an error.
fn stale(error: MantyxError) -> Result<Freshness, Error> {
    match error {
        MantyxError::Unauthorized | MantyxError::MissingScope { .. } => Err(error.into()),
        MantyxError::NotFound => Ok(Freshness::Gone),
        other => {
            tracing::warn!(error = %other, "cannot sync from MANTYX; showing stored data");
            Ok(Freshness::Stale(other))
        }
    }
}
