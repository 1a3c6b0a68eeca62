//! Follows one run at MANTYX for all its viewers, and stores its events. When a viewer's credential is refused or ends, another
//! one of the workspace is used.

use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use domain::{Backoff, LockExt};
use tokio::sync::watch;

use super::hub::Progress;
use crate::audit::Actor;
use crate::auth::scopes::{RUNS_READ, includes};
use crate::auth::{Caller, Credential};
use crate::error::Error;
use crate::mantyx::MantyxError;
use crate::mirror::{CATCH_UP_PAUSE, LogStream, record_log_facts, store_events};
use crate::state::AppState;
use crate::store::WorkspaceId;

const RETRY: Backoff = Backoff::new(Duration::from_millis(250), Duration::from_secs(10));
/// Viewers whose credentials are kept. Consents of the workspace come after them.
const MAX_VIEWERS: usize = 32;
/// A stream that has brought only small batches for this long brings events as they happen, also without a pause.
const LIVE_AFTER: Duration = Duration::from_secs(1);
/// Earlier events come in larger batches.
const SMALL_BATCH: usize = 32;

/// Those who watch a run, and with whose credentials it can be read.
#[derive(Clone, Debug, Default)]
pub struct Viewers(Arc<Mutex<Vec<Caller>>>);

impl Viewers {
    pub fn new(caller: &Caller) -> Self {
        Self(Arc::new(Mutex::new(vec![caller.clone()])))
    }

    pub fn add(&self, caller: &Caller) {
        let mut viewers = self.0.locked();
        if viewers.len() < MAX_VIEWERS && viewers.iter().all(|viewer| viewer.credential != caller.credential) {
            viewers.push(caller.clone());
        }
    }

    /// Returns a caller who may read the run: a viewer, another user of the workspace, or the operator's key.
    async fn choose(
        &self,
        state: &AppState,
        workspace_id: WorkspaceId,
        refused: &HashSet<Credential>,
    ) -> Result<Option<Caller>, Error> {
        let viewers = self.0.locked().clone();
        for caller in viewers.into_iter().filter(|caller| !refused.contains(&caller.credential)) {
            let is_usable = match &caller.credential {
                Credential::Bearer(_) => true,
                Credential::Grant(id) => {
                    state.store.grant(id).await?.is_some_and(|grant| includes(&grant.scopes, RUNS_READ))
                }
            };
            if is_usable {
                return Ok(Some(caller));
            }
        }
        let Some(slug) = state.store.workspace_slug(workspace_id).await? else { return Ok(None) };
        let grants = state.store.grants_of(workspace_id).await?;
        let grants = grants.into_iter().filter(|grant| includes(&grant.scopes, RUNS_READ));
        let key = state.api_key.as_ref().filter(|key| key.slug == slug);
        let key = key.map(|key| Credential::Bearer(key.bearer.clone()));
        let mut others = grants.map(|grant| Credential::Grant(grant.id)).chain(key);
        let credential = others.find(|credential| !refused.contains(credential));
        Ok(credential.map(|credential| Caller { workspace_id, slug, credential, actor: Actor::default() }))
    }
}

/// When a run started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// This server has launched it: its first events come as they happen.
    JustNow,
    /// Some time ago: events before the first pause of its stream were in the log for an unknown time.
    Earlier,
}

/// A background task that stores one run's events as they come.
pub async fn follow_run(
    state: AppState,
    workspace: WorkspaceId,
    viewers: Viewers,
    run_id: String,
    progress: watch::Sender<Progress>,
    mut start: Start,
) {
    let mut retry = RETRY;
    let mut refused = HashSet::new();
    let mut last_caller = None;
    loop {
        let caller = match viewers.choose(&state, workspace, &refused).await {
            Ok(Some(caller)) => caller,
            Ok(None) => {
                tracing::info!("no user of the workspace may read this run any more; giving up");
                break;
            }
            Err(error) => {
                tracing::warn!(%error, "cannot choose a credential to follow a run; retrying");
                tokio::time::sleep(retry.next_delay()).await;
                continue;
            }
        };
        // After a break of the stream, events may have been in the log for a while.
        let start = std::mem::replace(&mut start, Start::Earlier);
        let followed = tokio::select! {
            followed = follow_once(&state, &caller, &run_id, &progress, &mut retry, start) => followed,
            () = grant_ended(&state, &caller) => Err(MantyxError::Unauthorized.into()),
            () = progress.closed() => return,
            () = state.shutdown.cancelled() => return,
        };
        last_caller = Some(caller.clone());
        match followed {
            Ok(true) => break,
            Ok(false) => {}
            Err(Error::Mantyx(error @ (MantyxError::Unauthorized | MantyxError::MissingScope { .. }))) => {
                tracing::info!(%error, "a credential is no longer accepted; following the run with another one");
                refused.insert(caller.credential);
                continue;
            }
            Err(Error::Mantyx(error @ MantyxError::NotFound)) => {
                tracing::info!(%error, "live stream rejected; giving up");
                break;
            }
            Err(Error::Store(crate::store::Error::RowNotFound)) => {
                tracing::info!("the run was deleted; no longer following it");
                break;
            }
            Err(error) => {
                tracing::info!(%error, "live stream broke; reconnecting");
                progress.send_modify(|progress| progress.disconnected = true);
            }
        }
        tokio::time::sleep(retry.next_delay()).await;
    }
    if let Some(caller) = last_caller
        && let Err(error) = finish(&state, &caller, &run_id).await
    {
        tracing::warn!(%error, "cannot record the end of a run");
    }
    state.waiting.changed(workspace);
    progress.send_modify(|progress| progress.ended = true);
}

