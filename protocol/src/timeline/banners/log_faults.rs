//! The log itself has faults: events are missing, or came after the end.

use super::{Banner, BannerKind, Severity, count};
use crate::timeline::Timeline;

pub(super) fn check(timeline: &Timeline) -> Vec<Banner> {
    let mut banners = Vec::new();
    let integrity = &timeline.integrity;
    if let Some(&(from, to)) = integrity.gaps.first() {
        let missing = count(integrity.missing(), "event");
        let first = if from == to { format!("#{from}") } else { format!("#{from} to #{to}") };
        banners.push(Banner {
            kind: BannerKind::LogGap,
            severity: Severity::Warning,
            seq: to.saturating_add(1),
            title: format!("The log has a gap: {missing} missing"),
            detail: format!(
                "The first gap is {first}. What happened there is not known; the rest is shown as it came."
            ),
        });
    }
    if integrity.after_end > 0 {
        banners.push(Banner {
            kind: BannerKind::LogIncomplete,
            severity: Severity::Warning,
            seq: timeline.last_seq(),
            title: "The log goes on after its end".to_owned(),
            detail: format!("{} came after the run had ended.", count(integrity.after_end, "event")),
        });
    }
    banners
}
