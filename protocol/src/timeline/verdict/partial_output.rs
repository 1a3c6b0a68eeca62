//! The partial output of a run that did not finish.

use serde_json::Value;

use super::Sentence;
use crate::timeline::format::{count, quoted};
use crate::timeline::{Ending, Outcome, Timeline};

pub(super) fn sentences(timeline: &Timeline, _: Option<&Value>) -> Vec<Sentence> {
    let Some(outcome) = &timeline.outcome else { return Vec::new() };
    if outcome.ending == Ending::Succeeded && timeline.truncation_seq().is_none() {
        return Vec::new();
    }
    let last = timeline.turns.iter().rev().find(|turn| turn.has_begun());
    let seq = last.map_or(outcome.seq, |turn| turn.anchor_seq());
    let text = last_text(timeline, outcome);
    let chars = count(text.chars().count() as u64, "character");
    let sentence = if timeline.refusal_seq().is_some() && !text.is_empty() {
        format!("It said: {}", quoted(text, 160))
    } else if outcome.error_class.as_deref().is_some_and(|class| class.starts_with("structured_output")) {
        format!("Its output was kept ({chars}), but may not match the schema.")
    } else if !text.is_empty() {
        let kind = if outcome.schema.is_some() { "incomplete JSON" } else { "text" };
        format!("Partial output kept: {chars} of {kind}.")
    } else if last.is_some_and(|turn| !turn.thinking.is_empty() && turn.calls().next().is_none()) {
        "It was still thinking. No output.".to_owned()
    } else {
        "No output.".to_owned()
    };
    vec![Sentence::new(sentence, [seq])]
}

/// Returns the text that was written last. Text before a tool call is no part of an answer.
fn last_text<'a>(timeline: &'a Timeline, outcome: &'a Outcome) -> &'a str {
    match timeline.turns.last() {
        _ if !outcome.text.is_empty() => &outcome.text,
        Some(turn) if turn.calls().next().is_none() => &turn.text,
        _ => "",
    }
}
