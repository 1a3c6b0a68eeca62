//! The background sync: one task for each workspace, and on PostgreSQL one among all processes.
//!
//! It uses the operator's API key or the consent of somebody who signed in, and is polite: it waits as long as MANTYX says,
//! and longer each time where MANTYX does not answer. Whatever interrupts it, it goes on from what is stored.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::StreamExt;
use tokio::sync::Notify;

use super::{list, log};
use crate::auth::{Caller, Credential};
use crate::clock::now_ms;
use crate::error::Error;
use crate::mantyx::{Bearer, MantyxError};
use crate::state::AppState;
use crate::store::WorkspaceId;

/// Between two looks at the newest runs when there is nothing else to do.
const EVERY: Duration = Duration::from_secs(30);
/// Another process syncs this workspace: how often to see whether it still does.
const TRY_TO_TAKE_OVER: Duration = Duration::from_secs(5);
const FIRST_RETRY: Duration = Duration::from_secs(1);
const LAST_RETRY: Duration = Duration::from_secs(60);
const LONGEST_WAIT: Duration = Duration::from_secs(300);
/// Logs fetched between two looks at the list, and how many at a time.
const LOGS_PER_ROUND: u32 = 100;
const LOGS_AT_ONCE: usize = 4;
/// Runs under way that are asked for in each round.
const UNFINISHED_PER_ROUND: u32 = 50;
const PRICES_EVERY_MS: i64 = 10 * 60_000;

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
        let syncer = Syncer { state: state.clone(), workspace_id, slug: slug.to_owned(), bell, prices_at_ms: 0 };
        let syncers = self.clone();
        tokio::spawn(async move {
            let shutdown = syncer.state.shutdown.clone();
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

struct Syncer {
    state: AppState,
    workspace_id: WorkspaceId,
    slug: String,
    bell: Arc<Notify>,
    prices_at_ms: i64,
}

/// What a round of work ended with.
enum Round {
    MoreToDo,
    Done,
}

impl Syncer {
    async fn run(mut self) {
        let mut retry = FIRST_RETRY;
        loop {
            let wait = match self.round().await {
                Ok(Some(Round::MoreToDo)) => Duration::ZERO,
                Ok(Some(Round::Done)) => EVERY,
                Ok(None) => TRY_TO_TAKE_OVER,
                Err(Error::Mantyx(MantyxError::RateLimited { retry_after })) => {
                    // MANTYX asked for it: nobody's look at the list shortens this.
                    tokio::time::sleep(retry_after.unwrap_or(retry).clamp(FIRST_RETRY, LONGEST_WAIT)).await;
                    continue;
                }
                Err(Error::Mantyx(MantyxError::Unauthorized)) => {
                    tracing::info!(slug = self.slug, "nobody's consent to sync this workspace stands any more");
                    return;
                }
                Err(error) => {
                    tracing::warn!(%error, slug = self.slug, "the background sync was interrupted");
                    let message = app::AppError::from(error).advice();
                    let record = |now: &mut crate::store::SyncState| now.last_error = Some(message);
                    if let Err(error) = self.state.store.update_sync_state(self.workspace_id, record).await {
                        tracing::warn!(%error, "the state of the sync could not be stored");
                    }
                    let wait = retry;
                    retry = (retry * 2).min(LAST_RETRY);
                    tokio::time::sleep(wait).await;
                    continue;
                }
            };
            retry = FIRST_RETRY;
            if !wait.is_zero() {
                let _ = tokio::time::timeout(wait, self.bell.notified()).await;
            }
        }
    }

    /// One round: what is new, then a piece of what is old. `None` where another process does it.
    async fn round(&mut self) -> Result<Option<Round>, Error> {
        if !self.state.store.hold_sync_lock(self.workspace_id).await? {
            return Ok(None);
        }
        let caller = self.caller().await?;
        self.refresh_prices(&caller).await?;
        let mut more = false;
        let can_list = match list::sync_head(&self.state, &caller).await {
            Ok(()) => true,
            Err(error) if super::cannot_list(&error) => {
                self.state.store.update_sync_state(self.workspace_id, |now| now.can_list = false).await?;
                false
            }
            Err(error) => return Err(error),
        };
        self.refresh_unfinished(&caller).await?;
        if self.state.store.sync_state(self.workspace_id).await?.paused {
            return Ok(Some(Round::Done));
        }
        if can_list {
            more |= list::sync_history_page(&self.state, &caller).await? == Some(true);
        }
        more |= self.fetch_logs(&caller).await?;
        Ok(Some(if more { Round::MoreToDo } else { Round::Done }))
    }

    /// On whose behalf: the operator's key, else somebody whose consent still stands.
    async fn caller(&self) -> Result<Caller, Error> {
        let credentials = match &self.state.api_key {
            Some(key) if key.slug == self.slug => vec![Credential::Bearer(key.bearer.clone())],
            _ => self.state.store.grants_of(self.workspace_id).await?.into_iter().map(Credential::Grant).collect(),
        };
        for credential in credentials {
            let caller = Caller { workspace_id: self.workspace_id, slug: self.slug.clone(), credential };
            let accepted = self.state.credentials.call(&caller, |_| async { Ok(()) }).await;
            match accepted {
                Ok(()) => return Ok(caller),
                Err(MantyxError::Unauthorized) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(MantyxError::Unauthorized.into())
    }

    async fn refresh_prices(&mut self, caller: &Caller) -> Result<(), Error> {
        let now = now_ms();
        if now - self.prices_at_ms < PRICES_EVERY_MS {
            return Ok(());
        }
        let state = &self.state;
        let models = |bearer| async move { state.mantyx.models(&bearer, &caller.slug).await };
        match state.credentials.call(caller, models).await {
            Ok(models) => state.store.record_prices(self.workspace_id, &models, now).await?,
            // Costs are a help, not a need.
            Err(MantyxError::MissingScope { .. } | MantyxError::NotFound) => {}
            Err(error) => return Err(error.into()),
        }
        self.prices_at_ms = now;
        Ok(())
    }

    /// Runs that had not ended: their list row may be far down by now.
    async fn refresh_unfinished(&self, caller: &Caller) -> Result<(), Error> {
        for run_id in self.state.store.unfinished_runs(self.workspace_id, UNFINISHED_PER_ROUND).await? {
            match self.state.mirror.sync_snapshot(&self.state, caller, &run_id).await {
                Ok(_) => {}
                Err(Error::Mantyx(MantyxError::NotFound)) => {
                    self.state.store.mark_log_gone(self.workspace_id, &run_id).await?;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Logs of ended runs, newest first. `true` where some are left.
    async fn fetch_logs(&self, caller: &Caller) -> Result<bool, Error> {
        let missing = self.state.store.ended_runs_without_log(self.workspace_id, LOGS_PER_ROUND).await?;
        let full = missing.len() == LOGS_PER_ROUND as usize;
        let mut fetches = futures::stream::iter(missing)
            .map(|run_id| async move {
                match self.state.mirror.fetch_run(&self.state, caller, &run_id).await {
                    Err(Error::Mantyx(MantyxError::NotFound)) => {
                        self.state.store.mark_log_gone(self.workspace_id, &run_id).await?;
                        Ok(None)
                    }
                    other => other,
                }
            })
            .buffer_unordered(LOGS_AT_ONCE);
        // Written together: a transaction for each would take longer than the fetching.
        let mut whole = Vec::new();
        let mut failed = None;
        while let Some(fetched) = fetches.next().await {
            match fetched {
                Ok(run) => whole.extend(run),
                Err(error) => {
                    failed = Some(error);
                    break;
                }
            }
        }
        self.state.store.upsert_runs(self.workspace_id, &whole).await?;
        self.state.store.train_dictionary().await?;
        failed.map_or(Ok(full), Err)
    }
}

/// Reads again what an older version stored, a little at a time.
pub async fn reread_old_runs(state: AppState) {
    loop {
        let unread = match state.store.unread_runs(100).await {
            Ok(unread) if unread.is_empty() => return,
            Ok(unread) => unread,
            Err(error) => return tracing::error!(%error, "stored runs could not be read again"),
        };
        for (workspace, run_id) in unread {
            if state.shutdown.is_cancelled() {
                return;
            }
            if let Err(error) = log::reread(&state, workspace, &run_id).await {
                return tracing::error!(%error, run_id, "a stored run could not be read again");
            }
        }
    }
}
