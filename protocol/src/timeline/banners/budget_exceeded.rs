//! A tool was called more often than its budget allows. One banner for each tool, at the first intercepted call.

use std::collections::BTreeMap;

use super::{Banner, BannerKind, Severity, count};
use crate::timeline::{NoteKind, Timeline};

pub(super) fn check(timeline: &Timeline) -> Vec<Banner> {
    let mut tools: BTreeMap<&str, (u64, u64, u64)> = BTreeMap::new();
    for note in timeline.notes() {
        if let NoteKind::BudgetExceeded { tool, max_calls, .. } = &note.kind {
            let (_, _, intercepted) = tools.entry(tool).or_insert((note.seq, *max_calls, 0));
            *intercepted += 1;
        }
    }
    tools
        .into_iter()
        .map(|(tool, (seq, max_calls, intercepted))| Banner {
            kind: BannerKind::BudgetExceeded,
            severity: Severity::Warning,
            seq,
            title: format!("Tool budget exhausted: {tool}"),
            detail: if max_calls == 0 {
                format!("{tool} is switched off for this run. Intercepted: {}.", count(intercepted, "call"))
            } else {
                format!(
                    "{tool} has a budget of {} in this run. Intercepted beyond it: {}. Raise \
                     toolBudgets.{tool}.maxCalls if the work needs more.",
                    count(max_calls, "call"),
                    count(intercepted, "call")
                )
            },
        })
        .collect()
}
