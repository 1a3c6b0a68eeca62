//! The signature of input that exceeds the model's context window. The message has only numbers to add.

use super::{BannerKind, Signature, failure};
use crate::timeline::Timeline;
use crate::timeline::failure::sentence;

pub(super) fn signature(timeline: &Timeline) -> Option<Signature> {
    let (_, class) = failure(timeline).filter(|(_, class)| *class == "context_window")?;
    Some(Signature::new(BannerKind::ContextWindow, sentence(class)))
}
