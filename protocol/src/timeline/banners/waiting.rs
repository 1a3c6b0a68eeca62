//! A local tool has been called and nobody has answered yet.

use super::{Banner, BannerKind, Severity};
use crate::timeline::Timeline;

pub(super) fn check(timeline: &Timeline) -> Vec<Banner> {
    if timeline.outcome.is_some() {
        return Vec::new();
    }
    timeline
        .waiting_calls()
        .map(|call| Banner {
            kind: BannerKind::WaitingLocalTool,
            severity: Severity::Warning,
            seq: call.seq,
            title: format!("Waiting for the local tool {}", call.name),
            detail: "The program that started this run owes an answer. The run goes on when it comes, or fails after \
                     five minutes."
                .to_owned(),
        })
        .collect()
}
