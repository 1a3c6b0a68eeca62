//! Follows a run at MANTYX for as long as somebody watches.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use domain::{Backoff, LockExt};
use tokio::sync::watch;

use crate::auth::Caller;
use crate::error::Error;
use crate::mantyx::MantyxError;
use crate::mirror::{QUIET, record_log_facts, store_events};
use crate::state::AppState;
use crate::store::WorkspaceId;

const RETRY: Backoff = Backoff::new(Duration::from_millis(250), Duration::from_secs(10));

type Followed = HashMap<(WorkspaceId, String), watch::Sender<Progress>>;

#[derive(Clone, Debug, Default)]
pub struct Hub {
    followed: Arc<Mutex<Followed>>,
}

/// What watchers wait for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Counts batches stored.
    pub batches: u64,
    /// Nothing more will come: the run has ended, or it can no longer be read.
    pub ended: bool,
    /// MANTYX's stream broke and is not there again yet.
    pub broken: bool,
}

impl Hub {
    /// How many streams there are, and of how many runs.
    pub fn watched(&self) -> (usize, usize) {
        let followed = self.followed.locked();
        let watchers = followed.values().map(watch::Sender::receiver_count).filter(|count| *count > 0);
        watchers.fold((0, 0), |(streams, runs), count| (streams + count, runs + 1))
    }

    /// Follows a run, with whoever follows it already. MANTYX is listened to until the last receiver is dropped.
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
        tokio::spawn(run(state.clone(), caller.clone(), run_id.to_owned(), progress));
        receiver
    }
}

async fn run(state: AppState, caller: Caller, run_id: String, progress: watch::Sender<Progress>) {
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
                MantyxError::Unauthorized | MantyxError::NotFound | MantyxError::MissingScope { .. },
            )) => {
                break;
            }
            Err(error) => {
                tracing::info!(%error, "a live stream broke; it is taken up again");
                progress.send_modify(|progress| progress.broken = true);
            }
        }
        tokio::time::sleep(retry.next_delay()).await;
    }
    if let Err(error) = finish(&state, &caller, &run_id).await {
        tracing::warn!(%error, "a run's end could not be recorded");
    }
    progress.send_modify(|progress| progress.ended = true);
}

/// One connection, from where the store ends. `true` when the log is complete.
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
    let mut stream = state
        .credentials
        .call(caller, |bearer| async move { state.mantyx.stream(&bearer, &caller.slug, run_id, last_seq).await })
        .await?;
    progress.send_if_modified(|progress| std::mem::take(&mut progress.broken));
    // What happened before comes at once; after a pause it is what happens.
    let mut live = false;
    loop {
        let waited = if live { None } else { tokio::time::timeout(QUIET, stream.next_batch()).await.ok() };
        live = waited.is_none();
        let batch = match waited {
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

/// The run has ended: its totals come with its snapshot, its marks from its log.
async fn finish(state: &AppState, caller: &Caller, run_id: &str) -> Result<(), Error> {
    record_log_facts(state, caller, run_id).await?;
    state.mirror.sync_snapshot(state, caller, run_id).await
}
