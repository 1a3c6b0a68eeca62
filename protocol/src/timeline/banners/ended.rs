//! The run failed, was refused or was cancelled. Truncation and schemas have banners of their own.

use serde_json::Value;

use super::{Banner, BannerKind, Facts, NextStep, Severity};
use crate::spec;
use crate::timeline::words::{count, duration, quoted, sentence, tools};
use crate::timeline::{Ending, Outcome, Timeline, failure};

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
        facts: Facts::None,
        next_step: NextStep::change(
            "Say the request in other words, or look for a rule against it in the system prompt.",
            "/systemPrompt",
            None,
            None,
        ),
    })
}

fn cancelled(timeline: &Timeline, outcome: &Outcome) -> Banner {
    let by = outcome.reason.as_deref().map(|reason| format!(" ({})", quoted(reason, 80))).unwrap_or_default();
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
        detail: format!("Somebody stopped the run before it finished{by}. What it had done until then is below.{open}"),
        facts: Facts::Cancelled { reason: outcome.reason.clone(), unanswered },
        next_step: NextStep::say("Launch it again if it should have finished."),
    }
}

fn failed(timeline: &Timeline, outcome: &Outcome, spec: Option<&Value>) -> Option<Banner> {
    let class = outcome.error_class.as_deref().unwrap_or("unknown");
    if outcome.is_truncated() || class.starts_with("structured_output") {
        return None;
    }
    let said = outcome.error.as_deref().map(sentence).unwrap_or_default();
    let facts = |limit| Facts::Failure {
        error_class: class.to_owned(),
        retryable: outcome.retryable,
        api_status: outcome.api_status,
        limit,
    };
    let (kind, detail, facts, next_step) = match class {
        "context_window" => (
            BannerKind::ContextWindow,
            said,
            facts(None),
            NextStep::change(
                "Shorten the prompt or the tools' answers, or choose a model that reads more (modelId).",
                "/modelId",
                spec.map(|spec| spec["modelId"].clone()),
                None,
            ),
        ),
        "local_timeout" => {
            let owed: Vec<String> = timeline.waiting_calls().map(|call| call.name.clone()).collect();
            let timeout_ms = spec.map(spec::local_tool_timeout_ms);
            let within = timeout_ms.map(|ms| format!(" within {}", duration(ms))).unwrap_or_default();
            let detail = format!("Nobody answered {}{within}. {said}", tools(owed.iter().map(String::as_str)));
            let facts = Facts::Local { calls: owed.len() as u64, tools: owed, timeout_ms };
            let text = "Start the program that answers this tool, then launch the run again.";
            (BannerKind::LocalToolTimeout, detail, facts, NextStep::say(text))
        }
        failure::MAX_TOOL_TURNS => {
            let limit = spec.map(spec::max_tool_turns);
            let raised = limit.map(|limit| (limit * 2).clamp(limit, 100));
            let text = match (limit, raised) {
                (Some(limit), Some(raised)) if raised > limit => format!(
                    "If the work needs more rounds, raise budgets.maxToolTurns from {limit} to {raised}; otherwise make \
                     the task smaller."
                ),
                _ => "If the work needs more rounds, raise budgets.maxToolTurns; otherwise make the task smaller."
                    .to_owned(),
            };
            let to = raised.filter(|raised| Some(*raised) != limit).map(Into::into);
            let next = NextStep::change(text, "/budgets/maxToolTurns", limit.map(Into::into), to);
            (BannerKind::Failed, said, facts(limit), next)
        }
        class => (BannerKind::Failed, said, facts(None), NextStep::say(failure::advice(class))),
    };
    let title = format!("Failed: {}", failure::in_words(class));
    Some(Banner { kind, severity: Severity::Error, seq: outcome.seq, title, detail, facts, next_step })
}
