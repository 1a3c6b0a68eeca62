//! The whole log as one strip of ticks.
//!
//! ```text
//!   events  ░░░░░▒▒▒▒▒■●■●▲░░░░▒▒▒■●▲…      one each
//!   ticks   ░ ▒ ● ▲ ░ ▒ ▲                   at most N: each the most important event of its range
//! ```

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::{EventGroup, Timeline};

/// A range of the log. Its place on the strip is `position` of all events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tick {
    /// The most important kind among its events, and the event of that kind.
    pub kind: TickKind,
    pub seq: u64,
    /// The number of events before it, and in it.
    pub position: u64,
    pub count: u64,
    /// A turn begins in it.
    pub begins_turn: bool,
}

/// The kinds in order of importance, lowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TickKind {
    Thinking,
    Text,
    /// All other events.
    Other,
    Message,
    Answer,
    Call,
    /// A review by the supervisor, a plan, another model.
    Course,
    /// A report of a guard.
    Guard,
    /// A failed call, or an unreadable event.
    Fault,
    End,
}

/// Returns at most `max_ticks` ticks, one for each event if there are no more than that.
pub fn minimap(timeline: &Timeline, max_ticks: usize) -> Vec<Tick> {
    let total = timeline.integrity.events;
    let ticks = total.min(max_ticks as u64);
    let failed: HashSet<u64> = failed_seqs(timeline);
    let turns: HashSet<u64> = timeline.turns.iter().map(|turn| turn.first_seq).collect();
    let mut strip: Vec<Tick> = Vec::with_capacity(ticks as usize);
    let mut position = 0;
    for run in timeline.events.iter() {
        let kind = if failed.contains(&run.first_seq) { TickKind::Fault } else { kind_of(run) };
        let end = position + run.count;
        let first = position;
        while position < end {
            let index = tick_of(position, ticks, total);
            let stretch_end = start_of(index + 1, ticks, total).max(position + 1);
            let count = stretch_end.min(end) - position;
            let seq = run.first_seq.saturating_add(position - first).min(run.last_seq);
            let begins_turn = position == first && turns.contains(&seq);
            match strip.get_mut(index as usize) {
                Some(tick) => {
                    tick.count += count;
                    tick.begins_turn |= begins_turn;
                    if kind > tick.kind {
                        (tick.kind, tick.seq) = (kind, seq);
                    }
                }
                None => strip.push(Tick { kind, seq, position, count, begins_turn }),
            }
            position += count;
        }
    }
    strip
}

fn start_of(index: u64, ticks: u64, total: u64) -> u64 {
    (u128::from(index) * u128::from(total)).div_ceil(u128::from(ticks.max(1))) as u64
}

fn tick_of(position: u64, ticks: u64, total: u64) -> u64 {
    (u128::from(position) * u128::from(ticks) / u128::from(total.max(1))) as u64
}

fn failed_seqs(timeline: &Timeline) -> HashSet<u64> {
    let answers = timeline.calls().filter(|call| call.failed()).filter_map(|call| call.answer.as_ref());
    let malformed = timeline.notes().filter(|note| matches!(note.kind, super::NoteKind::Malformed { .. }));
    answers.map(|answer| answer.seq).chain(malformed.map(|note| note.seq)).collect()
}

fn kind_of(run: &EventGroup) -> TickKind {
    match run.kind.as_ref() {
        "thinking_delta" => TickKind::Thinking,
        "assistant_delta" => TickKind::Text,
        "assistant_message" | "user_message" | "message" => TickKind::Message,
        "tool_call" | "local_tool_call" => TickKind::Call,
        "tool_result" | "local_tool_result_in" | "tool_files" => TickKind::Answer,
        "supervisor" | "task_plan" | "model_fallback" => TickKind::Course,
        "loop_detected" | "tool_budget_exceeded" => TickKind::Guard,
        "result" | "error" | "cancelled" => TickKind::End,
        _ => TickKind::Other,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::timeline::properties::arbitrary_event;

    proptest! {
        #[test]
        fn ticks_cover_the_log_without_overlap(
            events in prop::collection::vec(arbitrary_event(), 0..80),
            max_ticks in 1usize..40,
        ) {
            let timeline = Timeline::from_events(&events);
            let ticks = minimap(&timeline, max_ticks);
            prop_assert_eq!(ticks.len() as u64, timeline.integrity.events.min(max_ticks as u64));
            let mut position = 0;
            for tick in &ticks {
                prop_assert_eq!(tick.position, position);
                prop_assert!(tick.count > 0);
                position += tick.count;
            }
            prop_assert_eq!(position, timeline.integrity.events);
            let begun = ticks.iter().filter(|tick| tick.begins_turn).count();
            prop_assert!(begun <= timeline.turns.len() && (timeline.turns.is_empty() || begun > 0));
        }
    }
}
