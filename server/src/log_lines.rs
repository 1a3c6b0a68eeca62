//! Streams a stored log as NDJSON, in chunks, so that memory does not grow with the log.

use futures::StreamExt;

use crate::store::{Store, WorkspaceId};

/// Events read at a time.
const CHUNK: u32 = 1_000;

pub struct LogLines {
    store: Store,
    workspace: WorkspaceId,
    run_id: String,
    /// The seq of the last event that was returned.
    after: u64,
}

impl LogLines {
    pub fn new(store: Store, workspace: WorkspaceId, run_id: String) -> Self {
        Self { store, workspace, run_id, after: 0 }
    }

    /// Returns the next lines, or `None` after the last.
    pub async fn next(&mut self) -> Option<std::io::Result<Vec<u8>>> {
        let events = match self.store.events_after(self.workspace, &self.run_id, self.after, CHUNK).await {
            Ok(events) => events,
            Err(error) => {
                let (run_id, workspace) = (&self.run_id, self.workspace);
                tracing::error!(%error, run_id, %workspace, "cannot read a log from the database");
                // Ends the response in the middle, so that it does not look complete.
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

    /// Returns a fused stream: the compression layer polls once more after the end.
    pub fn into_stream(self) -> impl futures::Stream<Item = std::io::Result<Vec<u8>>> {
        let chunks = futures::stream::unfold(self, |mut lines| async move {
            let chunk = lines.next().await?;
            Some((chunk, lines))
        });
        chunks.fuse()
    }
}
