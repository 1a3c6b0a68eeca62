//! An output schema that was not enforced.

use serde_json::Value;

use super::Sentence;
use crate::timeline::{Ending, Timeline};

pub(super) fn sentences(timeline: &Timeline, _: Option<&Value>) -> Vec<Sentence> {
    let Some(outcome) = timeline.outcome.as_ref().filter(|outcome| outcome.ending == Ending::Succeeded) else {
        return Vec::new();
    };
    let unenforced = outcome.schema.as_ref().is_some_and(|schema| !schema.enforced);
    let text = "The output schema was not enforced, so the output may not match it.";
    unenforced.then(|| Sentence::new(text, [outcome.seq])).into_iter().collect()
}
