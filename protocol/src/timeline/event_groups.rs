//! The log as a list of its events, without their contents. The minimap and the rows of every event are made from it.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

/// One event, or several deltas in a row. Serialized as a tuple, since a long log has thousands of these.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Tuple", into = "Tuple")]
pub struct EventGroup {
    pub kind: Cow<'static, str>,
    pub first_seq: u64,
    pub last_seq: u64,
    /// Less than the range of seqs if some are missing.
    pub count: u64,
    /// The index of its turn.
    pub turn: usize,
}

type Tuple = (Cow<'static, str>, u64, u64, u64, usize);

impl EventGroup {
    pub(super) fn new(kind: &str, seq: u64, turn: usize) -> Self {
        Self { kind: known_name(kind), first_seq: seq, last_seq: seq, count: 1, turn }
    }

    /// Adds an event, unless it starts a new group. Returns whether it was added.
    pub(super) fn extend(&mut self, kind: &str, seq: u64, turn: usize) -> bool {
        let joins = self.kind == kind && self.is_delta() && self.turn == turn && seq > self.last_seq;
        if joins {
            self.last_seq = seq;
            self.count += 1;
        }
        joins
    }

    fn is_delta(&self) -> bool {
        matches!(self.kind.as_ref(), "assistant_delta" | "thinking_delta")
    }
}

/// Known types need no allocation.
fn known_name(kind: &str) -> Cow<'static, str> {
    const KNOWN: [&str; 20] = [
        "assistant_delta",
        "thinking_delta",
        "assistant_message",
        "tool_call",
        "tool_result",
        "tool_files",
        "local_tool_call",
        "local_tool_result_in",
        "loop_detected",
        "tool_budget_exceeded",
        "supervisor",
        "task_plan",
        "model_fallback",
        "started",
        "user_message",
        "message",
        "result",
        "error",
        "cancelled",
        "unreadable",
    ];
    match KNOWN.iter().find(|known| **known == kind) {
        Some(known) => Cow::Borrowed(known),
        None => Cow::Owned(kind.to_owned()),
    }
}

impl From<Tuple> for EventGroup {
    fn from((kind, first_seq, last_seq, count, turn): Tuple) -> Self {
        Self { kind: known_name(&kind), first_seq, last_seq, count, turn }
    }
}

impl From<EventGroup> for Tuple {
    fn from(group: EventGroup) -> Self {
        (group.kind, group.first_seq, group.last_seq, group.count, group.turn)
    }
}
