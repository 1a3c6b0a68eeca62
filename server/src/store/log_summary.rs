//! The values that the store takes from a folded log for the run's row, its tags and the text index.

use std::collections::{BTreeMap, BTreeSet};

use domain::Marks;
use protocol::messages::Tokens;
use protocol::timeline::{FailureSignature, Timing, failure_signature, reason};
use protocol::{RunStatus, Timeline};
use serde_json::Value;

use super::text::LogWords;
use super::tool_use::{self, ToolUse};

/// The indexed beginning of each tool result, and of all results of a run together.
const MAX_RESULT_BYTES: usize = 2 * 1024;
const MAX_RESULTS_BYTES: usize = 128 * 1024;
/// Tool arguments beyond this length are not indexed; the log has them.
const MAX_ARGUMENT_BYTES: usize = 16 * 1024;

/// Tools of a run that get tags. A log names what it likes.
const MAX_TOOLS: usize = 1_000;

#[derive(Clone, Debug, Default)]
pub struct LogSummary {
    /// The log ends with its terminal event.
    pub complete: bool,
    pub status: Option<RunStatus>,
    pub marks: Marks,
    pub tools: BTreeSet<String>,
    /// Tools that failed, or reported a failure. The answers to skipped calls are the guard's.
    pub failed_tools: BTreeSet<String>,
    /// The failure group.
    pub failure: Option<FailureSignature>,
    /// For the text index.
    pub(super) words: LogWords,
    pub answer: String,
    pub error: Option<String>,
    pub error_class: Option<String>,
    /// Why the run is not good.
    pub reason: Option<String>,
    /// Calls that a guard skipped don't count.
    pub calls: u64,
    pub tokens: Option<Tokens>,
    pub turns: Option<u64>,
    /// The model that ran last, without its provider.
    pub model: Option<String>,
    /// From the first time in the log to the last, if the run is over.
    pub duration_ms: Option<u64>,
    /// How long it waited for answers from outside, and the tool that took most of the time, if their times are known.
    pub waited_ms: Option<u64>,
    pub slowest_tool: Option<String>,
    /// How much of its time is known, and how it used its tools.
    pub observed_ms: u64,
    pub tool_use: BTreeMap<String, ToolUse>,
}

impl LogSummary {
    /// `spec` is the spec that the run was launched with, if known.
    pub fn of(timeline: &Timeline, spec: Option<&Value>) -> Self {
        let outcome = timeline.outcome.as_ref();
        let timing = Timing::of(timeline, None);
        let (observed_ms, tool_use) = tool_use::of(timeline, timing.as_ref());
        let mut summary = Self {
            complete: outcome.is_some(),
            status: outcome.map(|_| timeline.status()),
            marks: Marks::of(timeline),
            answer: timeline.answer().to_owned(),
            error: outcome.and_then(|outcome| outcome.error.clone()),
            error_class: outcome.and_then(|outcome| outcome.error_class.clone()),
            failed_tools: failed_tools(timeline),
            failure: failure_signature(timeline),
            reason: reason(timeline, spec),
            calls: timeline.made_calls(),
            tokens: outcome.and_then(|outcome| outcome.tokens),
            turns: outcome.and_then(|outcome| outcome.turns),
            model: timeline
                .turns
                .iter()
                .rev()
                .find_map(|turn| turn.model.as_deref())
                .or_else(|| outcome.and_then(|outcome| outcome.model.as_deref()))
                .map(str::to_owned),
            duration_ms: timing.as_ref().filter(|_| outcome.is_some()).map(Timing::total_ms),
            waited_ms: timing.as_ref().and_then(Timing::waited_ms),
            slowest_tool: timing.as_ref().and_then(Timing::slowest_tool).map(str::to_owned),
            observed_ms,
            tool_use,
            ..Self::default()
        };
        let (mut calls, mut results) = (String::new(), String::new());
        for call in timeline.calls() {
            if summary.tools.len() < MAX_TOOLS && summary.tools.insert(call.name.clone()) {
                calls.push_str(&call.name);
                calls.push('\n');
            }
            push_text(&call.input, &mut calls);
            if let Some(answer) = &call.answer
                && results.len() < MAX_RESULTS_BYTES
            {
                results.push_str(truncate(&answer.text(), MAX_RESULT_BYTES));
                results.push('\n');
            }
        }
        summary.failed_tools.retain(|name| summary.tools.contains(name));
        summary.tool_use.retain(|name, _| summary.tools.contains(name));
        summary.words = LogWords::new(&summary.answer, summary.error.as_deref().unwrap_or(""), &calls, &results);
        summary
    }
}

fn failed_tools(timeline: &Timeline) -> BTreeSet<String> {
    let calls = timeline.turns.iter().flat_map(|turn| turn.made_calls());
    calls.filter(|call| call.failed()).map(|call| call.name.clone()).collect()
}

/// Appends the strings and numbers inside a value, without the names of its fields.
fn push_text(value: &Value, out: &mut String) {
    if out.len() > MAX_ARGUMENT_BYTES {
        return;
    }
    match value {
        Value::String(text) => {
            out.push_str(truncate(text, MAX_ARGUMENT_BYTES));
            out.push('\n');
        }
        Value::Number(number) => {
            out.push_str(&number.to_string());
            out.push('\n');
        }
        Value::Array(items) => items.iter().for_each(|item| push_text(item, out)),
        Value::Object(fields) => fields.values().for_each(|item| push_text(item, out)),
        Value::Null | Value::Bool(_) => {}
    }
}

/// At most `max_bytes` of a text, in whole characters.
pub(super) fn truncate(text: &str, max_bytes: usize) -> &str {
    if text.len() <= max_bytes {
        return text;
    }
    let end = (0..=max_bytes).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::text::Words;
    use protocol::Event;
    use serde_json::json;

    #[test]
    fn a_summary_has_tools_arguments_and_the_error() {
        let call = json!({ "text": "", "toolCalls": [
            { "id": "a", "name": "search", "input": { "q": "open invoices", "limits": [3, true] } },
            { "id": "b", "name": "search", "input": { "q": "überfällig" } },
        ]});
        let events = [
            Event::new(1, "assistant_message", call),
            Event::new(2, "error", json!({ "error": "Too many.", "errorClass": "rate_limit" })),
        ];
        let summary = LogSummary::of(&Timeline::from_events(&events), None);
        assert_eq!((summary.calls, summary.complete, summary.status), (2, true, Some(RunStatus::Failed)));
        assert_eq!(summary.words.calls, Words::of("search open invoices 3 überfällig"));
        assert_eq!(summary.error_class.as_deref(), Some("rate_limit"));
    }

    #[test]
    fn skipped_calls_are_not_counted() {
        let mut events = Vec::new();
        let mut push = |kind: &str, data: Value| events.push(Event::new(events.len() as u64 + 1, kind, data));
        for id in ["a", "b", "c"] {
            let call = json!({ "id": id, "name": "recall", "input": {} });
            push("assistant_message", json!({ "text": "", "toolCalls": [call] }));
            push("tool_result", json!({ "toolUseId": id, "name": "recall", "result": "nothing" }));
        }
        push("loop_detected", json!({ "consecutiveCount": 3, "hardCutoff": false, "tools": ["recall"] }));
        assert_eq!(LogSummary::of(&Timeline::from_events(&events), None).calls, 2);
    }

    #[test]
    fn texts_are_truncated_between_characters() {
        assert_eq!((truncate("aäb", 2), truncate("aäb", 3), truncate("abc", 9)), ("a", "aä", "abc"));
    }
}
