//! The signature of a model that reached its output limit. Text, JSON and an answer that never began have different
//! causes.

use super::{BannerKind, Signature};
use crate::timeline::{Ending, Timeline};

pub(super) fn signature(timeline: &Timeline) -> Option<Signature> {
    timeline.truncation_seq()?;
    let outcome = timeline.outcome.as_ref()?;
    let (kept, words) = match (timeline.answer().is_empty(), outcome.schema.is_some()) {
        (true, _) => ("nothing", "; no output"),
        (false, true) => ("json", "; JSON not closed"),
        (false, false) => ("text", ""),
    };
    let success = if outcome.ending == Ending::Succeeded { ", reported as a success" } else { "" };
    Some(Signature::new(BannerKind::Truncated, format!("Output truncated{words}{success}")).with("kept", kept))
}
