//! The banners for a loop guard that nudged the model, or gave up and turned tools off.

use serde_json::{Value, json};

use super::{Banner, BannerKind, Facts, NextStep, Severity, spec_field};
use crate::json_pointer::escape;
use crate::spec::loop_thresholds;
use crate::timeline::format::{count, tools};
use crate::timeline::{NoteKind, Timeline};

/// The smallest values that MANTYX accepts.
const LOWEST_THRESHOLDS: (u64, u64) = (2, 3);

pub(super) fn check(timeline: &Timeline, spec: Option<&Value>) -> Vec<Banner> {
    [banner(timeline, spec, false), banner(timeline, spec, true)].into_iter().flatten().collect()
}

/// Returns one banner for all reports of a kind, at the first of them.
fn banner(timeline: &Timeline, spec: Option<&Value>, gave_up: bool) -> Option<Banner> {
    let mut reports = timeline.notes().filter_map(|note| match &note.kind {
        NoteKind::LoopDetected { consecutive_count, hard_cutoff, tools } if *hard_cutoff == gave_up => {
            Some((note.seq, *consecutive_count, tools))
        }
        _ => None,
    });
    let (seq, mut longest, tools_in_loop) = reports.next()?;
    let mut reported = 1;
    for (_, consecutive, _) in reports {
        longest = longest.max(consecutive);
        reported += 1;
    }
    let names = tools(tools_in_loop.iter().map(String::as_str));
    let calls = format!("{} to {names} in a row", count(longest, "identical call"));
    let look = format!(
        "Check the results of {names}. If they are empty or unclear, say in the system prompt what to do then."
    );
    let (kind, severity, title, detail) = if gave_up {
        let what = format!("The loop guard turned tools off after {calls}. The model answered without them.");
        (BannerKind::LoopGaveUp, Severity::Error, "Looping — gave up", what)
    } else {
        let what = format!(
            "The loop guard stepped in after {calls}. It skipped the call and asked the model to answer or try something else."
        );
        (BannerKind::LoopNudged, Severity::Warning, "Looping — nudged", what)
    };
    Some(Banner {
        kind,
        severity,
        seq,
        title: title.to_owned(),
        detail,
        facts: Facts::Loop { tools: tools_in_loop.clone(), longest, reports: reported },
        next_step: stop_sooner(&look, spec, tools_in_loop),
    })
}

/// Suggests lower thresholds or, if they cannot be lower, a budget for the tool.
fn stop_sooner(look: &str, spec: Option<&Value>, tools_in_loop: &[String]) -> NextStep {
    let (threshold, cutoff) = LOWEST_THRESHOLDS;
    let thresholds = spec.and_then(loop_thresholds);
    let is_lowest = thresholds.is_some_and(|asked| asked.nudge_at <= threshold && asked.give_up_at <= cutoff);
    match tools_in_loop.first().filter(|_| is_lowest) {
        Some(tool) => NextStep::change(
            format!("{look} To stop such a loop sooner, give the tool a budget."),
            &format!("/toolBudgets/{}/maxCalls", escape(tool)),
            None,
            Some(1.into()),
        ),
        None => NextStep::change(
            format!("{look} To stop such a loop sooner, lower the guard's thresholds."),
            "/loopDetection",
            spec_field(spec, "loopDetection"),
            Some(json!({ "consecutiveThreshold": threshold, "hardCutoffThreshold": cutoff })),
        ),
    }
}
