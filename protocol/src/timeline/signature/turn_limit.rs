//! The signature of a run that used up its turns. One group for each tool that was called most.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::{BannerKind, Signature, failure};
use crate::timeline::Timeline;
use crate::timeline::failure::MAX_TOOL_TURNS;
use crate::timeline::reason::names;

pub(super) fn signature(timeline: &Timeline) -> Option<Signature> {
    failure(timeline).filter(|(_, class)| *class == MAX_TOOL_TURNS)?;
    let tools: Vec<String> = most_called(timeline).into_iter().collect();
    let title = match tools.is_empty() {
        true => "Turn limit reached".to_owned(),
        false => format!("Turn limit reached while calling {}", names(&tools)),
    };
    Some(Signature::new(BannerKind::Failed, title).with("class", MAX_TOOL_TURNS).with_tools(&tools))
}

/// The first in the alphabet, if several were called as often.
fn most_called(timeline: &Timeline) -> Option<String> {
    let mut calls: BTreeMap<&str, u64> = BTreeMap::new();
    timeline.calls().for_each(|call| *calls.entry(&call.name).or_default() += 1);
    calls.into_iter().min_by_key(|(name, calls)| (Reverse(*calls), *name)).map(|(name, _)| name.to_owned())
}
