//! The reaction of the model to an intervention: whether its next batch differs.

use crate::timeline::format::tools;
use crate::timeline::{Ending, Timeline, Turn, same_batch};

pub(super) enum Reaction<'a> {
    /// The same calls again.
    Same(&'a Turn),
    /// Other tools, or the same tools with other arguments.
    Other { next: &'a Turn, same_tools: bool },
    /// The answer without more calls, at this event.
    Answered(u64),
    /// Not in the log, or the run ended in another way.
    Unknown,
}

/// Returns what the model did after the turn with the intervention.
pub(super) fn reaction(timeline: &Timeline, turn_index: usize) -> Reaction<'_> {
    let calls = |turn: &&Turn| turn.calls().any(|call| !call.is_orphan_result());
    let turns = timeline.turns.iter().map(|turn| turn.as_ref());
    let before = turns.clone().take(turn_index + 1).rev().find(calls);
    match turns.skip(turn_index + 1).find(calls) {
        Some(next) => match before {
            Some(before) if same_batch(before, next) => Reaction::Same(next),
            Some(before) => Reaction::Other { next, same_tools: names(before) == names(next) },
            None => Reaction::Other { next, same_tools: false },
        },
        None => match &timeline.outcome {
            Some(outcome) if outcome.ending == Ending::Succeeded => {
                let message = timeline.turns.iter().rev().find_map(|turn| turn.message_seq);
                Reaction::Answered(message.unwrap_or(outcome.seq))
            }
            _ => Reaction::Unknown,
        },
    }
}

impl Reaction<'_> {
    /// Returns a phrase that follows «then the model », or `None` if the reaction is not known.
    pub fn describe(&self) -> Option<(String, u64)> {
        Some(match self {
            Self::Same(next) => ("made the same calls again".to_owned(), next.anchor_seq()),
            Self::Other { next, same_tools: true } => {
                (format!("called {} with other arguments", tools(names(next))), next.anchor_seq())
            }
            Self::Other { next, .. } => (format!("called {} instead", tools(names(next))), next.anchor_seq()),
            Self::Answered(seq) => ("gave its answer".to_owned(), *seq),
            Self::Unknown => return None,
        })
    }
}

fn names(turn: &Turn) -> Vec<&str> {
    let mut names: Vec<&str> = turn.calls().map(|call| call.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    names
}
