//! The syncers of this process, one for each workspace. With several processes, a lease picks the one that syncs.
//!
//! A syncer uses the operator's API key, or the grant of a signed-in user.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::Duration;

use domain::LockExt;
use tokio::sync::Notify;
use tracing::Instrument;

use super::syncer::{RETRY, Syncer};
use crate::auth::workspace_of;
use crate::error::Error;
use crate::mantyx::Bearer;
use crate::state::AppState;
use crate::store::WorkspaceId;

/// The interval between checks for workspaces that users signed in to at another process.
const CHECK_WORKSPACES_EVERY: Duration = Duration::from_secs(5);

#[derive(Clone, Debug, Default)]
pub struct Syncers(Arc<Mutex<HashMap<WorkspaceId, SyncerState>>>);

#[derive(Clone, Debug)]
enum SyncerState {
    /// Notified when there may be something to do.
    Running(Arc<Notify>),
    /// No credential was accepted. It starts again when a user opens the workspace.
    Stopped,
}

impl Syncers {
    /// Starts a workspace's syncer if needed, and makes it sync soon.
    pub fn wake(&self, state: &AppState, workspace_id: WorkspaceId, slug: &str) {
        let mut all = self.all();
        match all.get(&workspace_id) {
            Some(SyncerState::Running(wake)) => wake.notify_one(),
            Some(SyncerState::Stopped) | None => self.start(&mut all, state, workspace_id, slug),
        }
    }

    /// Starts a workspace's syncer unless it was started before.
    fn start_once(&self, state: &AppState, workspace_id: WorkspaceId, slug: &str) {
        let mut all = self.all();
        if !all.contains_key(&workspace_id) {
            self.start(&mut all, state, workspace_id, slug);
        }
    }

    fn start(
        &self,
        all: &mut HashMap<WorkspaceId, SyncerState>,
        state: &AppState,
        workspace_id: WorkspaceId,
        slug: &str,
    ) {
        let wake = Arc::new(Notify::new());
        all.insert(workspace_id, SyncerState::Running(wake.clone()));
        let syncer = Syncer::new(state.clone(), workspace_id, slug.to_owned(), wake);
        let (syncers, shutdown) = (self.clone(), state.shutdown.clone());
        let span = tracing::info_span!("sync", workspace = %workspace_id, slug);
        let sync = async move {
            tokio::select! {
                () = syncer.run() => drop(syncers.all().insert(workspace_id, SyncerState::Stopped)),
                () = shutdown.cancelled() => {}
            }
        };
        tokio::spawn(sync.instrument(span));
    }

    /// Makes a running syncer sync soon.
    pub fn notify(&self, workspace_id: WorkspaceId) {
        if let Some(SyncerState::Running(wake)) = self.all().get(&workspace_id) {
            wake.notify_one();
        }
    }

    fn all(&self) -> MutexGuard<'_, HashMap<WorkspaceId, SyncerState>> {
        self.0.locked()
    }
}

/// Starts a syncer for each workspace with a grant or the operator's key, including those that users sign in to later at
/// another process: this process may have to take over.
pub fn start_syncers(state: &AppState) {
    let checked = state.clone();
    tokio::spawn(async move {
        loop {
            if let Err(error) = start_all(&checked).await {
                tracing::warn!(%error, "cannot list the workspaces to sync");
            }
            tokio::select! {
                () = tokio::time::sleep(CHECK_WORKSPACES_EVERY) => {}
                () = checked.shutdown.cancelled() => return,
            }
        }
    });
    if let Some(key) = state.api_key.clone() {
        let state = state.clone();
        let span = tracing::info_span!("start sync with the operator's key", slug = key.slug);
        let start = async move {
            // MANTYX confirms that the key belongs to the workspace before anything is stored under it.
            let mut retry = RETRY;
            let workspace_id = loop {
                match workspace_of(&state, &key.bearer, Some(&key.slug)).await {
                    Ok(found) if found.slug == key.slug => break found.id,
                    Ok(found) => tracing::warn!(
                        slug = found.slug,
                        "sync cannot start: MANTYX_API_KEY belongs to this workspace, \
                                                    MANTYX_WORKSPACE names another one"
                    ),
                    Err(error) => {
                        tracing::warn!(%error, "sync cannot start; check MANTYX_API_KEY and MANTYX_WORKSPACE");
                    }
                }
                tokio::select! {
                    () = tokio::time::sleep(retry.next_delay()) => {}
                    () = state.shutdown.cancelled() => return,
                }
            };
            // Set once: nothing else does.
            let _ = key.workspace_id.set(workspace_id);
            state.mirror.syncers.wake(&state, workspace_id, &key.slug);
        };
        tokio::spawn(start.instrument(span));
    }
}

async fn start_all(state: &AppState) -> Result<(), Error> {
    let workspaces = state.store.workspaces_with_grants().await?;
    for (workspace_id, slug) in workspaces.into_iter().filter(|(_, slug)| state.workspaces.allows(slug)) {
        state.mirror.syncers.start_once(state, workspace_id, &slug);
    }
    Ok(())
}

/// The operator's API key and its workspace.
#[derive(Clone, Debug)]
pub struct ApiKey {
    pub bearer: Bearer,
    pub slug: String,
    /// Known once MANTYX has confirmed it. A slug alone can move to another workspace.
    pub workspace_id: Arc<OnceLock<WorkspaceId>>,
}
