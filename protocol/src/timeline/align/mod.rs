//! Compares two runs: pairs their turns and calls, and finds the first difference.
//!
//! Turns are paired in order, each with the most similar one. After a turn that only one run has, the following turns are
//! still paired with their equals. The calls of two turns are paired in the same way.

mod pairs;

use std::hash::{DefaultHasher, Hash, Hasher};

use serde::{Deserialize, Serialize};

use super::{Timeline, ToolCall, Turn};
use pairs::{Similarity, pair_up};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alignment {
    pub turns: Vec<TurnPair>,
    /// The first difference.
    pub divergence: Option<Divergence>,
}

/// A turn of the left and one of the right timeline, by index. `None` if a turn has no partner.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnPair {
    pub left: Option<usize>,
    pub right: Option<usize>,
    pub same: bool,
    /// The calls of both turns, by entry.
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
    pub what: DivergenceKind,
    /// The event on each side, if there is one.
    pub left_seq: Option<u64>,
    pub right_seq: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DivergenceKind {
    /// Another tool, or other arguments.
    Call,
    /// The same call with another answer.
    Answer,
    /// Another text of the model.
    Text,
    /// Only one of the turns has text or calls.
    Silence,
    /// A turn that only one run has, with equal turns after it.
    Turn,
    /// One run continues after the other has ended.
    Length,
    /// The same turns with another ending.
    Outcome,
}

pub fn align(left: &Timeline, right: &Timeline) -> Alignment {
    let (prints, others) = (fingerprints(left), fingerprints(right));
    let pairs = pair_up(prints.len(), others.len(), |one, other| prints[one].similarity(&others[other]));
    // From here on only one run has turns.
    let both_until = pairs.iter().rposition(|(one, other)| one.is_some() && other.is_some()).map_or(0, |last| last + 1);
    let mut alignment = Alignment { turns: Vec::with_capacity(pairs.len()), divergence: None };
    for (index, (one, other)) in pairs.into_iter().enumerate() {
        let turn = |timeline: &'_ Timeline, at: Option<usize>| at.and_then(|at| timeline.turns.get(at)).cloned();
        let (one, other) = (turn(left, one), turn(right, other));
        let alone = if index < both_until { DivergenceKind::Turn } else { DivergenceKind::Length };
        let (calls, divergence) = compare_turns(index, one.as_deref(), other.as_deref(), alone);
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

/// Hashes of a turn or a call, for fast comparison.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Fingerprint {
    kind: u64,
    action: u64,
    whole: u64,
}

impl Fingerprint {
    fn similarity(&self, other: &Self) -> Similarity {
        match (self.whole == other.whole, self.action == other.action, self.kind == other.kind) {
            (true, ..) => Similarity::Same,
            (_, true, _) => Similarity::Action,
            (_, _, true) => Similarity::Kind,
            _ => Similarity::None,
        }
    }
}

fn fingerprints(timeline: &Timeline) -> Vec<Fingerprint> {
    let of = |turn: &std::sync::Arc<Turn>| {
        let calls = || turn.calls();
        let names: Vec<&str> = calls().map(|call| call.name.as_str()).collect();
        let made: Vec<_> = calls().map(|call| (&call.name, &call.input)).collect();
        let answers: Vec<_> = calls().map(answer_of).collect();
        // The text of a turn without calls is its action.
        let said = if made.is_empty() { turn.text.as_str() } else { "" };
        Fingerprint { kind: hash(&names), action: hash(&(&made, said)), whole: hash(&(&made, &answers, &turn.text)) }
    };
    timeline.turns.iter().map(of).collect()
}

fn call_fingerprint(call: &ToolCall) -> Fingerprint {
    let made = (&call.name, &call.input);
    Fingerprint { kind: hash(&call.name), action: hash(&made), whole: hash(&(made, answer_of(call))) }
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

fn compare_turns(
    turn: usize,
    left: Option<&Turn>,
    right: Option<&Turn>,
    alone: DivergenceKind,
) -> (Vec<CallPair>, Option<Divergence>) {
    let diverged = |what, left_seq, right_seq| Some(Divergence { turn, what, left_seq, right_seq });
    let (calls, others) = (entries(left), entries(right));
    let of_calls =
        |calls: &[(usize, &ToolCall)]| calls.iter().map(|(_, call)| call_fingerprint(call)).collect::<Vec<_>>();
    let (left_prints, right_prints) = (of_calls(&calls), of_calls(&others));
    let similarity = |one: usize, other: usize| left_prints[one].similarity(&right_prints[other]);
    let mut pairs = Vec::new();
    let mut first = None;
    for (one, other) in pair_up(calls.len(), others.len(), similarity) {
        let (one, other) = (one.and_then(|at| calls.get(at)), other.and_then(|at| others.get(at)));
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
            let what = if same_call { DivergenceKind::Answer } else { DivergenceKind::Call };
            first = diverged(what, seq(one), seq(other));
        }
        pairs.push(CallPair { left: one.map(|call| call.0), right: other.map(|call| call.0), same_call, same_answer });
    }
    let divergence = match (left, right) {
        (Some(one), Some(other)) if is_empty(one) != is_empty(other) => {
            diverged(DivergenceKind::Silence, Some(one.anchor_seq()), Some(other.anchor_seq()))
        }
        (Some(one), Some(other)) if one.text != other.text => {
            // Another text with the same calls matters less than another call, though it comes first in the log.
            first.or_else(|| diverged(DivergenceKind::Text, Some(one.anchor_seq()), Some(other.anchor_seq())))
        }
        (Some(_), Some(_)) => first,
        (one, other) => diverged(alone, one.map(|turn| turn.first_seq), other.map(|turn| turn.first_seq)),
    };
    (pairs, divergence)
}

fn is_empty(turn: &Turn) -> bool {
    turn.text.is_empty() && turn.calls().next().is_none()
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
        turn: left.turns.len().saturating_sub(1),
        what: DivergenceKind::Outcome,
        left_seq: seq(left),
        right_seq: seq(right),
    })
}

