//! A stored log as NDJSON, some lines at a time: a log of any size needs the memory of one chunk.

use futures::StreamExt;

use crate::store::{Store, WorkspaceId};

/// Events read at a time.
const CHUNK: u32 = 1_000;

pub struct LogLines {
    pub store: Store,
    pub workspace: WorkspaceId,
    pub run_id: String,
    /// The last event that was given out.
    pub after: u64,
}

impl LogLines {
    pub fn new(store: Store, workspace: WorkspaceId, run_id: String) -> Self {
        Self { store, workspace, run_id, after: 0 }
    }

    /// The next lines; none after the last.
    pub async fn next(&mut self) -> Option<std::io::Result<Vec<u8>>> {
        let events = match self.store.events_after(self.workspace, &self.run_id, self.after, CHUNK).await {
            Ok(events) => events,
            Err(error) => {
                tracing::error!(%error, "a log could not be read from the database");
                // Ends the answer in the middle, so that nobody takes it for whole.
                return Some(Err(std::io::Error::other("the log could not be read to its end")));
            }
        };
        self.after = events.last()?.seq;
        let mut lines = Vec::new();
        for event in &events {
            serde_json::to_writer(&mut lines, event).ok()?;
            lines.push(b'\n');
        }
        Some(Ok(lines))
    }

    /// Whatever compresses it asks once more after the end.
    pub fn into_stream(self) -> impl futures::Stream<Item = std::io::Result<Vec<u8>>> {
        let chunks = futures::stream::unfold(self, |mut lines| async move {
            let chunk = lines.next().await?;
            Some((chunk, lines))
        });
        chunks.fuse()
    }
}
