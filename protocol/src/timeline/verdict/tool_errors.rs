//! Tools that answered with an error.

use serde_json::Value;

use super::Sentence;
use crate::timeline::Timeline;
use crate::timeline::format::{count, tools};

pub(super) fn sentences(timeline: &Timeline, _: Option<&Value>) -> Vec<Sentence> {
    let totals = &timeline.totals;
    if totals.failed == 0 {
        return Vec::new();
    }
    let failed = || timeline.calls().filter(|call| call.failed());
    let names = tools(failed().map(|call| call.name.as_str()));
    let seqs: Vec<u64> = failed().filter_map(|call| call.answer.as_ref()).map(|answer| answer.seq).take(3).collect();
    let text = match (totals.failed, totals.calls) {
        (1, 1) => format!("The only tool call, {names}, failed."),
        (2, 2) => format!("Both tool calls failed ({names})."),
        (n, all) if n == all => format!("All {} failed ({names}).", count(all, "tool call")),
        (n, all) => format!("{n} of {} failed ({names}).", count(all, "tool call")),
    };
    vec![Sentence::new(text, seqs)]
}
