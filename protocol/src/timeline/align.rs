//! Two runs side by side: which turn of one goes with which of the other, and where they part.
//!
//! Turns go together by order: two runs of one task share a beginning and then part, and what comes after that is told
//! as it is, not matched by likeness. Within a turn, calls go together by order too.

use serde::{Deserialize, Serialize};

use super::{Timeline, ToolCall, Turn};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alignment {
    pub turns: Vec<TurnPair>,
    /// The first thing that is not the same.
    pub divergence: Option<Divergence>,
}

/// A turn of the left and one of the right timeline, by index; one of them may be missing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnPair {
    pub left: Option<usize>,
    pub right: Option<usize>,
    pub same: bool,
    /// The calls of the two, by entry.
    pub calls: Vec<CallPair>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallPair {
    pub left: Option<usize>,
    pub right: Option<usize>,
    pub same_call: bool,
    pub same_answer: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Divergence {
    pub turn: usize,
    pub what: Diverged,
    /// The event on each side, where there is one.
    pub left_seq: Option<u64>,
    pub right_seq: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Diverged {
    /// Another tool, or other arguments.
    Call,
    /// The same call had another answer.
    Answer,
    /// The model wrote something else.
    Text,
    /// One run goes on where the other ends.
    Length,
    /// All turns are the same, but not the end.
    Outcome,
}

pub fn align(left: &Timeline, right: &Timeline) -> Alignment {
    let length = left.turns.len().max(right.turns.len());
    let mut alignment = Alignment { turns: Vec::with_capacity(length), divergence: None };
    for index in 0..length {
        let (one, other) = (left.turns.get(index).map(AsRef::as_ref), right.turns.get(index).map(AsRef::as_ref));
        let (calls, divergence) = compare_turns(index, one, other);
        alignment.turns.push(TurnPair {
            left: one.map(|turn| turn.index),
            right: other.map(|turn| turn.index),
            same: divergence.is_none(),
            calls,
        });
        alignment.divergence = alignment.divergence.or(divergence);
    }
    alignment.divergence = alignment.divergence.or_else(|| outcome_divergence(left, right));
    alignment
}

fn compare_turns(turn: usize, left: Option<&Turn>, right: Option<&Turn>) -> (Vec<CallPair>, Option<Divergence>) {
    let diverged = |what, left_seq, right_seq| Some(Divergence { turn, what, left_seq, right_seq });
    let (calls, others) = (entries(left), entries(right));
    let mut pairs = Vec::new();
    let mut first = None;
    for place in 0..calls.len().max(others.len()) {
        let (one, other) = (calls.get(place), others.get(place));
        let (same_call, same_answer) = match (one, other) {
            (Some((_, one)), Some((_, other))) => {
                (one.name == other.name && one.input == other.input, answer_of(one) == answer_of(other))
            }
            _ => (false, false),
        };
        if first.is_none() && !(same_call && same_answer) {
            let seq = |call: Option<&(usize, &ToolCall)>| {
                call.map(|(_, call)| match &call.answer {
                    Some(answer) if same_call => answer.seq,
                    _ => call.seq,
                })
            };
            let what = if same_call { Diverged::Answer } else { Diverged::Call };
            first = diverged(what, seq(one), seq(other));
        }
        pairs.push(CallPair { left: one.map(|call| call.0), right: other.map(|call| call.0), same_call, same_answer });
    }
    let divergence = match (left, right) {
        (Some(one), Some(other)) if one.text != other.text => {
            // The model writes before it calls; other words with the same calls matter less than another call.
            first.or_else(|| diverged(Diverged::Text, Some(one.anchor_seq()), Some(other.anchor_seq())))
        }
        (Some(_), Some(_)) => first,
        (one, other) => diverged(Diverged::Length, one.map(|turn| turn.first_seq), other.map(|turn| turn.first_seq)),
    };
    (pairs, divergence)
}

fn entries(turn: Option<&Turn>) -> Vec<(usize, &ToolCall)> {
    let entries = turn.into_iter().flat_map(|turn| turn.entries.iter().enumerate());
    entries.filter_map(|(index, entry)| Some((index, entry.as_call()?))).collect()
}

fn answer_of(call: &ToolCall) -> Option<(bool, &serde_json::Value)> {
    call.answer.as_ref().map(|answer| (answer.ok, &answer.body))
}

fn outcome_divergence(left: &Timeline, right: &Timeline) -> Option<Divergence> {
    let facts = |timeline: &Timeline| {
        timeline.outcome.as_ref().map(|outcome| (outcome.ending, outcome.error_class.clone(), outcome.text.clone()))
    };
    let seq = |timeline: &Timeline| timeline.outcome.as_ref().map(|outcome| outcome.seq);
    (facts(left) != facts(right)).then(|| Divergence {
        turn: left.turns.len().max(right.turns.len()).saturating_sub(1),
        what: Diverged::Outcome,
        left_seq: seq(left),
        right_seq: seq(right),
    })
}

impl Divergence {
    /// Where they part, in words.
    pub fn in_words(&self) -> String {
        let what = match self.what {
            Diverged::Call => "a different call is made",
            Diverged::Answer => "the same call has another answer",
            Diverged::Text => "the model writes something else",
            Diverged::Length => "only one of the two goes on",
            Diverged::Outcome => "the turns are the same, but the end is not",
        };
        format!("In turn {} {what}.", self.turn + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timeline::tests::sample;

    #[test]
    fn a_run_does_not_part_from_itself() {
        for log in ["guards-2026", "local-tools", "cancelled-by-user"] {
            let alignment = align(&sample(log), &sample(log));
            assert_eq!(alignment.divergence, None, "{log}");
            assert!(alignment.turns.iter().all(|turn| turn.same));
        }
    }

    #[test]
    fn two_runs_part_at_the_first_other_call_answer_or_end() {
        let at = |left: &str, right: &str| {
            align(&sample(left), &sample(right)).divergence.map(|divergence| divergence.in_words()).unwrap_or_default()
        };
        assert_eq!(at("loop-nudged-recovered", "loop-nudged-other-arguments"), "In turn 4 a different call is made.");
        assert_eq!(at("loop-gave-up", "loop-nudged-not-recovered"), "In turn 6 only one of the two goes on.");
        assert_eq!(at("no-end", "cancelled-in-local-wait"), "In turn 1 a different call is made.");
    }
}
