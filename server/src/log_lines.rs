//! Streams a stored log as NDJSON, in chunks, so that memory does not grow with the log.

use std::sync::Arc;

use futures::StreamExt;

use crate::masking::Patterns;
use crate::store::{Store, WorkspaceId};
use crate::web::response_slots::ResponseSlot;

/// Events read at a time.
const CHUNK: usize = 1_000;

pub struct LogLines {
    store: Store,
    workspace: WorkspaceId,
    run_id: String,
    patterns: Arc<Patterns>,
    /// The seq of the last event that was returned.
    after: Option<u64>,
    /// Events to return at most.
    left: usize,
}

impl LogLines {
    /// The lines are redacted with the patterns.
    pub fn new(store: Store, workspace: WorkspaceId, run_id: String, patterns: Arc<Patterns>) -> Self {
        Self { store, workspace, run_id, patterns, after: None, left: usize::MAX }
    }

    /// Begins with an event, and ends after `limit` events.
    pub fn within(self, from_seq: u64, limit: Option<usize>) -> Self {
        Self { after: from_seq.checked_sub(1), left: limit.unwrap_or(usize::MAX), ..self }
    }

    /// Returns the next lines, or `None` after the last.
    pub async fn next(&mut self) -> Option<std::io::Result<Vec<u8>>> {
        let count = self.left.min(CHUNK);
        if count == 0 {
            return None;
        }
        let read = match self.after {
            Some(after) => self.store.events_after(self.workspace, &self.run_id, after, count as u32).await,
            None => self.store.first_events(self.workspace, &self.run_id, count as u32).await,
        };
        let events = match read {
            Ok(events) => events,
            Err(error) => {
                let (run_id, workspace) = (&self.run_id, self.workspace);
                tracing::error!(%error, run_id, %workspace, "cannot read a log from the database");
                // Ends the response in the middle, so that it does not look complete.
                return Some(Err(std::io::Error::other("the log could not be read to its end")));
            }
        };
        self.after = Some(events.last()?.seq);
        self.left -= events.len();
        let mut lines = Vec::new();
        for event in &events {
            match self.patterns.is_empty() {
                true => serde_json::to_writer(&mut lines, event).ok()?,
                false => serde_json::to_writer(&mut lines, &self.patterns.redact_event(event)).ok()?,
            }
            lines.push(b'\n');
        }
        Some(Ok(lines))
    }

    /// Returns a fused stream: the compression layer polls once more after the end. The slot is held until then.
    pub fn into_stream(self, slot: ResponseSlot) -> impl futures::Stream<Item = std::io::Result<Vec<u8>>> {
        let chunks = futures::stream::unfold((self, slot), |(mut lines, slot)| async move {
            let chunk = lines.next().await?;
            Some((chunk, (lines, slot)))
        });
        chunks.fuse()
    }
}
