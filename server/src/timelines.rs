//! A cache of folded logs. Concurrent viewers of a run share one fold.

use std::ops::Deref;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

use app::AppError;
use domain::LockExt;
use protocol::timeline::Replay;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::auth::Caller;
use crate::bounded_cache::BoundedCache;
use crate::error::Error;
use crate::keyed_locks::KeyedLocks;
use crate::state::AppState;
use crate::store::{MAX_RECORD_ATTEMPTS, Origin, Store, WorkspaceId};

/// Memory for cached logs, by estimate. A larger log is folded for each viewer, or for those who come at the same time.
const MAX_BYTES: usize = 256 * 1024 * 1024;
/// A log that nobody has read for this long is dropped.
const MAX_AGE: Duration = Duration::from_secs(15 * 60);

/// Logs larger than this as JSON share the permits: a fold takes up to twice that size. A huge one takes all of them.
const LARGE_LOG_BYTES: u64 = 8 * 1024 * 1024;
const HUGE_LOG_BYTES: u64 = 128 * 1024 * 1024;
const LARGE_LOG_PERMITS: u32 = 2;
/// Smaller logs that are folded at the same time: kilobytes of JSON together.
const SMALL_LOGS_KB: usize = 64 * 1024;
const MAX_WAIT: Duration = Duration::from_secs(30);

/// Events read from the database at a time.
const CHUNK: u32 = 5_000;

type Key = (WorkspaceId, String);

/// A log and its timelines.
#[derive(Debug)]
pub struct FoldedLog {
    replay: Replay,
    /// Held by a log that is too large for the cache, until its last viewer is done.
    permit: Option<OwnedSemaphorePermit>,
}

impl Deref for FoldedLog {
    type Target = Replay;

    fn deref(&self) -> &Replay {
        &self.replay
    }
}

#[derive(Clone, Debug)]
pub struct TimelineCache {
    /// Inserted again whenever they are used.
    entries: Arc<Mutex<BoundedCache<Key, Arc<FoldedLog>>>>,
    max_bytes: usize,
    /// Time to wait for permits.
    max_wait: Duration,
    /// The holder of a lock leaves its log to those who wait for it: it may be too large for the cache.
    folding: KeyedLocks<Key, Weak<FoldedLog>>,
    /// From the fold to its record: an older fold must not be recorded after a newer one.
    recording: KeyedLocks<Key>,
    folds: Arc<AtomicU64>,
    /// For large logs that are folded, and for those in use that are not in the cache.
    large_logs: Arc<Semaphore>,
    /// For the others while they are folded, by size.
    small_logs: Arc<Semaphore>,
}

impl Default for TimelineCache {
    fn default() -> Self {
        Self::new(MAX_BYTES)
    }
}

impl TimelineCache {
    fn new(max_bytes: usize) -> Self {
        let entries = Arc::new(Mutex::new(BoundedCache::new(max_bytes, MAX_AGE)));
        let large_logs = Arc::new(Semaphore::new(LARGE_LOG_PERMITS as usize));
        Self {
            entries,
            max_bytes,
            max_wait: MAX_WAIT,
            folding: KeyedLocks::default(),
            recording: KeyedLocks::default(),
            folds: Arc::default(),
            large_logs,
            small_logs: Arc::new(Semaphore::new(SMALL_LOGS_KB)),
        }
    }

    /// Drops logs that nobody has read for a while.
    pub fn drop_unused(&self) {
        self.entries.locked().drop_old(Instant::now());
    }

    /// Returns a run's log as far as it is stored, folded.
    pub async fn replay(&self, state: &AppState, caller: &Caller, run_id: &str) -> Result<Arc<FoldedLog>, Error> {
        self.load(&state.store, caller.workspace_id, run_id).await
    }

