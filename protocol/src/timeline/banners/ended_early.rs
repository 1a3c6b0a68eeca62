//! The run failed, was refused or was cancelled. Truncation has a banner of its own.

use super::{Banner, BannerKind, Severity};
use crate::timeline::{Ending, Outcome, Timeline};

pub(super) fn check(timeline: &Timeline) -> Vec<Banner> {
    let refused = timeline.turns.iter().rev().find(|turn| turn.finish_reason.as_deref() == Some("refusal"));
    let ended = match &timeline.outcome {
        Some(outcome) if outcome.ending == Ending::Cancelled => Some(cancelled(outcome)),
        Some(outcome) if outcome.ending == Ending::Failed && refused.is_none() => failed(outcome),
        _ => None,
    };
    let refused = refused.map(|turn| Banner {
        kind: BannerKind::Refused,
        severity: Severity::Warning,
        seq: turn.message_seq.unwrap_or(turn.last_seq),
        title: "Refused: the model declined to answer".to_owned(),
        detail:
            "It ended its turn with the finish reason «refusal». Rephrase the request, or review the system prompt."
                .to_owned(),
    });
    ended.into_iter().chain(refused).collect()
}

fn cancelled(outcome: &Outcome) -> Banner {
    let by = outcome.reason.as_deref().map(|reason| format!(" (reason: {reason})")).unwrap_or_default();
    Banner {
        kind: BannerKind::Cancelled,
        severity: Severity::Info,
        seq: outcome.seq,
        title: "Cancelled".to_owned(),
        detail: format!("The run was stopped before it finished{by}. What it had done until then is below."),
    }
}

fn failed(outcome: &Outcome) -> Option<Banner> {
    let class = outcome.error_class.as_deref().unwrap_or("unknown");
    let (kind, advice) = match class {
        // These have banners of their own.
        "truncation" => return None,
        class if class.starts_with("structured_output") => return None,
        "context_window" => (
            BannerKind::ContextWindow,
            "The input is larger than the model can read: shorten it or use a larger model.",
        ),
        "local_timeout" => {
            (BannerKind::LocalToolTimeout, "Nobody answered a local tool in time. Is the program that owns it running?")
        }
        "rate_limit" | "overloaded" => (BannerKind::Failed, "The provider was busy. Try again later."),
        "auth" => (BannerKind::Failed, "The provider refused the credentials. Check the provider's key in MANTYX."),
        "invalid_request" => (BannerKind::Failed, "The provider refused the request. Check the spec."),
        _ => (BannerKind::Failed, "Try again; if it fails again, look at the last steps below."),
    };
    let title = match kind {
        BannerKind::ContextWindow => "Failed: the input does not fit the context window".to_owned(),
        BannerKind::LocalToolTimeout => "Failed: a local tool did not answer in time".to_owned(),
        _ => format!("Failed: {class}"),
    };
    let error = outcome.error.as_deref().unwrap_or("No message was given.");
    Some(Banner { kind, severity: Severity::Error, seq: outcome.seq, title, detail: format!("{error} {advice}") })
}
