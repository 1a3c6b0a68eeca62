//! The banners for a supervisor that redirected or ended the run.

use serde_json::{Value, json};

use super::{Banner, BannerKind, Facts, NextStep, Severity};
use crate::spec::supervision;
use crate::timeline::format::{quoted, sentence};
use crate::timeline::{NoteKind, Timeline};

/// The largest value that MANTYX accepts.
const MAX_INTERVAL: u64 = 100;

pub(super) fn check(timeline: &Timeline, spec: Option<&Value>) -> Vec<Banner> {
    let redirect = banner(timeline, spec, "redirect", BannerKind::SupervisorRedirect);
    let finalize = banner(timeline, spec, "finalize", BannerKind::SupervisorFinalize);
    redirect.into_iter().chain(finalize).collect()
}

/// Returns one banner for all reviews with an action: the text of the last one, at the event of the first one.
fn banner(timeline: &Timeline, spec: Option<&Value>, wanted: &str, kind: BannerKind) -> Option<Banner> {
    let reviews: Vec<_> = timeline
        .notes()
        .filter(|note| matches!(&note.kind, NoteKind::Supervisor { action, .. } if action == wanted))
        .collect();
    let NoteKind::Supervisor { reason, redirect, llm_calls, mid_turn, .. } = &reviews.last()?.kind else { return None };
    let (title, did) = match kind {
        BannerKind::SupervisorFinalize => {
            ("The supervisor ended the run", "It turned tools off and asked for the final answer.")
        }
        _ => ("The supervisor redirected the run", "It asked the model to change course."),
    };
    let effect = match redirect {
        Some(redirect) if kind == BannerKind::SupervisorRedirect => {
            format!("It asked the model: {}", quoted(redirect, 200))
        }
        _ => did.to_owned(),
    };
    let why = if reason.is_empty() { "It gave no reason.".to_owned() } else { format!("Reason: {}", sentence(reason)) };
    let often = if reviews.len() > 1 { format!(" This was the last of {}.", reviews.len()) } else { String::new() };
    let next_step = review_less_often(spec);
    Some(Banner {
        kind,
        severity: Severity::Warning,
        seq: reviews.first()?.seq,
        title: title.to_owned(),
        detail: format!("{why} {effect}{often}"),
        facts: Facts::Supervisor {
            reviews: reviews.len() as u64,
            reason: reason.clone(),
            redirect: redirect.clone(),
            llm_calls: *llm_calls,
            mid_turn: *mid_turn,
        },
        next_step,
    })
}

/// Suggests twice as many calls between reviews, if the current number is known.
fn review_less_often(spec: Option<&Value>) -> NextStep {
    let text = "Read the supervisor's reason. If it was wrong, raise “Model calls between reviews”, or turn the supervisor off.";
    let interval = spec.and_then(supervision).map(|supervision| supervision.interval);
    let raised = interval.map(|interval| interval.saturating_mul(2).min(MAX_INTERVAL));
    match raised.filter(|raised| Some(*raised) > interval) {
        // `true` means the defaults and has no fields.
        Some(raised) if spec.is_some_and(|spec| spec["supervisor"].is_boolean()) => {
            NextStep::change(text, "/supervisor", Some(true.into()), Some(json!({ "interval": raised })))
        }
        raised => NextStep::change(text, "/supervisor/interval", interval.map(Into::into), raised.map(Into::into)),
    }
}
