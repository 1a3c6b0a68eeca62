//! A registry of runs in flight: their committed position, cancellation and pending local tool calls.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, OnceLock};

use domain::LockExt;
use serde_json::Value;
use tokio::sync::{oneshot, watch};
use tokio_util::sync::CancellationToken;

use crate::store::StoredEvent;
use crate::tail::Tail;

#[derive(Clone, Default)]
pub struct LiveRuns {
    runs: Arc<Mutex<HashMap<Arc<str>, Arc<LiveRun>>>>,
}

pub struct LiveRun {
    pub tail: Tail,
    committed: watch::Sender<u64>,
    stop: CancellationToken,
    stop_reason: OnceLock<StopReason>,
    waiting: Mutex<HashMap<String, oneshot::Sender<LocalAnswer>>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    Cancelled(&'static str),
    ShuttingDown,
}

/// The client's answer to a local tool call.
#[derive(Debug)]
pub struct LocalAnswer {
    pub outcome: Result<String, String>,
    /// Name, type and size of each file; never the bytes.
    pub files: Vec<Value>,
}

impl LiveRuns {
    pub fn register(&self, id: Arc<str>) -> Arc<LiveRun> {
        let run = Arc::new(LiveRun {
            tail: Tail::default(),
            committed: watch::channel(0).0,
            stop: CancellationToken::new(),
            stop_reason: OnceLock::new(),
            waiting: Mutex::default(),
        });
        self.runs.locked().insert(id, run.clone());
        run
    }

    pub fn get(&self, id: &str) -> Option<Arc<LiveRun>> {
        self.runs.locked().get(id).cloned()
    }

    /// Announces committed events to followers. Removes the run after its last event.
    pub fn committed(&self, id: &str, events: Vec<StoredEvent>, last: bool) {
        let run = if last { self.runs.locked().remove(id) } else { self.get(id) };
        let (Some(run), Some(seq)) = (run, events.last().map(|event| event.seq)) else { return };
        events.into_iter().for_each(|event| run.tail.push(event));
        run.committed.send_replace(seq as u64);
    }

    pub fn remove(&self, id: &str) {
        self.runs.locked().remove(id);
    }

    pub fn stop_all(&self, reason: StopReason) {
        let runs: Vec<_> = self.runs.locked().values().cloned().collect();
        for run in runs {
            run.stop(reason);
        }
    }
}

impl LiveRun {
    pub fn follow(&self) -> watch::Receiver<u64> {
        self.committed.subscribe()
    }

    /// Keeps the first reason.
    pub fn stop(&self, reason: StopReason) {
        let _ = self.stop_reason.set(reason);
        self.stop.cancel();
    }

    pub async fn stopped(&self) -> StopReason {
        self.stop.cancelled().await;
        self.stop_reason.get().copied().unwrap_or(StopReason::ShuttingDown)
    }

    pub fn stop_requested(&self) -> Option<StopReason> {
        self.stop_reason.get().copied()
    }

    /// Registers a pending call and returns the receiver of its answer.
    pub fn expect_answer(&self, tool_use_id: &str) -> oneshot::Receiver<LocalAnswer> {
        let (sender, receiver) = oneshot::channel();
        self.waiting.locked().insert(tool_use_id.to_owned(), sender);
        receiver
    }

    /// Passes an answer to the run. Returns false if the call is not pending.
    pub fn answer(&self, tool_use_id: &str, answer: LocalAnswer) -> bool {
        let slot = self.waiting.locked().remove(tool_use_id);
        slot.is_some_and(|slot| slot.send(answer).is_ok())
    }
}
