//! A turn of the model, with its tool calls and notes.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Note, ToolCall};
use crate::messages::Tokens;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    pub index: usize,
    pub first_seq: u64,
    pub last_seq: u64,
    pub thinking: String,
    /// The first event with thinking.
    pub thinking_seq: Option<u64>,
    /// Joined from deltas until the turn's message comes, which replaces it.
    pub text: String,
    /// The first event with text.
    pub text_seq: Option<u64>,
    pub message_seq: Option<u64>,
    pub finish_reason: Option<String>,
    pub model: Option<String>,
    /// Only of logs that have them by turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<Tokens>,
    /// The supervisor interrupted it while it was thinking: no message will come.
    pub aborted: bool,
    /// The number of turns directly before this one with the same batch of calls. Turns without calls do not count.
    pub repeats: usize,
    /// The loop guard or the turn limit skipped its calls: their answers, if any, come from the server.
    #[serde(default)]
    pub skipped: bool,
    /// Tool calls and notes, in the order of the log. Entries are only appended, so an index stays valid.
    pub entries: Vec<Entry>,
}

/// Shared, so that a clone of a timeline costs a pointer for each entry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Entry {
    Call(Arc<ToolCall>),
    Note(Arc<Note>),
}

impl Turn {
    pub(super) fn new(index: usize, seq: u64) -> Self {
        Self {
            index,
            first_seq: seq,
            last_seq: seq,
            thinking: String::new(),
            thinking_seq: None,
            text: String::new(),
            text_seq: None,
            message_seq: None,
            finish_reason: None,
            model: None,
            tokens: None,
            aborted: false,
            repeats: 0,
            skipped: false,
            entries: Vec::new(),
        }
    }

    pub fn calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.entries.iter().filter_map(Entry::as_call)
    }

    /// Returns whether the call was requested but not made. A budget skips single calls.
    pub fn skips(&self, call: &ToolCall) -> bool {
        self.skipped || call.intercepted
    }

    pub fn made_calls(&self) -> impl Iterator<Item = &ToolCall> {
        self.calls().filter(|call| !self.skips(call))
    }

    pub fn notes(&self) -> impl Iterator<Item = &Note> {
        self.entries.iter().filter_map(Entry::as_note)
    }

    /// Returns whether the model wrote or thought in it. Otherwise it only has notes.
    pub(super) fn has_begun(&self) -> bool {
        self.thinking_seq.or(self.text_seq).or(self.message_seq).is_some()
    }

    /// Returns whether the model stopped because it reached its output limit.
    pub(super) fn hit_output_limit(&self) -> bool {
        self.finish_reason.as_deref() == Some("max_tokens")
    }

    /// Returns the event to link to for the whole turn.
    pub fn anchor_seq(&self) -> u64 {
        self.message_seq.unwrap_or(self.first_seq)
    }
}

impl Entry {
    pub fn as_call(&self) -> Option<&ToolCall> {
        match self {
            Self::Call(call) => Some(call),
            Self::Note(_) => None,
        }
    }

    pub fn as_note(&self) -> Option<&Note> {
        match self {
            Self::Note(note) => Some(note),
            Self::Call(_) => None,
        }
    }

    pub fn seq(&self) -> u64 {
        match self {
            Self::Call(call) => call.seq,
            Self::Note(note) => note.seq,
        }
    }
}
