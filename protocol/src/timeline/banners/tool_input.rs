//! The banner for arguments that do not fit the tool's schema. One banner for each tool.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Banner, BannerKind, Facts, NextStep, Severity};
use crate::timeline::format::{count, tool};
use crate::timeline::{CallAnswer, Timeline};

pub(super) fn check(timeline: &Timeline, _: Option<&Value>) -> Vec<Banner> {
    let mut found: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for call in timeline.calls() {
        if let Some(answer) = call.answer.as_ref().filter(|answer| is_invalid_input(answer)) {
            found.entry(&call.name).or_insert((answer.seq, 0)).1 += 1;
        }
    }
    found
        .into_iter()
        .map(|(name, (seq, calls))| {
            let shown = tool(name);
            let came_back = match calls {
                1 => "1 call was rejected".to_owned(),
                n => format!("{} were rejected", count(n, "call")),
            };
            Banner {
                kind: BannerKind::ToolInputInvalid,
                severity: Severity::Warning,
                seq,
                title: format!("Invalid arguments for {shown}"),
                detail: format!("{came_back} before the tool ran: the arguments do not match its schema."),
                facts: Facts::ToolInput { tool: name.to_owned(), calls },
                next_step: NextStep::change(
                    format!(
                        "Describe the arguments of {shown} better in its definition (tools), or loosen its schema."
                    ),
                    "/tools",
                    None,
                    None,
                ),
            }
        })
        .collect()
}

/// Returns whether the answer is the error `tool_input_invalid`, as JSON or as text.
fn is_invalid_input(answer: &CallAnswer) -> bool {
    let says_so = |value: &Value| value["error"] == "tool_input_invalid" || value["code"] == "tool_input_invalid";
    match &answer.body {
        Value::String(text) if text.contains("tool_input_invalid") => {
            serde_json::from_str::<Value>(text).map_or(text.starts_with("tool_input_invalid"), |value| says_so(&value))
        }
        body => says_so(body),
    }
}
