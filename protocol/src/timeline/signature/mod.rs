//! The signature of a failure, by which failed runs are grouped: runs that failed alike have the same one.
//!
//! Every run that failed, was truncated, refused, timed out while it waited, or was stopped by a guard has exactly one.
//! Runs that are in progress, were cancelled or recovered have none.
//!
//! One small file for each rule, with one function: `signature(timeline) -> Option<Signature>`. To add a rule:
//!
//! 1. Write `signature` in a new file of this folder, and list it in `RULES` before the rules that are more general.
//! 2. Put only what is equal in all runs of a group into it: no ids, no numbers ([`message::normalized`] removes them).
//! 3. Add a sample log to `protocol/tests/logs` and review its snapshot, see `protocol/tests/golden.rs`.
//!
//! A change to a rule changes the groups of stored runs: they have to be indexed again, see `INDEX_VERSION` of the store.

mod context_window;
mod failed;
mod local_timeout;
mod loop_gave_up;
mod message;
mod refused;
mod schema;
mod supervisor;
mod truncated;
mod turn_limit;

use std::fmt::Write;

use super::{BannerKind, Ending, Outcome, Timeline, banners};

/// Words of an id's prefix are separated by this.
const SEPARATOR: char = '-';

/// A failure group, as one of its runs shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailureSignature {
    /// The kind of its banner and a hash of the signature: `loop-gave-up-3f9a1c04d2e8`.
    pub id: String,
    /// What happened, in words.
    pub title: String,
    /// The recommended action, for all runs of the group.
    pub next_step: String,
}

/// Returns the group of an ended run, or `None` if nothing failed, it recovered or it was cancelled.
pub fn failure_signature(timeline: &Timeline) -> Option<FailureSignature> {
    let outcome = timeline.outcome.as_ref().filter(|outcome| outcome.ending != Ending::Cancelled)?;
    let signature = RULES.iter().find_map(|rule| rule(timeline))?;
    let next_step = banners::all(timeline, None).into_iter().find(|banner| banner.kind == signature.banner);
    let next_step = next_step.map(|banner| banner.next_step.text).unwrap_or_default();
    Some(signature.finish(outcome.ending, next_step))
}

/// Returns the group of a failed run whose log has no end, by the error that its list row or snapshot has.
pub fn failure_signature_without_log(error: Option<&str>) -> FailureSignature {
    let text = message::normalized(error.unwrap_or_default());
    let title = match text.as_str() {
        "" => "Failed, and the log has no end".to_owned(),
        text => message::shown(text),
    };
    let next_step = "Check the last steps in the timeline, then relaunch.".to_owned();
    Signature::new(BannerKind::LogIncomplete, title).with_message(&text).finish(Ending::Failed, next_step)
}

type Rule = fn(&Timeline) -> Option<Signature>;

/// The first one that applies decides.
const RULES: [Rule; 9] = [
    refused::signature,
    truncated::signature,
    local_timeout::signature,
    turn_limit::signature,
    context_window::signature,
    schema::signature,
    failed::signature,
    loop_gave_up::signature,
    supervisor::signature,
];

/// What the runs of a group have in common.
struct Signature {
    banner: BannerKind,
    title: String,
    /// Everything that tells this group from others with the same banner.
    parts: Vec<String>,
}

impl Signature {
    fn new(banner: BannerKind, title: impl Into<String>) -> Self {
        Self { banner, title: title.into(), parts: Vec::new() }
    }

    fn with(mut self, name: &str, value: &str) -> Self {
        self.parts.push(format!("{name}={value}"));
        self
    }

    /// Tools in any order, each once.
    fn with_tools(self, tools: &[String]) -> Self {
        self.with("tools", &tools.join(","))
    }

    /// A normalized message. Letter case does not tell groups apart.
    fn with_message(self, message: &str) -> Self {
        self.with("message", &message.to_lowercase())
    }

    fn finish(self, ending: Ending, next_step: String) -> FailureSignature {
        let kind = self.banner.as_str();
        let ending = if ending == Ending::Succeeded { "succeeded" } else { "failed" };
        let mut text = format!("{kind}\n{ending}");
        for part in &self.parts {
            // Writing to a string cannot fail.
            let _ = write!(text, "\n{part}");
        }
        let id = format!("{}{SEPARATOR}{:012x}", kind.replace('_', "-"), hash(&text) & 0xffff_ffff_ffff);
        FailureSignature { id, title: self.title, next_step }
    }
}

/// FNV-1a with a final mix. Stored ids depend on it, so it never changes.
fn hash(text: &str) -> u64 {
    let fnv = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let mut hash = text.bytes().fold(0xcbf2_9ce4_8422_2325, fnv);
    hash = (hash ^ (hash >> 33)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash ^ (hash >> 33)
}

/// The outcome of a run that failed with an error, and the class of the error.
fn failure(timeline: &Timeline) -> Option<(&Outcome, &str)> {
    let outcome = timeline.outcome.as_deref().filter(|outcome| outcome.ending == Ending::Failed)?;
    Some((outcome, outcome.error_class.as_deref().unwrap_or("unknown")))
}

/// Names in alphabetical order, each once.
fn distinct<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let sorted: std::collections::BTreeSet<&str> = names.into_iter().collect();
    sorted.into_iter().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests;
