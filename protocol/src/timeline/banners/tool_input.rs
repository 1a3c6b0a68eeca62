//! The model called a tool with arguments that do not fit the tool's schema. One banner for each tool.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Banner, BannerKind, Severity, count};
use crate::timeline::{CallAnswer, Timeline};

pub(super) fn check(timeline: &Timeline) -> Vec<Banner> {
    let mut tools: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for call in timeline.calls() {
        if let Some(answer) = call.answer.as_ref().filter(|answer| is_invalid_input(answer)) {
            tools.entry(&call.name).or_insert((answer.seq, 0)).1 += 1;
        }
    }
    tools
        .into_iter()
        .map(|(tool, (seq, calls))| Banner {
            kind: BannerKind::ToolInputInvalid,
            severity: Severity::Warning,
            seq,
            title: format!("Arguments of {tool} did not fit its schema"),
            detail: format!(
                "{} came back without being carried out. Describe the arguments better in the tool's schema, or relax it.",
                count(calls, "call")
            ),
        })
        .collect()
}

/// The answer is the structured refusal, as JSON or as a text of JSON.
fn is_invalid_input(answer: &CallAnswer) -> bool {
    let says_so = |value: &Value| value["error"] == "tool_input_invalid" || value["code"] == "tool_input_invalid";
    match &answer.body {
        Value::String(text) if text.contains("tool_input_invalid") => {
            serde_json::from_str::<Value>(text).map_or(text.starts_with("tool_input_invalid"), |value| says_so(&value))
        }
        body => says_so(body),
    }
}
