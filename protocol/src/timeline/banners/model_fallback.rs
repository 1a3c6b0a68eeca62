//! The model asked for did not answer, and the fallback took over.

use super::{Banner, BannerKind, Severity};
use crate::timeline::{NoteKind, Timeline};

pub(super) fn check(timeline: &Timeline) -> Vec<Banner> {
    let switches = timeline.notes().filter_map(|note| match &note.kind {
        NoteKind::ModelFallback { error_class, primary, fallback } => {
            Some((note.seq, error_class, primary.as_deref()?, fallback.as_deref()?))
        }
        _ => None,
    });
    switches
        .map(|(seq, error_class, primary, fallback)| Banner {
            kind: BannerKind::ModelFallback,
            severity: Severity::Info,
            seq,
            title: "The fallback model took over".to_owned(),
            detail: format!("{primary} failed ({error_class}); from here on {fallback} answered."),
        })
        .collect()
}
