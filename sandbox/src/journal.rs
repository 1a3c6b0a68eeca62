//! The one writer of logs: events are committed in batches, and only then announced to whoever follows the run.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::live::LiveRuns;
use crate::store::{Entry, Store, StoredEvent};

/// Room for waiting entries; even the smallest takes a kilobyte of it, so it bounds their number too. A full queue slows
/// the runs down instead of growing memory.
const QUEUE_KILOBYTES: usize = 16 * 1024;
/// One transaction for what all runs have written meanwhile: the more there is to do, the less each event costs, in pages
/// that are written and in readers that are woken.
const BATCH: usize = 4096;
const RETRY_AFTER: Duration = Duration::from_millis(500);

#[derive(Clone)]
pub struct Journal {
    queue: mpsc::UnboundedSender<Entry>,
    room: Arc<Semaphore>,
}

impl Journal {
    /// Once `closing` is set, the writer writes down what is queued and ends.
    pub fn open(store: Store, live: LiveRuns, closing: CancellationToken) -> (Self, JoinHandle<()>) {
        let (queue, entries) = mpsc::unbounded_channel();
        let room = Arc::new(Semaphore::new(QUEUE_KILOBYTES));
        let writer = tokio::spawn(write(entries, room.clone(), store, live, closing));
        (Self { queue, room }, writer)
    }

    pub async fn append(&self, entry: Entry) {
        if let Ok(room) = self.room.acquire_many(kilobytes(&entry)).await {
            // The writer gives it back when the entry is written down.
            room.forget();
        }
        // Nobody receives only while the process goes down; the next start ends the run.
        let _ = self.queue.send(entry);
    }
}

async fn write(
    mut entries: mpsc::UnboundedReceiver<Entry>,
    room: Arc<Semaphore>,
    store: Store,
    live: LiveRuns,
    closing: CancellationToken,
) {
    let mut batch = Vec::with_capacity(BATCH);
    loop {
        let received = tokio::select! {
            received = entries.recv_many(&mut batch, BATCH) => received,
            () = closing.cancelled(), if !entries.is_closed() => {
                entries.close();
                continue;
            }
        };
        if received == 0 {
            return;
        }
        // Run by run, each in its order: neighbours in the table are written together.
        batch.sort_by(|one, other| one.run_id.cmp(&other.run_id));
        // A log without gaps is worth waiting for: a full disk stops the runs until there is room again.
        while let Err(error) = store.append(&batch).await {
            tracing::error!(%error, events = batch.len(), "cannot write to the log, trying again");
            if closing.is_cancelled() {
                return;
            }
            tokio::time::sleep(RETRY_AFTER).await;
        }
        room.add_permits(batch.iter().map(|entry| kilobytes(entry) as usize).sum());
        announce(&live, batch.drain(..));
    }
}

/// Wakes the readers of each run once, however much of it was written. The entries of a run come together.
fn announce(live: &LiveRuns, batch: impl Iterator<Item = Entry>) {
    let mut batch = batch.peekable();
    while let Some(first) = batch.peek() {
        let run_id = first.run_id.clone();
        let (mut events, mut ended) = (Vec::new(), false);
        while let Some(Entry { seq, kind, data, finish, .. }) = batch.next_if(|entry| entry.run_id == run_id) {
            events.push(StoredEvent { seq: seq as i64, kind: kind.into(), data });
            ended |= finish.is_some();
        }
        live.committed(&run_id, events, ended);
    }
}

/// What an entry takes of the queue's room; the largest fits when it is alone.
fn kilobytes(entry: &Entry) -> u32 {
    (entry.data.len() / 1024 + 1).min(QUEUE_KILOBYTES) as u32
}
