//! The banners for a run that failed, was refused or was cancelled. Truncation and schemas have banners of their own.

use serde_json::Value;

use super::{Banner, BannerKind, Facts, NextStep, Severity};
use crate::spec;
use crate::timeline::format::{count, duration, quoted, sentence, tools};
use crate::timeline::{Ending, Outcome, Timeline, failure};

/// The largest values that MANTYX accepts.
const MAX_TOOL_TURNS: u64 = 100;
const MAX_LOCAL_TOOL_TIMEOUT_MS: u64 = 60 * 60 * 1000;

pub(super) fn check(timeline: &Timeline, spec: Option<&Value>) -> Vec<Banner> {
    let Some(outcome) = &timeline.outcome else { return Vec::new() };
    let banner = match outcome.ending {
        Ending::Succeeded | Ending::Failed if timeline.refusal_seq().is_some() => refused(timeline),
        Ending::Succeeded => None,
        Ending::Cancelled => Some(cancelled(timeline, outcome)),
        Ending::Failed => failed(timeline, outcome, spec),
    };
    banner.into_iter().collect()
}

fn refused(timeline: &Timeline) -> Option<Banner> {
    Some(Banner {
        kind: BannerKind::Refused,
        severity: Severity::Warning,
        seq: timeline.refusal_seq()?,
        title: "Refused: the model declined to answer".to_owned(),
        detail: "The model itself stopped with the reason “refusal”. No tool and no limit was involved.".to_owned(),
        facts: Facts::None {},
        next_step: NextStep::change(
            "Rephrase the request, or check the system prompt for a rule against it.",
            "/systemPrompt",
            None,
            None,
        ),
    })
}

fn cancelled(timeline: &Timeline, outcome: &Outcome) -> Banner {
    let stopped = match outcome.reason.as_deref() {
        Some("user") => "A user stopped the run before it finished.".to_owned(),
        Some(reason) => format!("The run was stopped before it finished (reason: {}).", quoted(reason, 80)),
        None => "The run was stopped before it finished.".to_owned(),
    };
    let unanswered = timeline.totals.unanswered();
    let open = match unanswered {
        0 => String::new(),
        1 => " 1 tool call had no answer yet.".to_owned(),
        n => format!(" {} had no answer yet.", count(n, "tool call")),
    };
    Banner {
        kind: BannerKind::Cancelled,
        severity: Severity::Info,
        seq: outcome.seq,
        title: "Cancelled".to_owned(),
        detail: format!("{stopped} Its steps until then are below.{open}"),
        facts: Facts::Cancelled { reason: outcome.reason.clone(), unanswered },
        next_step: after_cancelling(timeline),
    }
}

fn after_cancelling(timeline: &Timeline) -> NextStep {
    let waiting: Vec<&str> = timeline.waiting_calls().map(|call| call.name.as_str()).collect();
    NextStep::relaunch(match waiting.is_empty() {
        true => "Relaunch it if it should have finished.".to_owned(),
        false => {
            format!("Make sure {} has a responder, then relaunch the run if it should have finished.", tools(waiting))
        }
    })
}

fn failed(timeline: &Timeline, outcome: &Outcome, spec: Option<&Value>) -> Option<Banner> {
    let class = outcome.error_class.as_deref().unwrap_or("unknown");
    if timeline.truncation_seq().is_some() || class.starts_with("structured_output") {
        return None;
    }
    let message = outcome.error.as_deref().map(sentence).unwrap_or_default();
    let facts = |limit| Facts::Failure {
        error_class: class.to_owned(),
        retryable: outcome.retryable,
        api_status: outcome.api_status,
        limit,
    };
    let (kind, detail, facts, next_step) = match class {
        "context_window" => (
            BannerKind::ContextWindow,
            message,
            facts(None),
            NextStep::change(
                "Shorten the prompt or the tools' answers, or use a model with a larger context window.",
                "/modelId",
                super::spec_field(spec, "modelId"),
                None,
            ),
        ),
        "local_timeout" => {
            let waiting: Vec<String> = timeline.waiting_calls().map(|call| call.name.clone()).collect();
            let timeout_ms = spec.map(spec::local_tool_timeout_ms);
            let within = timeout_ms.map(|ms| format!(" within {}", duration(ms))).unwrap_or_default();
            let detail = format!("Nobody answered {}{within}. {message}", tools(waiting.iter().map(String::as_str)));
            let facts = Facts::Local { calls: waiting.len() as u64, tools: waiting, timeout_ms };
            let raised = timeout_ms.map(|ms| ms.saturating_mul(2).min(MAX_LOCAL_TOOL_TIMEOUT_MS));
            let next = NextStep::change(
                "Start the program that answers this tool, then relaunch. If it only needs more time, raise “Wait for a local tool”.",
                "/budgets/localToolTimeoutMs",
                timeout_ms.map(Into::into),
                raised.filter(|raised| Some(*raised) > timeout_ms).map(Into::into),
            );
            (BannerKind::LocalToolTimeout, detail, facts, next)
        }
        failure::MAX_TOOL_TURNS => {
            let limit = spec.map(spec::max_tool_turns);
            // The spec of an imported run may have any number.
            let raised = limit.map(|limit| limit.saturating_mul(2).min(MAX_TOOL_TURNS).max(limit));
            let text = match (limit, raised) {
                (Some(limit), Some(raised)) if raised > limit => format!(
                    "If the task needs more turns, raise “Turns with tools” from {limit} to {raised}; otherwise make \
                     the task smaller."
                ),
                _ => "If the task needs more turns, raise “Turns with tools”; otherwise make the task smaller."
                    .to_owned(),
            };
            let to = raised.filter(|raised| Some(*raised) != limit).map(Into::into);
            let next = NextStep::change(text, "/budgets/maxToolTurns", limit.map(Into::into), to);
            (BannerKind::Failed, message, facts(limit), next)
        }
        class => (BannerKind::Failed, message, facts(None), advice(class, outcome, spec)),
    };
    let title = format!("Failed: {}", failure::describe(class));
    Some(Banner { kind, severity: Severity::Error, seq: outcome.seq, title, detail, facts, next_step })
}

/// Returns the next step for failures that no limit of the spec caused.
fn advice(class: &str, outcome: &Outcome, spec: Option<&Value>) -> NextStep {
    let has_fallback = spec.is_some_and(|spec| spec["fallbackModelId"].is_string());
    match class {
        "overloaded" | "server" | "timeout" | "upstream_deadline" if !has_fallback => {
            NextStep::change("Relaunch in a few minutes, or set a fallback model.", "/fallbackModelId", None, None)
        }
        "rate_limit" | "overloaded" => NextStep::relaunch("Relaunch in a few minutes."),
        "server" | "timeout" | "upstream_deadline" => {
            NextStep::relaunch("Relaunch. If it fails the same way, try another model.")
        }
        "invalid_request" => NextStep::text("Read the provider's message and fix the spec."),
        "auth" => NextStep::text("Ask your workspace's admin to check the provider's key in MANTYX."),
        _ if outcome.retryable == Some(false) => {
            NextStep::text("Read the message and fix the cause: relaunching alone will not help.")
        }
        _ => NextStep::text("Check the last steps in the timeline, then relaunch."),
    }
}
