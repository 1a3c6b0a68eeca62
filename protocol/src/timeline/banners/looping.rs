//! The loop guard stepped in: it nudged the model, or gave up and switched tools off.

use super::{Banner, BannerKind, Severity};
use crate::timeline::{NoteKind, Timeline};

pub(super) fn check(timeline: &Timeline) -> Vec<Banner> {
    let detected = timeline.notes().filter_map(|note| match &note.kind {
        NoteKind::LoopDetected { consecutive_count, hard_cutoff, tools } => {
            Some((note.seq, *consecutive_count, *hard_cutoff, tools.join(", ")))
        }
        _ => None,
    });
    detected
        .map(|(seq, times, hard_cutoff, tools)| {
            if hard_cutoff {
                Banner {
                    kind: BannerKind::LoopGaveUp,
                    severity: Severity::Error,
                    seq,
                    title: "Looping — gave up".to_owned(),
                    detail: format!(
                        "{tools} was called {times} times in a row with the same arguments. Tools were then switched \
                         off, and the answer was written without them. Check what the tool returns for these arguments."
                    ),
                }
            } else {
                Banner {
                    kind: BannerKind::LoopNudged,
                    severity: Severity::Warning,
                    seq,
                    title: "Looping — nudged".to_owned(),
                    detail: format!(
                        "{tools} was called {times} times in a row with the same arguments. The call was skipped and \
                         the model was told to change course."
                    ),
                }
            }
        })
        .collect()
}
