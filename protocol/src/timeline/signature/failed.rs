//! The signature of any other failure: the class of the error, its message without ids and numbers and, if the class
//! does not explain it, the tools that had failed just before.

use super::message::titled;
use super::{BannerKind, Signature, distinct, failure};
use crate::timeline::failure::is_documented;
use crate::timeline::reason::names;
use crate::timeline::{Timeline, ToolCall};

pub(super) fn signature(timeline: &Timeline) -> Option<Signature> {
    let (outcome, class) = failure(timeline)?;
    let (title, message) = titled(class, outcome.error.as_deref());
    let tools = if is_documented(class) { Vec::new() } else { tools_that_failed_last(timeline) };
    let title = match tools.is_empty() {
        true => title,
        false => format!("{title}, after {} failed", names(&tools)),
    };
    Some(Signature::new(BannerKind::Failed, title).with("class", class).with_message(&message).with_tools(&tools))
}

/// The tools that failed or reported a failure in the last turn that called any.
fn tools_that_failed_last(timeline: &Timeline) -> Vec<String> {
    let last = timeline.turns.iter().rev().find(|turn| turn.calls().next().is_some());
    let failed = last.into_iter().flat_map(|turn| turn.made_calls()).filter(|call| call.failed());
    distinct(failed.map(|call: &ToolCall| call.name.as_str()))
}