/// Waits until the grant that a run is followed with ends in this process.
async fn grant_ended(state: &AppState, caller: &Caller) {
    let Credential::Grant(id) = &caller.credential else { return std::future::pending().await };
    let mut ended = state.credentials.watch_ended();
    while ended.changed().await.is_ok() {
        if matches!(state.store.grant(id).await, Ok(None)) {
            return;
        }
    }
    std::future::pending().await
}

/// Follows one connection, from the last stored event. Returns true when the log is complete.
async fn follow_once(
    state: &AppState,
    caller: &Caller,
    run_id: &str,
    progress: &watch::Sender<Progress>,
    retry: &mut Backoff,
    start: Start,
) -> Result<bool, Error> {
    if state.store.run_spec_and_log_state(caller.workspace_id, run_id).await?.1 {
        return Ok(true);
    }
    let last_seq = state.store.last_seq(caller.workspace_id, run_id).await?;
    let mut stream = LogStream::open(state, caller, run_id, last_seq).await?;
    progress.send_if_modified(|progress| std::mem::take(&mut progress.disconnected));
    let mut pace = Pace::new(start == Start::JustNow && last_seq == 0);
    loop {
        let earlier =
            if pace.live { None } else { tokio::time::timeout(CATCH_UP_PAUSE, stream.next_batch()).await.ok() };
        let batch = match earlier {
            Some(batch) => batch?,
            None => {
                pace.live = true;
                stream.next_batch().await?
            }
        };
        let Some(batch) = batch else { return Ok(false) };
        pace.note_batch(batch.len(), Instant::now());
        let live = pace.live;
        let ended = store_events(state, caller, run_id, &batch, live).await?;
        // Lists and conversations show that the run waits for an answer.
        if !ended && batch.iter().any(|event| event.kind.starts_with("local_tool_")) {
            record_log_facts(state, caller, run_id).await?;
            state.waiting.changed(caller.workspace_id);
        }
        // Only now: events that cannot be stored, as on a full disk, are no progress.
        retry.reset();
        progress.send_modify(|progress| progress.batches += 1);
        if ended {
            return Ok(true);
        }
    }
}

/// Whether a connection brings earlier events, which come at once, or events as they happen: after its first pause, or after a
/// while of small batches.
struct Pace {
    live: bool,
    small_since: Instant,
}

impl Pace {
    fn new(live: bool) -> Self {
        Self { live, small_since: Instant::now() }
    }

    fn note_batch(&mut self, events: usize, now: Instant) {
        if events > SMALL_BATCH {
            self.small_since = now;
        }
        self.live |= now.duration_since(self.small_since) >= LIVE_AFTER;
    }
}

/// Records the end of a run: totals come from its snapshot, marks from its log. The snapshot comes first, because the text
/// index is written with the log, and has words of both.
async fn finish(state: &AppState, caller: &Caller, run_id: &str) -> Result<(), Error> {
    state.mirror.sync_snapshot(state, caller, run_id).await?;
    record_log_facts(state, caller, run_id).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_without_a_pause_becomes_live_after_a_while_of_small_batches() {
        let mut pace = Pace::new(false);
        let start = pace.small_since;
        let at = |ms| start + Duration::from_millis(ms);
        for ms in [100, 900, 1_500] {
            pace.note_batch(SMALL_BATCH + 1, at(ms));
        }
        assert!(!pace.live, "earlier events still come");
        for ms in (1_600..2_500).step_by(100) {
            pace.note_batch(1, at(ms));
        }
        assert!(!pace.live);
        pace.note_batch(1, at(2_500));
        assert!(pace.live);
        pace.note_batch(SMALL_BATCH + 1, at(2_600));
        assert!(pace.live, "a burst does not make it earlier again");
    }
}
