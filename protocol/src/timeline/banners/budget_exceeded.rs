//! The banner for a tool that was called more often than its budget allows. One banner for each tool, at the first
//! intercepted call.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Banner, BannerKind, Facts, NextStep, Severity};
use crate::json_pointer::escape;
use crate::timeline::format::{count, times, tool};
use crate::timeline::{NoteKind, Timeline};

/// The largest value that MANTYX accepts.
const MAX_BUDGET: u64 = 1_000;

pub(super) fn check(timeline: &Timeline, _: Option<&Value>) -> Vec<Banner> {
    let mut found: BTreeMap<&str, (u64, u64, u64)> = BTreeMap::new();
    for note in timeline.notes() {
        if let NoteKind::BudgetExceeded { tool, max_calls, .. } = &note.kind {
            let (_, _, intercepted) = found.entry(tool).or_insert((note.seq, *max_calls, 0));
            *intercepted += 1;
        }
    }
    found.into_iter().map(|(name, (seq, max_calls, intercepted))| banner(name, seq, max_calls, intercepted)).collect()
}

fn banner(name: &str, seq: u64, max_calls: u64, intercepted: u64) -> Banner {
    let shown = tool(name);
    let stopped = |what: &str| match intercepted {
        1 => format!("1 {what} was stopped"),
        n => format!("{} were stopped", count(n, what)),
    };
    let field = format!("/toolBudgets/{}/maxCalls", escape(name));
    let enough = max_calls.saturating_add(intercepted).min(MAX_BUDGET);
    let from = Some(max_calls.into());
    let (title, detail, text) = if max_calls == 0 {
        (
            format!("{shown} is turned off in this run"),
            format!("Its budget is 0 calls, so {} before the tool ran.", stopped("call")),
            format!("If the model should use {shown}, set its budget above 0; else do not offer it."),
        )
    } else {
        (
            format!("Tool budget exhausted: {shown}"),
            format!("The run may call {shown} {}; {} before the tool ran.", times(max_calls), stopped("more call")),
            format!("If the work needs more, raise the budget of {shown} from {max_calls} to {enough}."),
        )
    };
    Banner {
        kind: BannerKind::BudgetExceeded,
        severity: Severity::Warning,
        seq,
        title,
        detail,
        facts: Facts::Budget { tool: name.to_owned(), max_calls, intercepted },
        next_step: NextStep::change(text, &field, from, (enough > max_calls).then(|| enough.into())),
    }
}
