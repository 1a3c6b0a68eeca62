//! The reason why a run is not good, as one short line for lists. It is the most severe banner in other words.

use serde_json::Value;

use super::banners::{Banner, BannerKind, Facts};
use super::format::{count, plain, times};
use super::{Timeline, failure};

/// Longer messages of providers are cut.
const MAX_CHARS: usize = 160;

/// Returns why a run failed, is incomplete or has to wait, or `None` if nothing is wrong with it. `spec` is the spec that
/// it was launched with, if known.
pub fn reason(timeline: &Timeline, spec: Option<&Value>) -> Option<String> {
    super::banners::all(timeline, spec).iter().find_map(|banner| line(banner, timeline))
}

/// Returns the first line of an error, for a failed run without a log.
pub fn first_line(error: &str) -> Option<String> {
    let line = error.lines().map(str::trim).find(|line| !line.is_empty())?;
    Some(plain(line, MAX_CHARS))
}

fn line(banner: &Banner, timeline: &Timeline) -> Option<String> {
    Some(match (&banner.facts, banner.kind) {
        (Facts::Truncated { output_tokens, kept_chars, json_requested, .. }, _) => {
            let after = output_tokens.map(|tokens| format!(" after {}", count(tokens, "token"))).unwrap_or_default();
            let kept = match (kept_chars, json_requested) {
                (0, _) => "; no output",
                (_, true) => "; JSON not closed",
                _ => "",
            };
            format!("Output truncated{after}{kept}")
        }
        (Facts::Loop { tools, longest, .. }, kind) => {
            let then = if kind == BannerKind::LoopGaveUp { "tools turned off" } else { "nudged" };
            format!("{} called {} with the same arguments; {then}", names(tools), times(*longest))
        }
        (Facts::Budget { tool, max_calls: 0, .. }, _) => format!("{} is turned off in this run", name(tool)),
        (Facts::Budget { tool, max_calls, .. }, _) => {
            format!("{} used up its budget of {}", name(tool), count(*max_calls, "call"))
        }
        (Facts::Local { tools, timeout_ms, .. }, BannerKind::LocalToolTimeout) => {
            let after = timeout_ms.map(|ms| format!(" after {}", short_duration(ms))).unwrap_or_default();
            format!("{} timed out{after}, nobody answered", names(tools))
        }
        (Facts::Local { tools, .. }, _) => format!("Waiting for an answer from {}", names(tools)),
        (Facts::Supervisor { .. }, BannerKind::SupervisorFinalize) => "The supervisor ended the run".to_owned(),
        (Facts::Supervisor { .. }, _) => "The supervisor redirected the run".to_owned(),
        (Facts::ToolInput { tool, .. }, _) => format!("{} was called with invalid input", name(tool)),
        (Facts::Schema { .. }, _) => match failed_class(timeline) {
            Some(class) => failed(class, timeline),
            None => "The output schema was not enforced".to_owned(),
        },
        (Facts::Failure { error_class, .. }, _) => failed(error_class, timeline),
        (Facts::Cancelled { reason, .. }, _) => match reason.as_deref() {
            Some("user") => "Cancelled by user".to_owned(),
            Some(reason) => format!("Cancelled: {}", plain(reason, MAX_CHARS)),
            None => "Cancelled".to_owned(),
        },
        (Facts::None {}, BannerKind::Refused) => "The model declined to answer".to_owned(),
        // What is missing in a log, and a model that took over, say nothing about the result.
        _ => return None,
    })
}

fn failed_class(timeline: &Timeline) -> Option<&str> {
    timeline.outcome.as_ref()?.error_class.as_deref()
}

/// The class in words. The message says more about a class that is not documented, or about an invalid request.
fn failed(class: &str, timeline: &Timeline) -> String {
    let message = timeline.outcome.as_ref().and_then(|outcome| first_line(outcome.error.as_deref()?));
    let is_explained = failure::is_documented(class) && class != "invalid_request";
    message.filter(|_| !is_explained).unwrap_or_else(|| failure::sentence(class))
}

