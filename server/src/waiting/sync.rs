//! Syncs runs in progress that nothing follows or whose spec is missing, so that their calls are listed for every program.

use std::collections::{BTreeSet, HashSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use domain::LockExt;
use futures::StreamExt;
use tracing::Instrument;

use crate::auth::Caller;
use crate::bounded_cache::BoundedCache;
use crate::error::Error;
use crate::state::AppState;
use crate::store::WorkspaceId;

/// Runs that one look syncs, the newest.
const MAX_RUNS: u32 = 50;
const SYNCS_AT_ONCE: usize = 8;
/// The list is shown after this time. Runs that take longer are synced by the next look.
const MAX_WAIT: Duration = Duration::from_millis(1_500);
/// After a sync, other looks use what it has stored for this long.
const FRESH_FOR: Duration = Duration::from_secs(5);
/// An entry counts as one byte.
const MAX_WORKSPACES: usize = 10_000;

/// Workspaces whose runs are being synced, or were a moment ago.
#[derive(Clone, Debug)]
pub struct RecentSyncs {
    done: Arc<Mutex<BoundedCache<WorkspaceId, ()>>>,
    running: Arc<Mutex<HashSet<WorkspaceId>>>,
}

impl Default for RecentSyncs {
    fn default() -> Self {
        let done = Arc::new(Mutex::new(BoundedCache::new(MAX_WORKSPACES, FRESH_FOR)));
        Self { done, running: Arc::default() }
    }
}

impl RecentSyncs {
    /// Returns true if a sync is due, which has to be [finished](Self::finish).
    fn begin(&self, workspace: WorkspaceId) -> bool {
        self.done.locked().get(&workspace).is_none() && self.running.locked().insert(workspace)
    }

    fn finish(&self, workspace: WorkspaceId) {
        self.done.locked().insert(workspace, (), 1);
        self.running.locked().remove(&workspace);
    }
}

/// Waits for the sync for a moment. It runs in a task, so that it finishes also when the page stops waiting: events without
/// what they say about their run would stay unnoticed.
pub async fn sync_unfollowed(state: &AppState, caller: &Caller) {
    let workspace = caller.workspace_id;
    if !state.waiting.syncs.begin(workspace) {
        return;
    }
    let (state, caller) = (state.clone(), caller.clone());
    let span = tracing::info_span!("sync runs in progress", %workspace);
    let sync = async move {
        if let Err(error) = sync_runs(&state, &caller).await {
            tracing::warn!(%error, "cannot sync the runs in progress for the list of waiting calls");
        }
        state.waiting.syncs.finish(workspace);
        state.waiting.changed(workspace);
    };
    let _ = tokio::time::timeout(MAX_WAIT, tokio::spawn(sync.instrument(span))).await;
}

async fn sync_runs(state: &AppState, caller: &Caller) -> Result<(), Error> {
    let workspace = caller.workspace_id;
    let waiting = state.store.waiting_runs(workspace, MAX_RUNS).await?;
    let unfinished = state.store.unfinished_runs(workspace, None, MAX_RUNS).await?;
    let run_ids = waiting.into_iter().map(|run| run.id).chain(unfinished.into_iter().map(|(_, run_id)| run_id));
    let mut due = BTreeSet::new();
    for run_id in run_ids {
        // The hub follows the log of a run. Its spec, which has the deadline of calls, comes with a sync.
        let has_spec =
            || async { Ok::<_, Error>(state.store.run_spec_and_log_state(workspace, &run_id).await?.0.is_some()) };
        if !state.live.follows(workspace, &run_id) || !has_spec().await? {
            due.insert(run_id);
        }
    }
    let sync = |run_id: String| async move {
        if let Err(error) = state.mirror.sync_run(state, caller, &run_id).await {
            tracing::debug!(%error, run_id, "cannot sync a run in progress for the list of waiting calls");
        }
    };
    futures::stream::iter(due).map(sync).buffer_unordered(SYNCS_AT_ONCE).for_each(|()| async {}).await;
    Ok(())
}
