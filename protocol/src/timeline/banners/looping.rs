//! The server's loop guard stepped in: it nudged the model, or gave up and switched tools off.

use serde_json::Value;

use super::{Banner, BannerKind, Facts, NextStep, Severity};
use crate::timeline::words::{times, tools};
use crate::timeline::{NoteKind, Timeline};

pub(super) fn check(timeline: &Timeline, _: Option<&Value>) -> Vec<Banner> {
    [banner(timeline, false), banner(timeline, true)].into_iter().flatten().collect()
}

/// All reports of one kind, at the first of them.
fn banner(timeline: &Timeline, gave_up: bool) -> Option<Banner> {
    let mut reports = timeline.notes().filter_map(|note| match &note.kind {
        NoteKind::LoopDetected { consecutive_count, hard_cutoff, tools } if *hard_cutoff == gave_up => {
            Some((note.seq, *consecutive_count, tools))
        }
        _ => None,
    });
    let (seq, mut longest, tools_in_loop) = reports.next()?;
    let mut count = 1;
    for (_, consecutive, _) in reports {
        longest = longest.max(consecutive);
        count += 1;
    }
    let names = tools(tools_in_loop.iter().map(String::as_str));
    let what = format!("The server saw {names} called {} in a row with the same arguments.", times(longest));
    let look = NextStep::change(
        format!(
            "Look at what came back from {names}. If that is empty or unclear, say in the system prompt what to do then."
        ),
        "/systemPrompt",
        None,
        None,
    );
    let (kind, severity, title, then) = if gave_up {
        let then = "It switched all tools off, and the model wrote its answer without them.";
        (BannerKind::LoopGaveUp, Severity::Error, "Looping — gave up", then)
    } else {
        let then = "It skipped the call and told the model to answer or to try something else.";
        (BannerKind::LoopNudged, Severity::Warning, "Looping — nudged", then)
    };
    Some(Banner {
        kind,
        severity,
        seq,
        title: title.to_owned(),
        detail: format!("{what} {then}"),
        facts: Facts::Loop { tools: tools_in_loop.clone(), longest, reports: count },
        next_step: look,
    })
}
