//! A turn of the model, and what happened in it.

use serde::{Deserialize, Serialize};

use super::ToolCall;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    pub index: usize,
    pub first_seq: u64,
    pub last_seq: u64,
    pub thinking: String,
    /// Joined from deltas until the turn's message comes, which is canonical.
    pub text: String,
    pub message_seq: Option<u64>,
    pub finish_reason: Option<String>,
    pub model: Option<String>,
    /// Tool calls and notes, in the order of the log.
    pub entries: Vec<Entry>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Entry {
    Call(ToolCall),
    Note(Note),
}

/// Something that is neither text nor a call: a guard, a plan, a fault of the log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Note {
    pub seq: u64,
    #[serde(flatten)]
    pub kind: NoteKind,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "note")]
pub enum NoteKind {
    LoopDetected { consecutive_count: u64, hard_cutoff: bool, tools: Vec<String> },
    BudgetExceeded { tool: String, max_calls: u64, call_index: u64 },
    Supervisor { action: String, reason: String, redirect: Option<String> },
    ModelFallback { error_class: String, primary: Option<String>, fallback: Option<String> },
    Plan { steps: Vec<(String, String)> },
    Files { tool: String, names: Vec<String> },
    Message { role: String, text: String },
    Unknown { event: String },
    Malformed { event: String, reason: String },
    AfterEnd { event: String },
}

impl Turn {
    pub(super) fn new(index: usize, seq: u64) -> Self {
        Self {
            index,
            first_seq: seq,
            last_seq: seq,
            thinking: String::new(),
            text: String::new(),
            message_seq: None,
            finish_reason: None,
            model: None,
            entries: Vec::new(),
        }
    }

    pub fn calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.entries.iter().filter_map(|entry| match entry {
            Entry::Call(call) => Some(call),
            Entry::Note(_) => None,
        })
    }

    pub fn notes(&self) -> impl Iterator<Item = &Note> {
        self.entries.iter().filter_map(|entry| match entry {
            Entry::Note(note) => Some(note),
            Entry::Call(_) => None,
        })
    }
}

impl Entry {
    pub fn seq(&self) -> u64 {
        match self {
            Self::Call(call) => call.seq,
            Self::Note(note) => note.seq,
        }
    }
}
