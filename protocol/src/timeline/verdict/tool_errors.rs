//! Tools that answered with an error.

use serde_json::Value;

use super::Sentence;
use crate::timeline::Timeline;
use crate::timeline::format::{count, tools};

pub(super) fn sentences(timeline: &Timeline, _: Option<&Value>) -> Vec<Sentence> {
    // The answer to a skipped call is the server's own.
    let failed = || timeline.turns.iter().flat_map(|turn| turn.made_calls()).filter(|call| call.failed());
    let failures = failed().count() as u64;
    if failures == 0 {
        return Vec::new();
    }
    let names = tools(failed().map(|call| call.name.as_str()));
    let seqs: Vec<u64> = failed().filter_map(|call| call.answer.as_ref()).map(|answer| answer.seq).take(3).collect();
    let text = match (failures, timeline.made_calls()) {
        (1, 1) => format!("The only tool call, {names}, failed."),
        (2, 2) => format!("Both tool calls failed ({names})."),
        (n, all) if n == all => format!("All {} failed ({names}).", count(all, "tool call")),
        (n, all) => format!("{n} of {} failed ({names}).", count(all, "tool call")),
    };
    vec![Sentence::new(text, seqs)]
}
