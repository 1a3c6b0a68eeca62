//! The log as a list of its events, without their contents. The minimap and the rows of every event are made from it.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::event::{Event, EventTime};

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
    /// The times of its first and its last event, where known.
    pub first_time: Option<EventTime>,
    pub last_time: Option<EventTime>,
}

type Tuple = (Cow<'static, str>, u64, u64, u64, usize, Option<EventTime>, Option<EventTime>);

impl EventGroup {
    pub(super) fn new(event: &Event, turn: usize) -> Self {
        let time = event.time();
        Self {
            kind: known_name(&event.kind),
            first_seq: event.seq,
            last_seq: event.seq,
            count: 1,
            turn,
            first_time: time,
            last_time: time,
        }
    }

    /// Adds an event, unless it starts a new group. Returns whether it was added.
    pub(super) fn extend(&mut self, event: &Event, turn: usize) -> bool {
        let joins = self.kind == event.kind && self.is_delta() && self.turn == turn && event.seq > self.last_seq;
        if joins {
            self.last_seq = event.seq;
            self.last_time = event.time();
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
    fn from((kind, first_seq, last_seq, count, turn, first_time, last_time): Tuple) -> Self {
        Self { kind: known_name(&kind), first_seq, last_seq, count, turn, first_time, last_time }
    }
}

impl From<EventGroup> for Tuple {
    fn from(group: EventGroup) -> Self {
        (group.kind, group.first_seq, group.last_seq, group.count, group.turn, group.first_time, group.last_time)
    }
}
