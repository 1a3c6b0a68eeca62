//! The signature of a model that declined to answer.

use super::{BannerKind, Signature};
use crate::timeline::Timeline;

pub(super) fn signature(timeline: &Timeline) -> Option<Signature> {
    timeline.refusal_seq()?;
    Some(Signature::new(BannerKind::Refused, "The model declined to answer"))
}
