//! Whether an intervention changed what the model did: did the next batch differ?

use crate::timeline::words::tools;
use crate::timeline::{Ending, Timeline, Turn, same_batch};

pub(super) enum Reaction<'a> {
    /// It made the very same calls again.
    Same(&'a Turn),
    /// It called something else, or the same tools with other arguments.
    Other { next: &'a Turn, same_tools: bool },
    /// It called no more tools and gave its answer, at this event.
    Answered(u64),
    /// The run ended otherwise, or the log does not go on.
    Unknown,
}

/// What the model did after the turn in which somebody stepped in.
pub(super) fn reaction(timeline: &Timeline, turn_index: usize) -> Reaction<'_> {
    let calls = |turn: &&Turn| turn.calls().any(|call| !call.is_unseen());
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
    /// Ends a sentence that begins with «then the model …»; none where the log does not tell.
    pub fn in_words(&self) -> Option<(String, u64)> {
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