    /// Records what a run's stored log says about the run, from the cached fold.
    pub async fn record(&self, store: &Store, workspace: WorkspaceId, run_id: &str) -> Result<(), Error> {
        let _one_at_a_time = self.recording.lock((workspace, run_id.to_owned())).await;
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
        self.put((workspace, run_id.to_owned()), Arc::new(FoldedLog { replay, permit: None }));
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
    pub async fn load(&self, store: &Store, workspace: WorkspaceId, run_id: &str) -> Result<Arc<FoldedLog>, Error> {
        let key = (workspace, run_id.to_owned());
        let mut shared = self.folding.lock(key.clone()).await;
        // Before anything else: who folded it last may drop it soon.
        let in_use = shared.upgrade();
        let last_seq = store.last_seq(workspace, run_id).await?;
        let cached = self.remove(&key).or(in_use);
        if let Some(log) = cached.as_ref().filter(|log| is_current(log, last_seq)) {
            self.put(key, log.clone());
            return Ok(log.clone());
        }
        let (mut replay, permit) = match cached.map(Arc::try_unwrap) {
            // A log that has grown is folded on from where it was.
            Some(Ok(FoldedLog { replay, permit })) => (replay, permit),
            Some(Err(in_use)) if in_use.permit.is_none() => (in_use.replay.clone(), None),
            // A copy of a log beyond the limit would need a second permit, so it is folded once the first is free.
            Some(Err(_)) | None => {
                let permit = self.permit(store.log_bytes(workspace, run_id).await?).await?;
                self.folds.fetch_add(1, Ordering::Relaxed);
                (Replay::new(store.first_events(workspace, run_id, CHUNK).await?), permit)
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
        let permit = permit.filter(|_| replay.memory_bytes() > self.max_bytes);
        let log = Arc::new(FoldedLog { replay, permit });
        if !is_importing {
            *shared = Arc::downgrade(&log);
            self.put(key, log.clone());
        }
        Ok(log)
    }

    /// Waits until a log of this size may be in memory.
    async fn permit(&self, log_bytes: u64) -> Result<Option<OwnedSemaphorePermit>, Error> {
        let (logs, permits) = match log_bytes {
            bytes if bytes > HUGE_LOG_BYTES => (&self.large_logs, LARGE_LOG_PERMITS),
            bytes if bytes > LARGE_LOG_BYTES => (&self.large_logs, 1),
            bytes => (&self.small_logs, u32::try_from(bytes.div_ceil(1024)).unwrap_or(u32::MAX)),
        };
        match timeout(self.max_wait, logs.clone().acquire_many_owned(permits)).await {
            // The semaphore is never closed.
            Ok(permit) => Ok(permit.ok()),
            Err(_) => Err(AppError::Busy.into()),
        }
    }

    fn remove(&self, key: &Key) -> Option<Arc<FoldedLog>> {
        self.entries.locked().remove(key)
    }

    fn put(&self, key: Key, log: Arc<FoldedLog>) {
        let bytes = log.memory_bytes();
        self.entries.locked().insert(key, log, bytes);
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

    #[tokio::test]
    async fn a_log_counts_with_its_size_before_compression() -> anyhow::Result<()> {
        let dir = tempfile::tempdir()?;
        let store = Store::open(&format!("sqlite:{}", dir.path().join("x.db").display())).await?;
        let workspace = store.workspace_from_slug("demo").await?;
        store_run(&store, workspace, "run_1", 10_000_000).await?;
        let as_rows = store.log_bytes(workspace, "run_1").await?;
        let cache = TimelineCache::new(1_000_000);
        cache.record(&store, workspace, "run_1").await?;
        let packed = store.log_bytes(workspace, "run_1").await?;
        assert!(as_rows > 10_000_000 && packed > 10_000_000, "{as_rows} {packed}");
        assert!(cache.load(&store, workspace, "run_1").await?.permit.is_some());
        assert_eq!(store.log_bytes(workspace, "run_unknown").await?, 0);
        Ok(())
    }

    #[tokio::test]
    async fn a_large_log_that_grows_while_it_is_read_is_folded_after_the_reader_is_done() -> anyhow::Result<()> {
        let dir = tempfile::tempdir()?;
        let store = Store::open(&format!("sqlite:{}", dir.path().join("x.db").display())).await?;
        let workspace = store.workspace_from_slug("demo").await?;
        store_run(&store, workspace, "run_1", 140_000_000).await?;
        let cache = TimelineCache { max_wait: Duration::ZERO, ..TimelineCache::new(1_000_000) };
        let reader = cache.load(&store, workspace, "run_1").await?;
        let late = Event::new(3, "result", json!({ "text": "Done." }));
        store.insert_events(workspace, "run_1", &[late], Arrival { at_ms: 0, live: false }).await?;
        assert!(matches!(cache.load(&store, workspace, "run_1").await, Err(Error::App(AppError::Busy))));
        drop(reader);
        assert_eq!(cache.load(&store, workspace, "run_1").await?.len(), 3);
        Ok(())
    }

    #[tokio::test]
    async fn many_small_logs_wait_for_each_other_and_not_for_a_huge_one() {
        let cache = TimelineCache { max_wait: Duration::ZERO, ..TimelineCache::default() };
        let _huge = cache.permit(HUGE_LOG_BYTES + 1).await.ok().flatten().expect("a permit");
        let mut permits = Vec::new();
        while let Ok(permit) = cache.permit(LARGE_LOG_BYTES).await {
            permits.push(permit);
            assert!(permits.len() <= 8, "there is no limit");
        }
        assert_eq!(permits.len(), 8);
        assert!(matches!(cache.permit(1_000_000).await, Err(Error::App(AppError::Busy))));
        permits.pop();
        assert!(cache.permit(1_000_000).await.is_ok());
    }

    #[tokio::test]
    async fn a_huge_log_waits_until_others_are_no_longer_in_use() {
        let cache = TimelineCache { max_wait: Duration::ZERO, ..TimelineCache::default() };
        let permit = async |bytes| cache.permit(bytes).await;
        let large = permit(LARGE_LOG_BYTES + 1).await.ok().flatten();
        let second = permit(HUGE_LOG_BYTES).await.ok().flatten();
        assert!(large.is_some() && second.is_some());
        assert!(matches!(permit(HUGE_LOG_BYTES + 1).await, Err(Error::App(AppError::Busy))));
        drop(large);
        assert!(permit(HUGE_LOG_BYTES + 1).await.is_err(), "one is still in use");
        drop(second);
        let huge = permit(HUGE_LOG_BYTES + 1).await.ok().flatten();
        assert!(huge.is_some() && permit(LARGE_LOG_BYTES + 1).await.is_err());
    }
}
