//! The signature of a local tool call that nobody answered in time. One group for each set of tools.

use super::{BannerKind, Signature, distinct, failure};
use crate::timeline::Timeline;
use crate::timeline::reason::names;

pub(super) fn signature(timeline: &Timeline) -> Option<Signature> {
    failure(timeline).filter(|(_, class)| *class == "local_timeout")?;
    let tools = distinct(timeline.waiting_calls().map(|call| call.name.as_str()));
    let title = format!("{} timed out, nobody answered", names(&tools));
    Some(Signature::new(BannerKind::LocalToolTimeout, title).with_tools(&tools))
}
