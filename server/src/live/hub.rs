//! The hub of live runs: one stream from MANTYX for each watched run.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use domain::{Backoff, LockExt};
use tokio::sync::watch;
use tracing::Instrument;

use crate::auth::Caller;
use crate::error::Error;
use crate::mantyx::MantyxError;
use crate::mirror::{CATCH_UP_PAUSE, open_stream, record_log_facts, store_events};
use crate::state::AppState;
use crate::store::WorkspaceId;

const RETRY: Backoff = Backoff::new(Duration::from_millis(250), Duration::from_secs(10));
/// Time that a page waits for the rest of an ended run's log.
const END_TIMEOUT: Duration = Duration::from_secs(1);

type Followed = HashMap<(WorkspaceId, String), watch::Sender<Progress>>;

#[derive(Clone, Debug, Default)]
pub struct Hub {
    followed: Arc<Mutex<Followed>>,
}

/// The progress of one followed run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// The number of batches stored.
    pub batches: u64,
    /// Nothing more will come: the run has ended, or it can no longer be read.
    pub ended: bool,
    /// MANTYX's stream broke and is not connected again yet.
    pub disconnected: bool,
}

impl Hub {
    /// Returns the number of watchers, and of runs that they watch.
    pub fn count_watchers(&self) -> (usize, usize) {
        let followed = self.followed.locked();
        let watchers = followed.values().map(watch::Sender::receiver_count).filter(|count| *count > 0);
        watchers.fold((0, 0), |(streams, runs), count| (streams + count, runs + 1))
    }

    /// Follows a run. All followers share one stream from MANTYX, which stays open until the last receiver is dropped.
    pub fn follow(&self, state: &AppState, caller: &Caller, run_id: &str) -> watch::Receiver<Progress> {
        let mut followed = self.followed.locked();
        followed.retain(|_, progress| progress.receiver_count() > 0);
        let key = (caller.workspace_id, run_id.to_owned());
        if let Some(progress) = followed.get(&key)
            && !progress.borrow().ended
        {
            return progress.subscribe();
        }
        let (progress, receiver) = watch::channel(Progress::default());
        followed.insert(key, progress.clone());
        let span = tracing::info_span!("follow run", run_id, workspace = %caller.workspace_id);
        tokio::spawn(follow_run(state.clone(), caller.clone(), run_id.to_owned(), progress).instrument(span));
        receiver
    }

    /// Returns true while a run is followed.
    pub fn follows(&self, workspace: WorkspaceId, run_id: &str) -> bool {
        self.subscribe(workspace, run_id).is_some()
    }

    /// Waits for a moment until a followed run has events in the store: its first batch or, if it has ended, its last.
    pub async fn wait_until_stored(&self, workspace: WorkspaceId, run_id: &str, in_progress: bool) {
        let Some(mut progress) = self.subscribe(workspace, run_id) else { return };
        let timeout = if in_progress { CATCH_UP_PAUSE } else { END_TIMEOUT };
        let is_stored = |progress: &Progress| progress.ended || (in_progress && progress.batches > 0);
        // On timeout the page shows what is stored, and the relay sends the rest.
        let _ = tokio::time::timeout(timeout, progress.wait_for(is_stored)).await;
    }

    fn subscribe(&self, workspace: WorkspaceId, run_id: &str) -> Option<watch::Receiver<Progress>> {
        let followed = self.followed.locked();
        let progress = followed.get(&(workspace, run_id.to_owned()))?;
        (progress.receiver_count() > 0 && !progress.borrow().ended).then(|| progress.subscribe())
    }
}

/// A background task that stores one run's events as they come.
async fn follow_run(state: AppState, caller: Caller, run_id: String, progress: watch::Sender<Progress>) {
    let mut retry = RETRY;
    loop {
        let followed = tokio::select! {
            followed = follow_once(&state, &caller, &run_id, &progress, &mut retry) => followed,
            () = progress.closed() => return,
            () = state.shutdown.cancelled() => return,
        };
        match followed {
            Ok(true) => break,
            Ok(false) => {}
            Err(Error::Mantyx(
                error @ (MantyxError::Unauthorized | MantyxError::NotFound | MantyxError::MissingScope { .. }),
            )) => {
                tracing::info!(%error, "live stream rejected; giving up");
                break;
            }
            Err(error) => {
                tracing::info!(%error, "live stream broke; reconnecting");
                progress.send_modify(|progress| progress.disconnected = true);
            }
        }
        tokio::time::sleep(retry.next_delay()).await;
    }
    if let Err(error) = finish(&state, &caller, &run_id).await {
        tracing::warn!(%error, "cannot record the end of a run");
    }
    progress.send_modify(|progress| progress.ended = true);
}

/// Follows one connection, from the last stored event. Returns true when the log is complete.
async fn follow_once(
    state: &AppState,
    caller: &Caller,
    run_id: &str,
    progress: &watch::Sender<Progress>,
    retry: &mut Backoff,
) -> Result<bool, Error> {
    if state.store.run_spec_and_log_state(caller.workspace_id, run_id).await?.1 {
        return Ok(true);
    }
    let last_seq = state.store.last_seq(caller.workspace_id, run_id).await?;
    let mut stream = open_stream(state, caller, run_id, last_seq).await?;
    progress.send_if_modified(|progress| std::mem::take(&mut progress.disconnected));
    // Earlier events come at once. After the first pause, events come as they happen.
    let mut live = false;
    loop {
        let earlier = if live { None } else { tokio::time::timeout(CATCH_UP_PAUSE, stream.next_batch()).await.ok() };
        live = earlier.is_none();
        let batch = match earlier {
            Some(batch) => batch?,
            None => stream.next_batch().await?,
        };
        let Some(batch) = batch else { return Ok(false) };
        retry.reset();
        let ended = store_events(state, caller, run_id, &batch, live).await?;
        progress.send_modify(|progress| progress.batches += 1);
        if ended {
            return Ok(true);
        }
    }
}

/// Records the end of a run: marks come from its log, totals from its snapshot.
async fn finish(state: &AppState, caller: &Caller, run_id: &str) -> Result<(), Error> {
    record_log_facts(state, caller, run_id).await?;
    state.mirror.sync_snapshot(state, caller, run_id).await
}
