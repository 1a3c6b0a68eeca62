//! The single writer of all logs: commits events in batches, then announces them to followers.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Semaphore, mpsc};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::live::LiveRuns;
use crate::store::{Entry, Store, StoredEvent};

/// Size of the queue. Each entry takes at least a kilobyte, so this also limits their number. A full queue slows the runs
/// down.
const QUEUE_KILOBYTES: usize = 16 * 1024;
/// Limit for events in one transaction. Larger batches need fewer page writes and wake-ups per event.
const MAX_BATCH: usize = 4096;
const RETRY_DELAY: Duration = Duration::from_millis(500);

#[derive(Clone)]
pub struct Journal {
    queue: mpsc::UnboundedSender<Entry>,
    room: Arc<Semaphore>,
}

impl Journal {
    /// Starts the writer. When `closing` is set, it writes the queued events and ends.
    pub fn open(store: Store, live: LiveRuns, closing: CancellationToken) -> (Self, JoinHandle<()>) {
        let (queue, entries) = mpsc::unbounded_channel();
        let room = Arc::new(Semaphore::new(QUEUE_KILOBYTES));
        let writer = tokio::spawn(write(entries, room.clone(), store, live, closing));
        (Self { queue, room }, writer)
    }

    pub async fn append(&self, entry: Entry) {
        if let Ok(room) = self.room.acquire_many(kilobytes(&entry)).await {
            // The writer releases it after the commit.
            room.forget();
        }
        // Fails only on shutdown; the next start ends the run.
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
    let mut batch = Vec::with_capacity(MAX_BATCH);
    loop {
        let received = tokio::select! {
            received = entries.recv_many(&mut batch, MAX_BATCH) => received,
            () = closing.cancelled(), if !entries.is_closed() => {
                entries.close();
                continue;
            }
        };
        if received == 0 {
            return;
        }
        // A stable sort by run, because neighbouring rows of a table are cheaper to write.
        batch.sort_by(|one, other| one.run_id.cmp(&other.run_id));
        // Retries without limit, because a log must have no gaps: a full disk stops the runs until there is space.
        while let Err(error) = store.append(&batch).await {
            tracing::error!(%error, events = batch.len(), "cannot write to the log, trying again");
            if closing.is_cancelled() {
                return;
            }
            tokio::time::sleep(RETRY_DELAY).await;
        }
        room.add_permits(batch.iter().map(|entry| kilobytes(entry) as usize).sum());
        announce(&live, batch.drain(..));
    }
}

/// Wakes the followers of each run once. The batch is sorted by run.
fn announce(live: &LiveRuns, batch: impl Iterator<Item = Entry>) {
    let mut batch = batch.peekable();
    while let Some(first) = batch.peek() {
        let run_id = first.run_id.clone();
        let (mut events, mut ended) = (Vec::new(), false);
        while let Some(Entry { seq, kind, data, at_ms, finish, .. }) = batch.next_if(|entry| entry.run_id == run_id) {
            events.push(StoredEvent { seq: seq as i64, kind: kind.into(), data, at_ms });
            ended |= finish.is_some();
        }
        live.committed(&run_id, events, ended);
    }
}

/// Returns the size of an entry in the queue, at most the whole queue.
fn kilobytes(entry: &Entry) -> u32 {
    (entry.data.len() / 1024 + 1).min(QUEUE_KILOBYTES) as u32
}
