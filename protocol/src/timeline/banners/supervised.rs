//! The supervisor changed the course of the run, or ended it.

use super::{Banner, BannerKind, Severity};
use crate::timeline::{NoteKind, Timeline};

pub(super) fn check(timeline: &Timeline) -> Vec<Banner> {
    let reviews = timeline.notes().filter_map(|note| match &note.kind {
        NoteKind::Supervisor { action, reason, redirect } => Some((note.seq, action.as_str(), reason, redirect)),
        _ => None,
    });
    reviews
        .filter_map(|(seq, action, reason, redirect)| {
            let (kind, title) = match action {
                "redirect" => (BannerKind::SupervisorRedirect, "The supervisor redirected the run"),
                "finalize" => (BannerKind::SupervisorFinalize, "The supervisor ended the run"),
                _ => return None,
            };
            let told = redirect.as_ref().map(|redirect| format!(" It told the model: {redirect}")).unwrap_or_default();
            let detail = format!("Its reason: {reason}{told}");
            Some(Banner { kind, severity: Severity::Warning, seq, title: title.to_owned(), detail })
        })
        .collect()
}
