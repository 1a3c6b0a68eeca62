//! The supervisor changed the course of the run, or had it finish.

use serde_json::Value;

use super::{Banner, BannerKind, Facts, NextStep, Severity};
use crate::timeline::words::{quoted, sentence};
use crate::timeline::{NoteKind, Timeline};

pub(super) fn check(timeline: &Timeline, _: Option<&Value>) -> Vec<Banner> {
    let redirect = banner(timeline, "redirect", BannerKind::SupervisorRedirect);
    let finalize = banner(timeline, "finalize", BannerKind::SupervisorFinalize);
    redirect.into_iter().chain(finalize).collect()
}

/// All reviews with one verdict: the last one in words, at the first one's place.
fn banner(timeline: &Timeline, verdict: &str, kind: BannerKind) -> Option<Banner> {
    let reviews: Vec<_> = timeline
        .notes()
        .filter(|note| matches!(&note.kind, NoteKind::Supervisor { action, .. } if action == verdict))
        .collect();
    let NoteKind::Supervisor { reason, redirect, llm_calls, mid_turn, .. } = &reviews.last()?.kind else { return None };
    let (title, did) = match kind {
        BannerKind::SupervisorFinalize => {
            ("The supervisor had the run finish", "It switched tools off and asked for the final answer.")
        }
        _ => ("The supervisor redirected the run", "It told the model to change course."),
    };
    let told = match redirect {
        Some(redirect) if kind == BannerKind::SupervisorRedirect => {
            format!("It told the model: {}", quoted(redirect, 200))
        }
        _ => did.to_owned(),
    };
    let why =
        if reason.is_empty() { "It gave no reason.".to_owned() } else { format!("Its reason: {}", sentence(reason)) };
    let often = if reviews.len() > 1 { format!(" This was the last of {}.", reviews.len()) } else { String::new() };
    let next_step = NextStep::change(
        "Read the supervisor's reason. If it was wrong, raise supervisor.interval, or switch the supervisor off.",
        "/supervisor/interval",
        None,
        None,
    );
    Some(Banner {
        kind,
        severity: Severity::Warning,
        seq: reviews.first()?.seq,
        title: title.to_owned(),
        detail: format!("{why} {told}{often}"),
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
