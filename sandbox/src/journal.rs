//! The one writer of logs: events are committed in batches, and only then announced to whoever follows the run.

use std::collections::HashMap;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::live::LiveRuns;
use crate::store::{Entry, Store};

/// Waiting entries. A full queue slows the runs down instead of growing memory.
const QUEUE: usize = 1024;
/// One transaction for what all runs have written meanwhile: the more there is to do, the less each event costs.
const BATCH: usize = 1024;
const RETRY_AFTER: Duration = Duration::from_millis(500);

#[derive(Clone)]
pub struct Journal {
    queue: mpsc::Sender<Entry>,
}

impl Journal {
    /// Once `closing` is set, the writer writes down what is queued and ends.
    pub fn open(store: Store, live: LiveRuns, closing: CancellationToken) -> (Self, JoinHandle<()>) {
        let (queue, entries) = mpsc::channel(QUEUE);
        (Self { queue }, tokio::spawn(write(entries, store, live, closing)))
    }

    pub async fn append(&self, entry: Entry) {
        // Nobody receives only while the process goes down; the next start ends the run.
        let _ = self.queue.send(entry).await;
    }
}

async fn write(mut entries: mpsc::Receiver<Entry>, store: Store, live: LiveRuns, closing: CancellationToken) {
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
        // A log without gaps is worth waiting for: a full disk stops the runs until there is room again.
        while let Err(error) = store.append(&batch).await {
            tracing::error!(%error, events = batch.len(), "cannot write to the log, trying again");
            if closing.is_cancelled() {
                return;
            }
            tokio::time::sleep(RETRY_AFTER).await;
        }
        announce(&live, &batch);
        batch.clear();
    }
}

/// Wakes the readers of each run once, however much of it was written.
fn announce(live: &LiveRuns, batch: &[Entry]) {
    let mut reached: HashMap<&str, &Entry> = HashMap::new();
    for entry in batch {
        reached.insert(&entry.run_id, entry);
    }
    for (run_id, last) in reached {
        live.committed(run_id, last.seq, last.finish.is_some());
    }
}
