//! What people keep for the next launch: templates and drafts. And many launches at once: batches.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Answers, LaunchContent};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Template {
    pub id: String,
    pub name: String,
    pub notes: String,
    /// The whole workspace sees it. Header values are left out of it then.
    pub shared: bool,
    pub owner: TemplateOwner,
    pub changed_at_ms: i64,
    pub content: LaunchContent,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "email", rename_all = "snake_case")]
pub enum TemplateOwner {
    /// Comes with Runlens.
    BuiltIn,
    Me,
    Colleague(String),
}

/// A template to keep; without an id it is a new one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TemplateDraft {
    pub id: Option<String>,
    pub name: String,
    pub notes: String,
    pub shared: bool,
    pub content: LaunchContent,
}

/// What somebody was writing. The text is the form's own affair.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Draft {
    pub text: String,
    pub changed_at_ms: i64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BatchRequest {
    /// Made by the form: the same key is the same batch.
    pub key: String,
    pub spec: Value,
    #[serde(default)]
    pub answers: Answers,
    /// CSV with a header line, or a JSON list of texts or objects.
    pub inputs: String,
    /// The metadata entry that all its runs carry, so that the list can be filtered to them.
    pub tag_key: String,
    pub tag_value: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Batch {
    pub id: String,
    pub tag_key: String,
    pub tag_value: String,
    /// The filter that shows its runs.
    pub query: String,
    pub items: Vec<BatchItem>,
    pub done: bool,
    /// Why it waits, where it does.
    pub problem: Option<String>,
    pub created_at_ms: i64,
}

/// How far a batch is, in short.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BatchProgress {
    pub words: String,
    /// Why it waits, where it does.
    pub problem: Option<String>,
    /// Inputs that were launched or cannot be, of how many.
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

impl BatchItemState {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Launched => "launched",
            Self::Failed => "failed",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        [Self::Waiting, Self::Launched, Self::Failed].into_iter().find(|state| state.as_str() == text)
    }
}
