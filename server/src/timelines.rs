//! A cache of folded logs. Concurrent viewers of a run share one fold.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use domain::LockExt;
use protocol::timeline::Replay;

use crate::auth::Caller;
use crate::error::Error;
use crate::keyed_locks::KeyedLocks;
use crate::state::AppState;
use crate::store::{MAX_RECORD_ATTEMPTS, Origin, Store, WorkspaceId};

/// Events kept in memory, over all logs: about 100 bytes and the payload each.
const MAX_EVENTS: usize = 250_000;

/// Events read from the database at a time.
const CHUNK: u32 = 5_000;

type Key = (WorkspaceId, String);

#[derive(Clone, Debug, Default)]
pub struct TimelineCache {
    /// The least recently used log first.
    entries: Arc<Mutex<Vec<Entry>>>,
    folding: KeyedLocks<Key>,
    folds: Arc<AtomicU64>,
}

#[derive(Debug)]
struct Entry {
    key: Key,
    replay: Arc<Replay>,
}

impl TimelineCache {
    /// Returns a run's log as far as it is stored, folded.
    pub async fn replay(&self, state: &AppState, caller: &Caller, run_id: &str) -> Result<Arc<Replay>, Error> {
        self.load(&state.store, caller.workspace_id, run_id).await
    }

    /// Records what a run's stored log says about the run, from the cached fold.
    pub async fn record(&self, store: &Store, workspace: WorkspaceId, run_id: &str) -> Result<(), Error> {
        for _ in 0..MAX_RECORD_ATTEMPTS {
            let replay = self.load(store, workspace, run_id).await?;
            if store.record_log(workspace, run_id, replay.events(), replay.latest()).await? {
                break;
            }
            // Events came out of order, before others that were folded already.
            drop(self.remove(&(workspace, run_id.to_owned())));
        }
        Ok(())
    }

    /// Adds a log that was folded on its way into the store.
    pub fn insert(&self, workspace: WorkspaceId, run_id: &str, replay: Replay) {
        self.folds.fetch_add(1, Ordering::Relaxed);
        self.put((workspace, run_id.to_owned()), Arc::new(replay));
    }

    /// Returns how many logs were folded from their first event since the start.
    pub fn folds(&self) -> u64 {
        self.folds.load(Ordering::Relaxed)
    }

    /// Returns a stored log, folded.
    pub async fn load(&self, store: &Store, workspace: WorkspaceId, run_id: &str) -> Result<Arc<Replay>, Error> {
        let key = (workspace, run_id.to_owned());
        let _folding = self.folding.lock(key.clone()).await;
        let last_seq = store.last_seq(workspace, run_id).await?;
        let cached = self.remove(&key);
        if let Some(replay) = cached.as_ref().filter(|replay| is_current(replay, last_seq)) {
            self.put(key, replay.clone());
            return Ok(replay.clone());
        }
        let mut replay = match cached {
            // A log that has grown is folded on from where it was.
            Some(replay) => Arc::unwrap_or_clone(replay),
            None => {
                self.folds.fetch_add(1, Ordering::Relaxed);
                Replay::new(store.read_log(workspace, run_id).await?)
            }
        };
        loop {
            let events = store.events_after(workspace, run_id, replay.latest().last_seq(), CHUNK).await?;
            if events.is_empty() {
                break;
            }
            events.into_iter().for_each(|event| replay.push(event));
        }
        let run = store.run(workspace, run_id).await?;
        // A file may have events in any order, so the fold of a part of it cannot be continued.
        let is_importing = run.as_ref().is_some_and(|run| run.origin == Origin::Imported && !run.status.is_terminal());
        // A run can have ended although its log has no end. The page then says that the log is incomplete.
        match run {
            Some(run) if run.origin == Origin::Imported && run.status.is_terminal() => replay.set_cut_off(),
            Some(run) => replay.set_known_end(run.status),
            None => {}
        }
        let replay = Arc::new(replay);
        if !is_importing {
            self.put(key, replay.clone());
        }
        Ok(replay)
    }

    fn remove(&self, key: &Key) -> Option<Arc<Replay>> {
        let mut entries = self.entries.locked();
        let position = entries.iter().position(|entry| entry.key == *key)?;
        Some(entries.remove(position).replay)
    }

    fn put(&self, key: Key, replay: Arc<Replay>) {
        let mut entries = self.entries.locked();
        entries.retain(|entry| entry.key != key);
        entries.push(Entry { key, replay });
        let mut events: usize = entries.iter().map(|entry| entry.replay.len()).sum();
        // The newest log stays, however long it is: its viewer will ask for it again.
        while events > MAX_EVENTS && entries.len() > 1 {
            events -= entries.remove(0).replay.len();
        }
    }
}

/// Returns true when nothing can have changed. A log without its end is loaded again: the run may have ended since.
fn is_current(replay: &Replay, last_seq: u64) -> bool {
    replay.latest().last_seq() == last_seq && replay.latest().status().is_terminal()
}
