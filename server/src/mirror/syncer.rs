//! The background sync: one task for each workspace, and on PostgreSQL one among all processes. It uses the operator's API
//! key or the consent of somebody who signed in.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use domain::LockExt;
use tokio::sync::Notify;

use super::round::{RETRY, Syncer};
use crate::error::Error;
use crate::mantyx::Bearer;
use crate::state::AppState;
use crate::store::WorkspaceId;

/// How often to see whether there are workspaces that another process signed in to.
const LOOK_FOR_WORKSPACES: Duration = Duration::from_secs(5);

/// The syncers of this process.
#[derive(Clone, Debug, Default)]
pub struct Syncers(Arc<Mutex<HashMap<WorkspaceId, Syncing>>>);

#[derive(Clone, Debug)]
enum Syncing {
    /// Rung where there may be something to do.
    On(Arc<Notify>),
    /// Nobody's consent stood; only a look at the workspace begins it again.
    GaveUp,
}

impl Syncers {
    /// Makes sure that a workspace is synced in the background, and soon.
    pub fn wake(&self, state: &AppState, workspace_id: WorkspaceId, slug: &str) {
        let mut all = self.all();
        match all.get(&workspace_id) {
            Some(Syncing::On(bell)) => bell.notify_one(),
            Some(Syncing::GaveUp) | None => self.begin(&mut all, state, workspace_id, slug),
        }
    }

    /// The same for a workspace that nobody looks at here: it is not hurried.
    fn ensure(&self, state: &AppState, workspace_id: WorkspaceId, slug: &str) {
        let mut all = self.all();
        if !all.contains_key(&workspace_id) {
            self.begin(&mut all, state, workspace_id, slug);
        }
    }

    fn begin(&self, all: &mut HashMap<WorkspaceId, Syncing>, state: &AppState, workspace_id: WorkspaceId, slug: &str) {
        let bell = Arc::new(Notify::new());
        all.insert(workspace_id, Syncing::On(bell.clone()));
        let syncer = Syncer::new(state.clone(), workspace_id, slug.to_owned(), bell);
        let (syncers, shutdown) = (self.clone(), state.shutdown.clone());
        tokio::spawn(async move {
            tokio::select! {
                () = syncer.run() => drop(syncers.all().insert(workspace_id, Syncing::GaveUp)),
                () = shutdown.cancelled() => {}
            }
        });
    }

    /// Tells a syncer that there may be something to do, where there is one.
    pub fn ring(&self, workspace_id: WorkspaceId) {
        if let Some(Syncing::On(bell)) = self.all().get(&workspace_id) {
            bell.notify_one();
        }
    }

    fn all(&self) -> MutexGuard<'_, HashMap<WorkspaceId, Syncing>> {
        self.0.locked()
    }
}

/// Starts a syncer for each workspace that can be asked for without anybody looking, also for those that somebody signs in
/// to elsewhere later: this process may have to take over.
pub async fn start_syncers(state: &AppState) -> Result<(), Error> {
    ensure_all(state).await?;
    let watching = state.clone();
    tokio::spawn(async move {
        loop {
            tokio::select! {
                () = tokio::time::sleep(LOOK_FOR_WORKSPACES) => {}
                () = watching.shutdown.cancelled() => return,
            }
            if let Err(error) = ensure_all(&watching).await {
                tracing::warn!(%error, "workspaces to sync could not be looked up");
            }
        }
    });
    if let Some(key) = state.api_key.clone() {
        // MANTYX confirms that the key belongs to the workspace before anything is stored under it.
        let state = state.clone();
        tokio::spawn(async move {
            let mut retry = RETRY;
            while let Err(error) = state.mantyx.models(&key.bearer, &key.slug).await {
                tracing::warn!(%error, "the background sync cannot begin (MANTYX_API_KEY, MANTYX_WORKSPACE)");
                tokio::select! {
                    () = tokio::time::sleep(retry.next_delay()) => {}
                    () = state.shutdown.cancelled() => return,
                }
            }
            match state.store.workspace_from_slug(&key.slug).await {
                Ok(workspace_id) => state.mirror.syncers.wake(&state, workspace_id, &key.slug),
                Err(error) => tracing::error!(%error, "the background sync could not begin"),
            }
        });
    }
    Ok(())
}

async fn ensure_all(state: &AppState) -> Result<(), Error> {
    for (workspace_id, slug) in state.store.workspaces_with_grants().await? {
        state.mirror.syncers.ensure(state, workspace_id, &slug);
    }
    Ok(())
}

/// The operator's key and the workspace that it belongs to.
#[derive(Clone, Debug)]
pub struct ApiKey {
    pub bearer: Bearer,
    pub slug: String,
}
