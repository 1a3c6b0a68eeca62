//! The banners for problems of the log: missing events, events after the end, or no end.

use serde_json::Value;

use super::{Banner, BannerKind, Facts, NextStep, Severity};
use crate::timeline::format::count;
use crate::timeline::{NoteKind, Timeline};

pub(super) fn check(timeline: &Timeline, _: Option<&Value>) -> Vec<Banner> {
    [gap(timeline), no_end(timeline), after_end(timeline)].into_iter().flatten().collect()
}

fn gap(timeline: &Timeline) -> Option<Banner> {
    let integrity = &timeline.integrity;
    let first @ (from, to) = *integrity.gaps.first()?;
    let missing = integrity.missing();
    let place = match (from == to, integrity.gaps.len()) {
        (true, 1) => format!("Event #{from} is missing."),
        (false, 1) => format!("Events #{from} to #{to} are missing."),
        (true, n) => format!("The first of {n} gaps is event #{from}."),
        (false, n) => format!("The first of {n} gaps is events #{from} to #{to}."),
    };
    Some(Banner {
        kind: BannerKind::LogGap,
        severity: Severity::Warning,
        seq: to.saturating_add(1),
        title: format!("The log has a gap: {} missing", count(missing, "event")),
        detail: format!("{place} What happened there is unknown. All other events are shown."),
        facts: Facts::Gap { missing, ranges: integrity.gaps.len() as u64, first },
        next_step: NextStep::text(
            "Compare with the log of the client that received the stream. You can import its file as a run.",
        ),
    })
}

fn no_end(timeline: &Timeline) -> Option<Banner> {
    let status = timeline.lacks_end().then(|| timeline.status().as_str())?;
    let last_seq = timeline.last_seq();
    let stops = if last_seq == 0 { "its log is empty".to_owned() } else { format!("its log stops at #{last_seq}") };
    let (detail, next) = match timeline.is_cut_off() {
        true => (
            format!("This file stops at #{last_seq}. How the run ended is unknown."),
            "Import a file with the whole log: this one was probably exported while the run was in progress.",
        ),
        false => (
            format!("The run is over ({status}), but {stops}. How it ended is not recorded."),
            "Reload the page to fetch the rest. If it is still missing, MANTYX does not have it.",
        ),
    };
    Some(Banner {
        kind: BannerKind::LogIncomplete,
        severity: Severity::Warning,
        seq: last_seq,
        title: "The log is incomplete".to_owned(),
        detail,
        facts: Facts::NoEnd { last_seq, status: status.to_owned() },
        next_step: NextStep::text(next),
    })
}

fn after_end(timeline: &Timeline) -> Option<Banner> {
    let events = timeline.integrity.after_end;
    (events > 0).then(|| Banner {
        kind: BannerKind::LogIncomplete,
        severity: Severity::Warning,
        seq: timeline
            .notes()
            .find(|note| matches!(note.kind, NoteKind::AfterEnd { .. }))
            .map_or(timeline.last_seq(), |note| note.seq),
        title: "Events after the end of the log".to_owned(),
        detail: format!(
            "{} came after the run had ended. They are listed, but change nothing above.",
            count(events, "event")
        ),
        facts: Facts::AfterEnd { events },
        next_step: NextStep::text("Report this to MANTYX's operator: no event should follow the last one."),
    })
}
