//! A background task that syncs one workspace, in rounds: new runs and sessions first, then a part of the older ones.
//!
//! It waits as long as MANTYX asks, and with back-off when MANTYX does not answer. After any interruption it continues
//! from what is stored. A run whose sync fails is skipped for a while, so that the others are synced.

use std::sync::Arc;
use std::time::Duration;

use domain::Backoff;
use futures::StreamExt;
use tokio::sync::Notify;

use super::observed_runs::ObservedRuns;
use super::retry_later::{RetryLater, affects_all_runs, unrelated_to_run};
use super::{list, sessions};
use crate::audit::Actor;
use crate::auth::scopes::{RUNS_READ, includes};
use crate::auth::{Caller, Credential};
use crate::clock::now_ms;
use crate::error::Error;
use crate::mantyx::MantyxError;
use crate::state::AppState;
use crate::store::{RunUpdate, WorkspaceId};

/// The time between two rounds when there is nothing else to do.
const ROUND_EVERY: Duration = Duration::from_secs(30);
/// While runs are in progress or were created lately, new runs are found soon enough to see them happen.
const ACTIVE_ROUND_EVERY: Duration = Duration::from_secs(5);
const ACTIVE_FOR_MS: i64 = 5 * 60_000;
/// The interval between attempts to take over a workspace that another process syncs.
const TAKE_OVER_EVERY: Duration = Duration::from_secs(5);
const FIRST_RETRY: Duration = Duration::from_secs(1);
pub const RETRY: Backoff = Backoff::new(FIRST_RETRY, Duration::from_secs(60));
const MAX_RETRY_AFTER: Duration = Duration::from_secs(300);
/// Logs fetched in one round, and how many at a time.
const LOGS_PER_ROUND: u32 = 100;
const LOGS_AT_ONCE: usize = 4;
/// Compressed logs that wait to be stored. A round with more ends early.
const MAX_WAITING_BYTES: usize = 16 * 1024 * 1024;
/// The interval between refreshes of runs in progress. The end of an observed run comes with its events.
const REFRESH_EVERY_MS: i64 = 25_000;
/// Runs in progress that are refreshed in one round.
const IN_PROGRESS_PER_ROUND: u32 = 50;
const PRICES_EVERY_MS: i64 = 10 * 60_000;
const SIGNED_OUT: &str = "No sign-in can be used for syncing. Syncing resumes after the next sign-in.";

pub struct Syncer {
    state: AppState,
    workspace_id: WorkspaceId,
    slug: String,
    wake: Arc<Notify>,
    prices_at_ms: i64,
    retry_later: RetryLater,
    observed: ObservedRuns,
    refreshed_at_ms: i64,
    /// The cursor of the refresh of runs in progress.
    in_progress_below: Option<i64>,
}

/// The outcome of a round.
enum Round {
    MoreToDo,
    Done,
}

impl Syncer {
    pub fn new(state: AppState, workspace_id: WorkspaceId, slug: String, wake: Arc<Notify>) -> Self {
        let retry_later = RetryLater::default();
        let observed = ObservedRuns::default();
        Self {
            state,
            workspace_id,
            slug,
            wake,
            prices_at_ms: 0,
            retry_later,
            observed,
            refreshed_at_ms: 0,
            in_progress_below: None,
        }
    }

    /// Runs until no credential for the workspace is accepted any more.
    pub async fn run(mut self) {
        let mut retry = RETRY;
        loop {
            let wait = match self.round().await {
                Ok(Some(Round::MoreToDo)) => Duration::ZERO,
                Ok(Some(Round::Done)) => self.round_every().await,
                Ok(None) => TAKE_OVER_EVERY,
                Err(Error::Mantyx(MantyxError::RateLimited { retry_after })) => {
                    let wait = retry_after.unwrap_or_else(|| retry.next_delay()).clamp(FIRST_RETRY, MAX_RETRY_AFTER);
                    let asked = MantyxError::RateLimited { retry_after: Some(wait) };
                    self.state.mirror.refresh_gate.hold_off(self.workspace_id, asked);
                    // MANTYX asked for this pause, so a wake-up does not shorten it.
                    tokio::time::sleep(wait).await;
                    continue;
                }
                Err(Error::Mantyx(MantyxError::Unauthorized)) => {
                    tracing::info!("no credential is accepted any more; sync stopped");
                    self.record_error(SIGNED_OUT.to_owned()).await;
                    // A process with another credential can continue at once.
                    self.state.store.release_sync_lock(self.workspace_id).await;
                    return;
                }
                Err(error) => {
                    tracing::warn!(%error, "sync round failed; retrying");
                    self.record_error(app::AppError::from(error).advice()).await;
                    tokio::time::sleep(retry.next_delay()).await;
                    continue;
                }
            };
            retry.reset();
            if !wait.is_zero() {
                let woken = tokio::time::timeout(wait, self.wake.notified()).await.is_ok();
                if woken {
                    self.refreshed_at_ms = 0;
                }
            }
        }
    }

    async fn round_every(&self) -> Duration {
        let newest_ms = match self.state.store.sync_state(self.workspace_id).await {
            Ok(sync) => sync.known_until_ms,
            Err(_) => 0,
        };
        let is_active = !self.observed.is_empty() || now_ms() - newest_ms < ACTIVE_FOR_MS;
        if is_active { ACTIVE_ROUND_EVERY } else { ROUND_EVERY }
    }

    async fn record_error(&self, message: String) {
        let record = |now: &mut crate::store::SyncState| now.last_error = Some(message);
        if let Err(error) = self.state.store.update_sync_state(self.workspace_id, record).await {
            tracing::warn!(%error, "cannot store the sync state");
        }
    }

