//! A run's own pen: gives each event its position and hands it to the journal.

use std::sync::Arc;

use serde_json::Value;

use crate::journal::Journal;
use crate::store::{Entry, Finish};

pub struct Log {
    journal: Journal,
    run_id: Arc<str>,
    seq: u64,
}

impl Log {
    pub fn new(journal: Journal, run_id: Arc<str>) -> Self {
        Self { journal, run_id, seq: 0 }
    }

    pub async fn emit(&mut self, kind: &'static str, data: Value) {
        self.append(kind, data.to_string(), None).await;
    }

    /// A piece of text. Most events are these, so they are written without a detour.
    pub async fn emit_text(&mut self, kind: &'static str, text: &str) {
        // A text always has a JSON form.
        let text = serde_json::to_string(text).unwrap_or_default();
        self.append(kind, format!("{{\"text\":{text}}}"), None).await;
    }

    /// The last event of the log, written together with how the run ended.
    pub async fn end(&mut self, kind: &'static str, data: Value, finish: Finish) {
        self.append(kind, data.to_string(), Some(Box::new(finish))).await;
    }

    async fn append(&mut self, kind: &'static str, data: String, finish: Option<Box<Finish>>) {
        self.seq += 1;
        let entry = Entry { run_id: self.run_id.clone(), seq: self.seq, kind, data, finish };
        self.journal.append(entry).await;
    }
}
