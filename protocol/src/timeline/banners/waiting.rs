//! The banner for a local tool call that waits for its answer. One banner for each tool, at its oldest call.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Banner, BannerKind, Facts, NextStep, Severity};
use crate::spec::{DEFAULT_LOCAL_TOOL_TIMEOUT_MS, local_tool_timeout_ms};
use crate::timeline::format::{count, duration, tool};
use crate::timeline::{CallKind, Timeline, ToolCall};

pub(super) fn check(timeline: &Timeline, spec: Option<&Value>) -> Vec<Banner> {
    if timeline.status().is_terminal() && !timeline.is_cut_off() {
        return Vec::new();
    }
    let mut waiting: BTreeMap<&str, Vec<&ToolCall>> = BTreeMap::new();
    for call in timeline.waiting_calls() {
        waiting.entry(&call.name).or_default().push(call);
    }
    let timeout_ms = spec.map_or(DEFAULT_LOCAL_TOOL_TIMEOUT_MS, local_tool_timeout_ms);
    waiting.values().filter_map(|calls| banner(calls, timeout_ms, timeline.is_cut_off())).collect()
}

fn banner(calls: &[&ToolCall], timeout_ms: u64, cut_off: bool) -> Option<Banner> {
    let first = calls.first()?;
    let who = match &first.kind {
        CallKind::A2aLocal { agent, .. } if !agent.is_empty() => format!("the agent {}", tool(agent)),
        CallKind::McpLocal { server, .. } if !server.is_empty() => format!("the MCP server {}", tool(server)),
        _ => "the program that started this run".to_owned(),
    };
    let calls_waiting = match calls.len() as u64 {
        1 => "The call was".to_owned(),
        n => format!("{} were", count(n, "call")),
    };
    Some(Banner {
        kind: BannerKind::WaitingLocalTool,
        severity: Severity::Warning,
        seq: first.seq,
        title: format!("Waiting for {}", tool(&first.name)),
        detail: match cut_off {
            true => format!("{calls_waiting} not answered when this log was exported. The outcome is not in the file."),
            false => format!(
                "The run continues when {who} answers, and fails if no answer comes within {} of the call.",
                duration(timeout_ms)
            ),
        },
        facts: Facts::Local {
            tools: vec![first.name.clone()],
            calls: calls.len() as u64,
            timeout_ms: Some(timeout_ms),
        },
        next_step: NextStep::text(match cut_off {
            true => format!("Check the responder of {}: its answer is not in the log.", tool(&first.name)),
            false => format!("Check that the responder of {} is running and connected.", tool(&first.name)),
        }),
    })
}
