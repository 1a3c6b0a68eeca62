//! Syncs one run: its snapshot and its log.

use protocol::timeline::Replay;

use super::freshness::freshness_after;
use super::log::{self, Fetched, WholeLog};
use super::log_stream::LogStream;
use super::{Freshness, Mirror};
use crate::auth::Caller;
use crate::clock::now_ms;
use crate::error::Error;
use crate::mantyx::MantyxError;
use crate::state::AppState;
use crate::store::RunUpdate;

/// An ended run with its whole log.
pub(super) struct FetchedRun {
    pub update: RunUpdate,
    pub replay: Replay,
}

impl Mirror {
    /// Syncs one run: its snapshot, and its log as far as MANTYX has stored it. Concurrent viewers share one sync.
    pub async fn sync_run(&self, state: &AppState, caller: &Caller, run_id: &str) -> Result<Freshness, Error> {
        let workspace = caller.workspace_id;
        if state.store.needs_no_sync(workspace, run_id).await? {
            return Ok(Freshness::Fresh);
        }
        if let Some(error) = self.refresh_gate.recent_failure(workspace)
            && state.store.run(workspace, run_id).await?.is_some()
        {
            return Ok(Freshness::Stale(error));
        }
        let mut shared = self.run_syncs.lock((workspace, run_id.to_owned())).await;
        // The result of another viewer's sync, which this one waited for.
        if let Some(freshness) = shared.clone() {
            return Ok(freshness);
        }
        // Another sync may have ended between the first check and the lock.
        if state.store.needs_no_sync(workspace, run_id).await? {
            return Ok(Freshness::Fresh);
        }
        let freshness = match self.fetch_and_store(state, caller, run_id).await {
            Ok(()) => Freshness::Fresh,
            Err(error) => freshness_after(error)?,
        };
        *shared = Some(freshness.clone());
        Ok(freshness)
    }

    async fn fetch_and_store(&self, state: &AppState, caller: &Caller, run_id: &str) -> Result<(), Error> {
        if let Some(FetchedRun { update, replay }) = self.fetch_run(state, caller, run_id).await? {
            state.store.upsert_runs(caller.workspace_id, &[update]).await?;
            state.timelines.insert(caller.workspace_id, run_id, replay);
        }
        Ok(())
    }

    /// Returns a run that has ended, ready to be stored as a whole. Of any other run, stores what there is by now.
    pub(super) async fn fetch_run(
        &self,
        state: &AppState,
        caller: &Caller,
        run_id: &str,
    ) -> Result<Option<FetchedRun>, Error> {
        let update = self.fetch_snapshot(state, caller, run_id).await?;
        let in_progress = !update.summary.status.is_terminal();
        if state.live.follows(caller.workspace_id, run_id) {
            // The hub stores what its stream brings: a second stream would bring the same.
            state.store.upsert_runs(caller.workspace_id, &[update]).await?;
            state.live.wait_until_stored(caller.workspace_id, run_id, in_progress).await;
            log::record_log_facts(state, caller, run_id).await?;
            self.sync_totals(state, caller, run_id, in_progress).await?;
            return Ok(None);
        }
        let last_seq = state.store.last_seq(caller.workspace_id, run_id).await?;
        let mut stream = LogStream::open(state, caller, run_id, last_seq).await?;
        let mut first_events = Vec::new();
        if !in_progress && last_seq == 0 {
            let spec = update.spec.as_deref().and_then(|spec| serde_json::from_str(spec).ok());
            match log::read_ended(state, &mut stream, spec.as_ref()).await? {
                Fetched::Whole(whole) => {
                    let WholeLog { log, replay } = *whole;
                    return Ok(Some(FetchedRun { update: RunUpdate { log: Some(log), ..update }, replay }));
                }
                Fetched::Partial(events) => first_events = events,
            }
        }
        state.store.upsert_runs(caller.workspace_id, &[update]).await?;
        log::store_stream(state, caller, run_id, stream, first_events, in_progress).await?;
        self.sync_totals(state, caller, run_id, in_progress).await?;
        Ok(None)
    }

    /// Syncs the totals of a run that ended after its snapshot was read and before its log was.
    async fn sync_totals(
        &self,
        state: &AppState,
        caller: &Caller,
        run_id: &str,
        was_in_progress: bool,
    ) -> Result<(), Error> {
        if was_in_progress && state.store.needs_no_sync(caller.workspace_id, run_id).await? {
            self.sync_snapshot(state, caller, run_id).await?;
            // The text index has words of the snapshot too.
            log::record_log_facts(state, caller, run_id).await?;
        }
        Ok(())
    }

    /// Syncs a run's spec, totals and status.
    pub async fn sync_snapshot(&self, state: &AppState, caller: &Caller, run_id: &str) -> Result<(), Error> {
        let update = self.fetch_snapshot(state, caller, run_id).await?;
        state.store.upsert_runs(caller.workspace_id, &[update]).await?;
        Ok(state.store.tag_launched_runs(caller.workspace_id).await?)
    }

    async fn fetch_snapshot(&self, state: &AppState, caller: &Caller, run_id: &str) -> Result<RunUpdate, Error> {
        let snapshot = state
            .credentials
            .call(caller, |bearer| async move { state.mantyx.run(&bearer, &caller.slug, run_id).await })
            .await?;
        if snapshot.id() != Some(run_id) {
            return Err(MantyxError::Unexpected("another run than the one asked for".to_owned()).into());
        }
        let update = RunUpdate::from_snapshot(&snapshot, now_ms())
            .ok_or_else(|| MantyxError::Unexpected("a run in an unknown state".to_owned()))?;
        match state.store.is_run_erased(caller.workspace_id, &update.summary).await? {
            true => Err(MantyxError::NotFound.into()),
            false => Ok(update),
        }
    }
}
