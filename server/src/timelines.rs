//! A cache of folded logs. Concurrent viewers of a run share one fold.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

use domain::LockExt;
use protocol::timeline::Replay;
use tokio::sync::Semaphore;

use crate::auth::Caller;
use crate::bounded_cache::BoundedCache;
use crate::error::Error;
use crate::keyed_locks::KeyedLocks;
use crate::state::AppState;
use crate::store::{MAX_RECORD_ATTEMPTS, Origin, Store, WorkspaceId};

/// Memory for folded logs, by estimate. A larger log is folded for each viewer, or for those who come at the same time.
const MAX_BYTES: usize = 256 * 1024 * 1024;
/// A log that nobody has read for this long is dropped.
const MAX_AGE: Duration = Duration::from_secs(15 * 60);

/// A stored log, which is compressed, from which on few are folded at a time.
const LARGE_LOG_BYTES: u64 = 512 * 1024;
const MAX_LARGE_FOLDS: usize = 2;

/// Events read from the database at a time.
const CHUNK: u32 = 5_000;

type Key = (WorkspaceId, String);

#[derive(Clone, Debug)]
pub struct TimelineCache {
    /// Inserted again whenever they are used.
    entries: Arc<Mutex<BoundedCache<Key, Arc<Replay>>>>,
    /// The holder of a lock leaves its log to those who wait for it: it may be too large for the cache.
    folding: KeyedLocks<Key, Weak<Replay>>,
    folds: Arc<AtomicU64>,
    /// Large logs that are folded at a time: a fold takes many times the size of the stored log.
    large_folds: Arc<Semaphore>,
}

impl Default for TimelineCache {
    fn default() -> Self {
        Self::new(MAX_BYTES)
    }
}

impl TimelineCache {
    fn new(max_bytes: usize) -> Self {
        let entries = Arc::new(Mutex::new(BoundedCache::new(max_bytes, MAX_AGE)));
        let large_folds = Arc::new(Semaphore::new(MAX_LARGE_FOLDS));
        Self { entries, folding: KeyedLocks::default(), folds: Arc::default(), large_folds }
    }

    /// Drops logs that nobody has read for a while.
    pub fn drop_unused(&self) {
        self.entries.locked().drop_old(Instant::now());
    }

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
            self.forget(workspace, run_id);
        }
        Ok(())
    }

    /// Adds a log that was folded on its way into the store.
    pub fn insert(&self, workspace: WorkspaceId, run_id: &str, replay: Replay) {
        self.folds.fetch_add(1, Ordering::Relaxed);
        self.put((workspace, run_id.to_owned()), Arc::new(replay));
    }

    /// Drops the log of a deleted run.
    pub fn forget(&self, workspace: WorkspaceId, run_id: &str) {
        drop(self.remove(&(workspace, run_id.to_owned())));
    }

    /// Returns how many logs were folded from their first event since the start.
    pub fn folds(&self) -> u64 {
        self.folds.load(Ordering::Relaxed)
    }

    /// Returns a stored log, folded.
    pub async fn load(&self, store: &Store, workspace: WorkspaceId, run_id: &str) -> Result<Arc<Replay>, Error> {
        let key = (workspace, run_id.to_owned());
        let mut shared = self.folding.lock(key.clone()).await;
        let last_seq = store.last_seq(workspace, run_id).await?;
        let cached = self.remove(&key).or_else(|| shared.upgrade());
        if let Some(replay) = cached.as_ref().filter(|replay| is_current(replay, last_seq)) {
            self.put(key, replay.clone());
            return Ok(replay.clone());
        }
        let mut _permit = None;
        let mut replay = match cached {
            // A log that has grown is folded on from where it was.
            Some(replay) => Arc::unwrap_or_clone(replay),
            None => {
                let is_large = store.stored_log_bytes(workspace, run_id).await? > LARGE_LOG_BYTES;
                // The semaphore is never closed.
                _permit = if is_large { self.large_folds.acquire().await.ok() } else { None };
                self.folds.fetch_add(1, Ordering::Relaxed);
                Replay::new(store.first_events(workspace, run_id, CHUNK).await?)
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
            *shared = Arc::downgrade(&replay);
            self.put(key, replay.clone());
        }
        Ok(replay)
    }

    fn remove(&self, key: &Key) -> Option<Arc<Replay>> {
        self.entries.locked().remove(key)
    }

    fn put(&self, key: Key, replay: Arc<Replay>) {
        let bytes = replay.memory_bytes();
        self.entries.locked().insert(key, replay, bytes);
    }
}

/// Returns true when nothing can have changed. A log without its end is loaded again: the run may have ended since.
fn is_current(replay: &Replay, last_seq: u64) -> bool {
    replay.latest().last_seq() == last_seq && replay.latest().status().is_terminal()
}

#[cfg(test)]
mod tests {
    use protocol::Event;
    use serde_json::json;

    use super::*;
    use crate::store::{Arrival, RunUpdate};

    /// Stores a run with events that are large and few.
    async fn store_run(store: &Store, workspace: WorkspaceId, run_id: &str, bytes: usize) -> anyhow::Result<()> {
        let row = json!({ "id": run_id, "status": "succeeded", "createdAt": "2026-01-01T00:00:00Z" });
        let row: protocol::messages::RunRow = serde_json::from_value(row)?;
        store.upsert_runs(workspace, &[RunUpdate::from_row(&row).expect("a run")]).await?;
        let events = [
            Event::new(1, "tool_result", json!({ "toolUseId": "a", "content": "x".repeat(bytes) })),
            Event::new(2, "result", json!({ "text": "Done." })),
        ];
        store.insert_events(workspace, run_id, &events, Arrival { at_ms: 0, live: false }).await?;
        Ok(())
    }

    #[tokio::test]
    async fn few_large_events_do_not_exceed_the_memory_limit() -> anyhow::Result<()> {
        let dir = tempfile::tempdir()?;
        let store = Store::open(&format!("sqlite:{}", dir.path().join("x.db").display())).await?;
        let workspace = store.workspace_from_slug("demo").await?;
        let max_bytes = 5_000_000;
        let cache = TimelineCache::new(max_bytes);
        for index in 0..4 {
            let run_id = format!("run_{index}");
            store_run(&store, workspace, &run_id, 1_000_000).await?;
            assert_eq!(cache.load(&store, workspace, &run_id).await?.len(), 2);
            assert!(cache.entries.locked().bytes() <= max_bytes);
        }
        // The newest are kept.
        let folds = cache.folds();
        cache.load(&store, workspace, "run_3").await?;
        assert_eq!(cache.folds(), folds);
        cache.load(&store, workspace, "run_0").await?;
        assert_eq!(cache.folds(), folds + 1);
        Ok(())
    }

    #[tokio::test]
    async fn a_log_beyond_the_limit_is_served_and_shared_but_not_kept() -> anyhow::Result<()> {
        let dir = tempfile::tempdir()?;
        let store = Store::open(&format!("sqlite:{}", dir.path().join("x.db").display())).await?;
        let workspace = store.workspace_from_slug("demo").await?;
        let cache = TimelineCache::new(1_000_000);
        store_run(&store, workspace, "run_1", 1_000_000).await?;
        let (one, two) = tokio::join!(cache.load(&store, workspace, "run_1"), cache.load(&store, workspace, "run_1"));
        let (one, two) = (one?, two?);
        assert!(Arc::ptr_eq(&one, &two) && one.len() == 2);
        assert_eq!((cache.folds(), cache.entries.locked().bytes()), (1, 0));
        Ok(())
    }
}
