//! The signature of a run that failed because of its output schema.

use super::message::titled;
use super::{BannerKind, Signature, failure};
use crate::timeline::Timeline;

pub(super) fn signature(timeline: &Timeline) -> Option<Signature> {
    let (outcome, class) = failure(timeline).filter(|(_, class)| class.starts_with("structured_output"))?;
    let (title, message) = titled(class, outcome.error.as_deref());
    Some(Signature::new(BannerKind::SchemaNotEnforced, title).with("class", class).with_message(&message))
}