    /// Runs one round. Returns `None` when another process syncs this workspace.
    async fn round(&mut self) -> Result<Option<Round>, Error> {
        if !self.state.store.acquire_sync_lock(self.workspace_id).await? {
            // The other process follows the runs.
            self.observed = ObservedRuns::default();
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
        sessions::sync_head(&self.state, &caller).await?;
        self.observed.update(&self.state, &caller).await?;
        if now_ms() - self.refreshed_at_ms >= REFRESH_EVERY_MS {
            self.refresh_in_progress(&caller).await?;
            self.refreshed_at_ms = now_ms();
        }
        self.state.store.tag_launched_runs(self.workspace_id).await?;
        if self.state.store.sync_state(self.workspace_id).await?.paused {
            return Ok(Some(Round::Done));
        }
        if can_list {
            more |= list::sync_history_page(&self.state, &caller).await? == Some(true);
        }
        more |= sessions::sync_history_page(&self.state, &caller).await?;
        more |= self.fetch_logs(&caller).await?;
        Ok(Some(if more { Round::MoreToDo } else { Round::Done }))
    }

    /// Returns the caller to sync as: the operator's key, or else a signed-in user whose grant is still accepted.
    async fn caller(&self) -> Result<Caller, Error> {
        let credentials = match &self.state.api_key {
            Some(key) if key.workspace_id.get() == Some(&self.workspace_id) => {
                vec![Credential::Bearer(key.bearer.clone())]
            }
            _ => {
                let grants = self.state.store.grants_of(self.workspace_id).await?;
                let reading = grants.into_iter().filter(|grant| includes(&grant.scopes, RUNS_READ));
                reading.map(|grant| Credential::Grant(grant.id)).collect()
            }
        };
        for credential in credentials {
            let (workspace_id, slug, actor) = (self.workspace_id, self.slug.clone(), Actor::default());
            let caller = Caller { workspace_id, slug, credential, actor };
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
            // Costs are optional.
            Err(MantyxError::MissingScope { .. } | MantyxError::NotFound) => {}
            Err(error) => return Err(error.into()),
        }
        self.prices_at_ms = now;
        Ok(())
    }

    /// Refreshes runs in progress, whose row may be far down MANTYX's list by now. A part of them in each round, in turn.
    async fn refresh_in_progress(&mut self, caller: &Caller) -> Result<(), Error> {
        let wanted = IN_PROGRESS_PER_ROUND.saturating_add(self.retry_later.len());
        let found = self.state.store.unfinished_runs(self.workspace_id, self.in_progress_below, wanted).await?;
        self.in_progress_below = found.last().filter(|_| found.len() == wanted as usize).map(|(n, _)| *n);
        let ids = found.into_iter().map(|(_, id)| id).collect();
        for run_id in self.retry_later.filter_due(ids, wanted) {
            let synced = self.state.mirror.sync_snapshot(&self.state, caller, &run_id).await;
            self.note_outcome(&run_id, synced).await?;
        }
        Ok(())
    }

    /// Fetches logs of ended runs, newest first. Returns true when some are left.
    async fn fetch_logs(&mut self, caller: &Caller) -> Result<bool, Error> {
        let wanted = LOGS_PER_ROUND.saturating_add(self.retry_later.len());
        let missing = self.state.store.ended_runs_without_log(self.workspace_id, wanted).await?;
        let missing = self.retry_later.filter_due(missing, LOGS_PER_ROUND);
        let mut has_more = missing.len() == LOGS_PER_ROUND as usize;
        let state = self.state.clone();
        let mut fetches = futures::stream::iter(missing)
            .map(|run_id| async {
                let fetched = state.mirror.fetch_run(&state, caller, &run_id).await;
                (run_id, fetched)
            })
            .buffer_unordered(LOGS_AT_ONCE);
        // Stored together: a transaction for each would take longer than the fetch.
        let mut whole = Vec::new();
        let mut failed = None;
        while let Some((run_id, fetched)) = fetches.next().await {
            let fetched = fetched.map(|run| whole.extend(run.map(|run| run.update)));
            if let Err(error) = self.note_outcome(&run_id, fetched).await {
                failed = Some(error);
                break;
            }
            if whole.iter().map(RunUpdate::log_bytes).sum::<usize>() > MAX_WAITING_BYTES {
                has_more = true;
                break;
            }
        }
        drop(fetches);
        if let Err(error) = self.state.store.upsert_runs(self.workspace_id, &whole).await {
            let error = Error::from(error);
            if error.cannot_save() {
                return Err(error);
            }
            // One by one, so that a run that cannot be stored does not affect the others.
            for run in whole {
                let stored = self.state.store.upsert_runs(self.workspace_id, std::slice::from_ref(&run)).await;
                if let Err(error) = stored {
                    self.retry_later.schedule(&run.summary.id, &error.into());
                }
            }
        }
        self.state.store.train_dictionary().await?;
        self.state.store.choose_common_words(self.workspace_id).await?;
        failed.map_or(Ok(has_more), Err)
    }

    /// Notes the outcome of a run's sync. Returns errors that would affect all other runs as well.
    async fn note_outcome(&mut self, run_id: &str, outcome: Result<(), Error>) -> Result<(), Error> {
        match outcome {
            Ok(()) => self.retry_later.remove(run_id),
            Err(Error::Mantyx(MantyxError::NotFound)) => {
                self.retry_later.remove(run_id);
                self.state.store.mark_log_gone(self.workspace_id, run_id).await?;
            }
            Err(error) => {
                if !unrelated_to_run(&error) {
                    self.retry_later.schedule(run_id, &error);
                }
                if affects_all_runs(&error) {
                    return Err(error);
                }
            }
        }
        Ok(())
    }
}
