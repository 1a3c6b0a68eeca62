//! The times of turns.

use super::{TimedGroup, Timeline};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TurnTiming {
    /// When the model was asked: at the event before the turn, if that has a time.
    pub start_ms: Option<i64>,
    pub first_token_ms: Option<i64>,
    /// When the turn's message was complete.
    pub message_ms: Option<i64>,
    /// When its last call was answered, or the message was complete.
    pub end_ms: Option<i64>,
}

pub(super) fn of(timeline: &Timeline, groups: &[TimedGroup<'_>], created_at_ms: Option<i64>) -> Vec<TurnTiming> {
    let mut turns = vec![TurnTiming::default(); timeline.turns.len()];
    let mut has_begun = vec![false; turns.len()];
    let mut before_ms = created_at_ms;
    for TimedGroup { group, first_ms, last_ms } in groups {
        // What comes before the first turn is listed with it.
        let is_preamble = group.kind == "started";
        if let Some(turn) = turns.get_mut(group.turn).filter(|_| !is_preamble) {
            if !std::mem::replace(&mut has_begun[group.turn], true) {
                turn.start_ms = before_ms;
            }
            match group.kind.as_ref() {
                "assistant_delta" | "thinking_delta" => turn.first_token_ms = turn.first_token_ms.or(*first_ms),
                "assistant_message" => turn.message_ms = *last_ms,
                _ => {}
            }
            if !matches!(group.kind.as_ref(), "result" | "error" | "cancelled") {
                turn.end_ms = *last_ms;
            }
        }
        before_ms = *last_ms;
    }
    turns
}
