//! How far the log itself can be trusted.

use serde_json::Value;

use super::Sentence;
use crate::timeline::words::count;
use crate::timeline::{NoteKind, Timeline};

pub(super) fn tell(timeline: &Timeline, _: Option<&Value>) -> Vec<Sentence> {
    let integrity = &timeline.integrity;
    let mut faults = Vec::new();
    let mut seqs = Vec::new();
    let missing = integrity.missing();
    if missing > 0 {
        faults.push(format!("{} {} missing", count(missing, "event"), is(missing)));
        seqs.extend(integrity.gaps.first().map(|(_, to)| to.saturating_add(1)));
    }
    if integrity.malformed > 0 {
        faults.push(format!("{} cannot be read", count(integrity.malformed, "event")));
        seqs.extend(first(timeline, |kind| matches!(kind, NoteKind::Malformed { .. })));
    }
    if integrity.after_end > 0 {
        faults.push(format!("{} came after the end", count(integrity.after_end, "event")));
        seqs.extend(first(timeline, |kind| matches!(kind, NoteKind::AfterEnd { .. })));
    }
    if integrity.orphan_results > 0 {
        let results = count(integrity.orphan_results, "result");
        faults.push(format!(
            "{results} {} to no known call",
            if integrity.orphan_results == 1 { "belongs" } else { "belong" }
        ));
        seqs.extend(timeline.calls().find(|call| call.is_unseen()).map(|call| call.seq));
    }
    match faults.pop() {
        None => Vec::new(),
        Some(last) => {
            let faults = if faults.is_empty() { last } else { format!("{} and {last}", faults.join(", ")) };
            vec![Sentence::new(format!("The log has faults: {faults}."), seqs)]
        }
    }
}

fn is(n: u64) -> &'static str {
    if n == 1 { "is" } else { "are" }
}

fn first(timeline: &Timeline, fits: impl Fn(&NoteKind) -> bool) -> Option<u64> {
    timeline.notes().find(|note| fits(&note.kind)).map(|note| note.seq)
}
