//! The background sync: one task for each workspace, and on PostgreSQL one among all processes. It uses the operator's API
//! key or the consent of somebody who signed in.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use tokio::sync::Notify;

use super::round::{FIRST_RETRY, LAST_RETRY, Syncer};
use crate::error::Error;
use crate::mantyx::Bearer;
use crate::state::AppState;
use crate::store::WorkspaceId;

/// The syncers of this process.
#[derive(Clone, Debug, Default)]
pub struct Syncers(Arc<Mutex<HashMap<WorkspaceId, Arc<Notify>>>>);

impl Syncers {
    /// Makes sure that a workspace is synced in the background, and soon.
    pub fn wake(&self, state: &AppState, workspace_id: WorkspaceId, slug: &str) {
        let mut running = self.running();
        if let Some(bell) = running.get(&workspace_id) {
            bell.notify_one();
            return;
        }
        let bell = Arc::new(Notify::new());
        running.insert(workspace_id, bell.clone());
        let syncer = Syncer::new(state.clone(), workspace_id, slug.to_owned(), bell);
        let (syncers, shutdown) = (self.clone(), state.shutdown.clone());
        tokio::spawn(async move {
            tokio::select! {
                () = syncer.run() => {}
                () = shutdown.cancelled() => {}
            }
            syncers.running().remove(&workspace_id);
        });
    }

    /// Tells a syncer that there may be something to do, where there is one.
    pub fn ring(&self, workspace_id: WorkspaceId) {
        if let Some(bell) = self.running().get(&workspace_id) {
            bell.notify_one();
        }
    }

    fn running(&self) -> std::sync::MutexGuard<'_, HashMap<WorkspaceId, Arc<Notify>>> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// Starts a syncer for each workspace that can be asked for without anybody looking.
pub async fn start_syncers(state: &AppState) -> Result<(), Error> {
    for (workspace_id, slug) in state.store.workspaces_with_grants().await? {
        state.mirror.syncers.wake(state, workspace_id, &slug);
    }
    if let Some(key) = state.api_key.clone() {
        // MANTYX confirms that the key belongs to the workspace before anything is stored under it.
        let state = state.clone();
        tokio::spawn(async move {
            let mut retry = FIRST_RETRY;
            while let Err(error) = state.mantyx.models(&key.bearer, &key.slug).await {
                tracing::warn!(%error, "the background sync cannot begin (MANTYX_API_KEY, MANTYX_WORKSPACE)");
                tokio::select! {
                    () = tokio::time::sleep(retry) => retry = (retry * 2).min(LAST_RETRY),
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

/// The operator's key and the workspace that it belongs to.
#[derive(Clone, Debug)]
pub struct ApiKey {
    pub bearer: Bearer,
    pub slug: String,
}
