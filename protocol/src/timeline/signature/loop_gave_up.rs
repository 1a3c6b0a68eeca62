//! The signature of a loop whose guard turned tools off. Runs that it only nudged went on by themselves, so they have
//! no group.

use super::{BannerKind, Signature, distinct};
use crate::timeline::reason::names;
use crate::timeline::{NoteKind, Timeline};

pub(super) fn signature(timeline: &Timeline) -> Option<Signature> {
    let tools = timeline.notes().find_map(|note| match &note.kind {
        NoteKind::LoopDetected { hard_cutoff: true, tools, .. } => Some(tools),
        _ => None,
    })?;
    let tools = distinct(tools.iter().map(String::as_str));
    let title = format!("{} looped, and tools were turned off", names(&tools));
    Some(Signature::new(BannerKind::LoopGaveUp, title).with_tools(&tools))
}
