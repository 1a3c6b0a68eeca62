//! The signature of a run that the supervisor ended. Its reason is written by a model, so it does not tell groups
//! apart.

use super::{BannerKind, Signature};
use crate::timeline::{NoteKind, Timeline};

pub(super) fn signature(timeline: &Timeline) -> Option<Signature> {
    let ended = |note: &crate::timeline::Note| matches!(&note.kind, NoteKind::Supervisor { action, .. } if action == "finalize");
    timeline.notes().any(ended).then(|| Signature::new(BannerKind::SupervisorFinalize, "The supervisor ended the run"))
}
