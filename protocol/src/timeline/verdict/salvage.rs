//! What is left of a run that did not finish.

use serde_json::Value;

use super::Sentence;
use crate::timeline::words::count;
use crate::timeline::{Ending, Timeline};

pub(super) fn tell(timeline: &Timeline, _: Option<&Value>) -> Vec<Sentence> {
    let Some(outcome) = timeline.outcome.as_ref().filter(|outcome| outcome.ending != Ending::Succeeded) else {
        return Vec::new();
    };
    let kept = timeline.answer().chars().count() as u64;
    if kept == 0 {
        let thought = timeline.turns.last().is_some_and(|turn| !turn.thinking.is_empty());
        let text = if thought { "It was still thinking and wrote no answer." } else { "It wrote no answer." };
        let seqs: Vec<u64> = timeline.turns.last().map(|turn| turn.anchor_seq()).into_iter().collect();
        return vec![Sentence::new(text, seqs)];
    }
    let kind = if outcome.schema.is_some() { "unfinished JSON" } else { "text" };
    let text = format!("{} of {kind} were kept: a fragment, not an answer.", count(kept, "character"));
    let message = timeline.turns.iter().rev().find_map(|turn| turn.message_seq).unwrap_or(outcome.seq);
    vec![Sentence::new(text, [message])]
}
