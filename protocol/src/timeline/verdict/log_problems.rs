//! Problems of the log itself.

use serde_json::Value;

use super::Sentence;
use crate::timeline::format::count;
use crate::timeline::{NoteKind, Timeline};

pub(super) fn sentences(timeline: &Timeline, _: Option<&Value>) -> Vec<Sentence> {
    let integrity = &timeline.integrity;
    let mut problems = Vec::new();
    let mut seqs = Vec::new();
    let missing = integrity.missing();
    if missing > 0 {
        problems.push(format!("{} {} missing", count(missing, "event"), is(missing)));
        seqs.extend(integrity.gaps.first().map(|(_, to)| to.saturating_add(1)));
    }
    if integrity.malformed > 0 {
        problems.push(format!("{} cannot be read", count(integrity.malformed, "event")));
        seqs.extend(first(timeline, |kind| matches!(kind, NoteKind::Malformed { .. })));
    }
    if integrity.after_end > 0 {
        problems.push(format!("{} came after the end", count(integrity.after_end, "event")));
        seqs.extend(first(timeline, |kind| matches!(kind, NoteKind::AfterEnd { .. })));
    }
    if integrity.orphan_results > 0 {
        let results = count(integrity.orphan_results, "result");
        problems.push(format!(
            "{results} {} to no known call",
            if integrity.orphan_results == 1 { "belongs" } else { "belong" }
        ));
        seqs.extend(timeline.calls().find(|call| call.is_orphan_result()).map(|call| call.seq));
    }
    match problems.pop() {
        None => Vec::new(),
        Some(last) => {
            let problems = if problems.is_empty() { last } else { format!("{} and {last}", problems.join(", ")) };
            vec![Sentence::new(format!("The log has problems: {problems}."), seqs)]
        }
    }
}

fn is(n: u64) -> &'static str {
    if n == 1 { "is" } else { "are" }
}

fn first(timeline: &Timeline, fits: impl Fn(&NoteKind) -> bool) -> Option<u64> {
    timeline.notes().find(|note| fits(&note.kind)).map(|note| note.seq)
}