/// «a», «a and b», «a and 2 more». Each name once.
pub(super) fn names(tools: &[String]) -> String {
    let mut distinct: Vec<&String> = Vec::new();
    tools.iter().for_each(|tool| {
        if !distinct.contains(&tool) {
            distinct.push(tool);
        }
    });
    match distinct.as_slice() {
        [] => "A tool".to_owned(),
        [only] => name(only),
        [first, second] => format!("{} and {}", name(first), name(second)),
        [first, rest @ ..] => format!("{} and {} more", name(first), rest.len()),
    }
}

fn name(tool: &str) -> String {
    plain(tool, 64)
}

/// «5 min», «30 s», «1.5 s».
fn short_duration(ms: u64) -> String {
    match ms {
        ms if ms >= 60_000 && ms.is_multiple_of(60_000) => format!("{} min", ms / 60_000),
        ms if ms.is_multiple_of(1_000) => format!("{} s", ms / 1_000),
        ms => format!("{:.1} s", ms as f64 / 1_000.0),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Event;

    fn of(events: &[(&str, Value)], spec: Option<Value>) -> Option<String> {
        let events: Vec<Event> =
            (1..).zip(events).map(|(seq, (kind, data))| Event::new(seq, *kind, data.clone())).collect();
        reason(&Timeline::from_events(&events), spec.as_ref())
    }

    #[test]
    fn a_good_run_has_no_reason() {
        assert_eq!(of(&[("result", json!({ "subtype": "success", "text": "Done." }))], None), None);
        assert_eq!(of(&[], None), None);
    }

    #[test]
    fn a_failed_run_says_what_failed() {
        let failed = |class: &str| {
            of(
                &[(
                    "error",
                    json!({ "error": "It broke.\nat line 3", "errorClass": class, "partialText": "{\"a\":",
                "tokens": { "inputTokens": 1, "outputTokens": 34 }, "structuredOutput": { "schemaRequested": true } }),
                )],
                None,
            )
        };
        assert_eq!(failed("truncation").as_deref(), Some("Output truncated after 34 tokens; JSON not closed"));
        assert_eq!(failed("rate_limit").as_deref(), Some("The provider rate-limited the request"));
        assert_eq!(failed("unknown").as_deref(), Some("It broke."));
        assert_eq!(of(&[("cancelled", json!({ "reason": "user" }))], None).as_deref(), Some("Cancelled by user"));
    }

    #[test]
    fn a_local_tool_is_named_while_it_is_waited_for_and_after_it_timed_out() {
        let call = ("local_tool_call", json!({ "toolUseId": "a", "name": "approve_refund", "input": {} }));
        assert_eq!(of(std::slice::from_ref(&call), None).as_deref(), Some("Waiting for an answer from approve_refund"));
        let error = ("error", json!({ "error": "Too late.", "errorClass": "local_timeout" }));
        let spec = json!({ "prompt": "Refund it." });
        assert_eq!(
            of(&[call.clone(), error.clone()], Some(spec)).as_deref(),
            Some("approve_refund timed out after 5 min, nobody answered")
        );
        assert_eq!(of(&[call, error], None).as_deref(), Some("approve_refund timed out, nobody answered"));
    }

    #[test]
    fn guards_name_their_tool() {
        let done = ("result", json!({ "subtype": "success", "text": "Done." }));
        let report = |cutoff: bool| {
            ("loop_detected", json!({ "consecutiveCount": 6, "hardCutoff": cutoff, "tools": ["recall"] }))
        };
        assert_eq!(
            of(&[report(false), report(true), done.clone()], None).as_deref(),
            Some("recall called 6 times with the same arguments; tools turned off")
        );
        assert_eq!(
            of(&[report(false), done], None).as_deref(),
            Some("recall called 6 times with the same arguments; nudged")
        );
    }
}
