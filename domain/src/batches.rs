//! Batches: many launches of one spec, each with its own input.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Batch {
    pub id: String,
    pub tag_key: String,
    pub tag_value: String,
    /// The query that finds its runs.
    pub query: String,
    pub items: Vec<BatchItem>,
    pub done: bool,
    /// The reason why it waits.
    pub problem: Option<String>,
    pub created_at_ms: i64,
}

/// A short form of a batch's progress.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BatchProgress {
    pub words: String,
    /// The reason why it waits.
    pub problem: Option<String>,
    /// Items that were launched or failed.
    pub settled: usize,
    pub all: usize,
    pub done: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BatchItem {
    pub state: BatchItemState,
    pub run_id: Option<String>,
    pub problem: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BatchItemState {
    Waiting,
    Launched,
    Failed,
}

impl Batch {
    pub fn progress(&self) -> BatchProgress {
        let count = |state| self.items.iter().filter(|item| item.state == state).count();
        let (all, launched, failed) =
            (self.items.len(), count(BatchItemState::Launched), count(BatchItemState::Failed));
        let words = match failed {
            0 => format!("{launched} of {all} launched"),
            _ => format!("{launched} of {all} launched, {failed} could not be"),
        };
        BatchProgress { words, problem: self.problem.clone(), settled: launched + failed, all, done: self.done }
    }
}
