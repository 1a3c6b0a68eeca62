//! The event log of a run: numbers each event and passes it to the journal.

use std::sync::Arc;

use serde_json::Value;

use crate::clock::Clock;
use crate::journal::Journal;
use crate::store::{Entry, Finish};

pub struct Log {
    journal: Journal,
    run_id: Arc<str>,
    clock: Clock,
    seq: u64,
}

impl Log {
    pub fn new(journal: Journal, run_id: Arc<str>, clock: Clock) -> Self {
        Self { journal, run_id, clock, seq: 0 }
    }

    pub async fn emit(&mut self, kind: &'static str, data: Value) {
        self.append(kind, data.to_string(), None).await;
    }

    /// Logs a text delta. Most events are deltas, so this skips the intermediate JSON value.
    pub async fn emit_text(&mut self, kind: &'static str, text: &str) {
        // Serializing a string cannot fail.
        let text = serde_json::to_string(text).unwrap_or_default();
        self.append(kind, format!("{{\"text\":{text}}}"), None).await;
    }

    /// Logs the last event together with the final record of the run.
    pub async fn end(&mut self, kind: &'static str, data: Value, finish: Finish) {
        self.append(kind, data.to_string(), Some(Box::new(finish))).await;
    }

    async fn append(&mut self, kind: &'static str, data: String, finish: Option<Box<Finish>>) {
        self.seq += 1;
        let at_ms = self.clock.virtual_now().map(|now| now.timestamp_millis());
        let entry = Entry { run_id: self.run_id.clone(), seq: self.seq, kind, data, at_ms, finish };
        self.journal.append(entry).await;
    }
}
