//! Keeps the store in step with what MANTYX shows the signed-in workspace.
//!
//! A list is synced when it is looked at, a run when it is opened. One sync at a time for each workspace: whoever comes
//! meanwhile waits for it and uses its outcome.

mod background;
mod log;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use app::AppError;
use protocol::RunStatus;

use crate::auth::Caller;
use crate::clock::now_ms;
use crate::error::Error;
use crate::mantyx::MantyxError;
use crate::state::AppState;
use crate::store::{RunUpdate, WorkspaceId};

pub use background::sync_with_api_key;
pub use log::{record_log_facts, store_events};

/// A list that was synced this short a time ago is fresh enough.
const FRESH_FOR: Duration = Duration::from_secs(2);
const PAGE_LIMIT: u32 = 200;

#[derive(Clone, Debug, Default)]
pub struct Mirror {
    lists: Arc<Mutex<HashMap<WorkspaceId, Progress>>>,
    /// Workspaces whose missing logs are being fetched.
    fetching: Arc<Mutex<HashSet<WorkspaceId>>>,
}

/// How far a workspace's list is synced; held while it is being.
type Progress = Arc<tokio::sync::Mutex<ListProgress>>;

#[derive(Debug, Default)]
struct ListProgress {
    newest_at: Option<Instant>,
    history: History,
}

/// Where the runs that are older than those seen begin, at MANTYX.
#[derive(Debug, Default)]
enum History {
    #[default]
    Unknown,
    After(String),
    Complete,
}

impl History {
    fn from_cursor(cursor: Option<String>) -> Self {
        cursor.map_or(Self::Complete, Self::After)
    }
}

/// Whether what is stored is what MANTYX has.
#[derive(Debug)]
pub enum Freshness {
    Fresh,
    /// MANTYX could not be asked; the error says why.
    Stale(AppError),
    /// MANTYX does not have it, or not any more.
    Gone,
}

impl Freshness {
    /// A sentence for the page, where the data may be behind.
    pub fn stale(&self) -> Option<String> {
        match self {
            Self::Fresh => None,
            Self::Stale(error) => Some(error.advice()),
            Self::Gone => Some("MANTYX no longer has this run. What was stored here is shown.".to_owned()),
        }
    }
}

impl Mirror {
    /// Brings in the newest page of runs.
    pub async fn sync_newest(&self, state: &AppState, caller: &Caller) -> Result<Freshness, Error> {
        let progress = self.progress(caller.workspace_id);
        let mut progress = progress.lock().await;
        if progress.newest_at.is_some_and(|at| at.elapsed() < FRESH_FOR) {
            return Ok(Freshness::Fresh);
        }
        let next_cursor = match sync_page(state, caller, None).await {
            Ok(next_cursor) => next_cursor,
            Err(Error::Mantyx(MantyxError::NotFound | MantyxError::Refused { status: 405, .. })) => {
                let message = "This MANTYX cannot list runs. Those that were opened here are shown.".to_owned();
                return Ok(Freshness::Stale(AppError::Unavailable { message }));
            }
            Err(Error::Mantyx(error)) => return stale(error),
            Err(error) => return Err(error),
        };
        progress.newest_at = Some(Instant::now());
        if matches!(progress.history, History::Unknown) {
            progress.history = History::from_cursor(next_cursor);
        }
        log::fetch_missing_soon(state, caller);
        Ok(Freshness::Fresh)
    }

    /// Brings in a page of older runs. `false` when there are none, or when MANTYX cannot be asked.
    pub async fn sync_older(&self, state: &AppState, caller: &Caller) -> Result<bool, Error> {
        let progress = self.progress(caller.workspace_id);
        let mut progress = progress.lock().await;
        let History::After(cursor) = &progress.history else { return Ok(false) };
        match sync_page(state, caller, Some(cursor)).await {
            Ok(next_cursor) => {
                progress.history = History::from_cursor(next_cursor);
                Ok(true)
            }
            Err(Error::Mantyx(error)) => {
                tracing::warn!(%error, "older runs could not be fetched");
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }

    /// Brings in one run: its snapshot, and its log as far as it is persisted.
    pub async fn sync_run(&self, state: &AppState, caller: &Caller, run_id: &str) -> Result<Freshness, Error> {
        let (spec, log_complete) = state.store.run_spec_and_log_state(caller.workspace_id, run_id).await?;
        if spec.is_some() && log_complete {
            return Ok(Freshness::Fresh);
        }
        let synced = async {
            let status = self.sync_snapshot(state, caller, run_id).await?;
            // A running run's log is followed by the live relay; its page renders what is persisted by now.
            log::fetch(state, caller, run_id, !status.is_terminal()).await
        };
        match synced.await {
            Ok(()) => Ok(Freshness::Fresh),
            Err(Error::Mantyx(error)) => stale(error),
            Err(error) => Err(error),
        }
    }

    /// Brings in a run's spec, totals and status.
    pub async fn sync_snapshot(&self, state: &AppState, caller: &Caller, run_id: &str) -> Result<RunStatus, Error> {
        let snapshot = state
            .credentials
            .call(caller, |bearer| async move { state.mantyx.run(&bearer, &caller.slug, run_id).await })
            .await?;
        if snapshot.id != run_id {
            return Err(MantyxError::Unexpected("another run than the one asked for".to_owned()).into());
        }
        let status = snapshot.status;
        let update = RunUpdate::from_snapshot(snapshot, now_ms());
        state.store.upsert_runs(caller.workspace_id, &[update]).await?;
        Ok(status)
    }

    /// `false` where somebody fetches this workspace's logs already.
    fn begin_fetching(&self, workspace: WorkspaceId) -> bool {
        self.fetching.lock().unwrap_or_else(std::sync::PoisonError::into_inner).insert(workspace)
    }

    fn end_fetching(&self, workspace: WorkspaceId) {
        self.fetching.lock().unwrap_or_else(std::sync::PoisonError::into_inner).remove(&workspace);
    }

    fn progress(&self, workspace: WorkspaceId) -> Progress {
        let mut lists = self.lists.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        lists.entry(workspace).or_default().clone()
    }
}

/// Brings in one page of MANTYX's list and tells where the next begins.
async fn sync_page(state: &AppState, caller: &Caller, cursor: Option<&str>) -> Result<Option<String>, Error> {
    let page = state
        .credentials
        .call(caller, |bearer| async move { state.mantyx.list_runs(&bearer, &caller.slug, PAGE_LIMIT, cursor).await })
        .await?;
    let updates: Vec<RunUpdate> = page.runs.into_iter().filter_map(RunUpdate::from_row).collect();
    state.store.upsert_runs(caller.workspace_id, &updates).await?;
    Ok(page.next_cursor)
}

/// Errors that leave the stored data worth showing. A sign-in that has ended is not one of them.
fn stale(error: MantyxError) -> Result<Freshness, Error> {
    match error {
        MantyxError::Unauthorized | MantyxError::MissingScope { .. } => Err(error.into()),
        MantyxError::NotFound => Ok(Freshness::Gone),
        other => {
            tracing::warn!(error = %other, "MANTYX could not be asked; showing what is stored");
            Ok(Freshness::Stale(Error::from(other).into()))
        }
    }
}