impl Divergence {
    /// Returns a sentence that describes the difference.
    pub fn describe(&self) -> String {
        let turn = self.turn + 1;
        let (side, other) = if self.left_seq.is_some() { ("left", "right") } else { ("right", "left") };
        let what = match self.what {
            DivergenceKind::Call => "a different call is made",
            DivergenceKind::Answer => "the same call has another result",
            DivergenceKind::Text => "the model writes something else",
            DivergenceKind::Silence => "only one of the runs has text or a call",
            DivergenceKind::Turn => return format!("The {other} run has no turn like turn {turn} of the {side} run."),
            DivergenceKind::Length => return format!("Only the {side} run continues with turn {turn}."),
            DivergenceKind::Outcome => "the turns are identical, but the outcome is not",
        };
        format!("In turn {turn} {what}.")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Event;
    use crate::timeline::tests::sample;

    #[test]
    fn a_run_does_not_differ_from_itself() {
        for log in ["guards-2026", "local-tools", "cancelled-by-user"] {
            let alignment = align(&sample(log), &sample(log));
            assert_eq!(alignment.divergence, None, "{log}");
            assert!(alignment.turns.iter().all(|turn| turn.same));
        }
    }

    #[test]
    fn two_runs_differ_at_the_first_other_call_answer_or_end() {
        let at = |left: &str, right: &str| {
            align(&sample(left), &sample(right)).divergence.map(|divergence| divergence.describe()).unwrap_or_default()
        };
        assert_eq!(at("loop-nudged-recovered", "loop-nudged-other-arguments"), "In turn 4 a different call is made.");
        assert_eq!(at("loop-gave-up", "loop-nudged-not-recovered"), "Only the left run continues with turn 6.");
        assert_eq!(at("no-end", "cancelled-in-local-wait"), "In turn 1 a different call is made.");
    }

    #[test]
    fn a_run_that_failed_before_it_wrote_something_differs_by_that() {
        let run = |text: &str| {
            let mut timeline = Timeline::default();
            timeline.apply(&Event::new(1, "assistant_message", json!({ "text": text })));
            timeline
        };
        let difference = |left: &str, right: &str| {
            align(&run(left), &run(right)).divergence.map(|divergence| divergence.describe()).unwrap_or_default()
        };
        assert_eq!(difference("", "Done."), "In turn 1 only one of the runs has text or a call.");
        assert_eq!(difference("Done!", "Done."), "In turn 1 the model writes something else.");
    }

    #[test]
    fn after_a_turn_that_only_one_run_has_the_rest_is_paired_with_its_equals() {
        let run = |inputs: &[&str]| {
            let calls = inputs.iter().enumerate().flat_map(|(i, input)| {
                let (id, seq) = (format!("t{i}"), 2 * i as u64);
                let call = json!({ "id": id, "name": "look", "input": { "q": input } });
                [
                    Event::new(seq + 1, "assistant_message", json!({ "text": "", "toolCalls": [call] })),
                    Event::new(seq + 2, "tool_result", json!({ "toolUseId": id, "name": "look", "result": input })),
                ]
            });
            Timeline::from_events(&calls.collect::<Vec<_>>())
        };
        let alignment = align(&run(&["a", "b", "c"]), &run(&["a", "again", "b", "c"]));
        let places: Vec<_> = alignment.turns.iter().map(|pair| (pair.left, pair.right, pair.same)).collect();
        assert_eq!(
            places,
            [(Some(0), Some(0), true), (None, Some(1), false), (Some(1), Some(2), true), (Some(2), Some(3), true)]
        );
        let divergence = alignment.divergence.expect("they part");
        assert_eq!(divergence.describe(), "The left run has no turn like turn 2 of the right run.");
        assert_eq!((divergence.left_seq, divergence.right_seq), (None, Some(3)));
    }
}
