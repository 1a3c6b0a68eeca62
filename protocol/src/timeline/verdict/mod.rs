//! A run in a few sentences, by rules alone: what was asked, how it ended, what decided it, what to do next.
//!
//! One small file for each rule; each adds its sentences or none. Every sentence carries the events that it rests on;
//! what only the spec tells has none.

mod aim;
mod budgets;
mod ending;
mod fallback;
mod log;
mod looping;
mod next_step;
mod plan;
mod reaction;
mod salvage;
mod schema;
mod supervisor;
mod tool_errors;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Timeline;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sentence {
    pub text: String,
    /// The events that it rests on, in the order in which it names them.
    pub seqs: Vec<u64>,
}

/// Reads a timeline, and the spec that the run was launched with where it is known.
pub fn verdict(timeline: &Timeline, spec: Option<&Value>) -> Vec<Sentence> {
    RULES.iter().flat_map(|rule| rule(timeline, spec)).collect()
}

/// Two equal batches in a row may be chance; from so many on they are told. The server's guard begins there too.
const WORTH_TELLING: usize = 3;

type Rule = fn(&Timeline, Option<&Value>) -> Vec<Sentence>;

/// In the order in which a person would tell it.
const RULES: [Rule; 12] = [
    aim::tell,
    ending::tell,
    looping::tell,
    budgets::tell,
    supervisor::tell,
    fallback::tell,
    tool_errors::tell,
    plan::tell,
    salvage::tell,
    schema::tell,
    log::tell,
    next_step::tell,
];

impl Sentence {
    fn new(text: impl Into<String>, seqs: impl Into<Vec<u64>>) -> Self {
        Self { text: text.into(), seqs: seqs.into() }
    }
}
