//! The verdict: a summary of a run in a few sentences, written by rules. The request, the ending and its causes, and the
//! next step.
//!
//! One small file for each rule, with one function: `sentences(timeline, spec) -> Vec<Sentence>`. To add a rule:
//!
//! 1. Write `sentences` in a new file of this folder, and list it in `RULES` at its place in the text.
//! 2. Give each sentence the seqs of the events that prove it; a sentence about the spec has none.
//! 3. Add a sample log to `protocol/tests/logs` and review its snapshot, see `protocol/tests/golden.rs`.

mod budgets;
mod ending;
mod fallback;
mod log_problems;
mod looping;
mod next_step;
mod partial_output;
mod plan;
mod reaction;
mod request;
mod schema;
mod supervisor;
mod tool_errors;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Timeline;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sentence {
    pub text: String,
    /// The events that prove it, in the order of the text.
    pub seqs: Vec<u64>,
}

/// Returns the summary of a run. `spec` is the spec that it was launched with, if known.
pub fn verdict(timeline: &Timeline, spec: Option<&Value>) -> Vec<Sentence> {
    RULES.iter().flat_map(|rule| rule(timeline, spec)).collect()
}

/// Fewer equal batches in a row may be chance. The server's guard has the same default.
const MIN_EQUAL_TURNS: usize = 3;

type Rule = fn(&Timeline, Option<&Value>) -> Vec<Sentence>;

/// In the order of the text.
const RULES: [Rule; 12] = [
    request::sentences,
    ending::sentences,
    looping::sentences,
    budgets::sentences,
    supervisor::sentences,
    fallback::sentences,
    tool_errors::sentences,
    plan::sentences,
    partial_output::sentences,
    schema::sentences,
    log_problems::sentences,
    next_step::sentences,
];

impl Sentence {
    fn new(text: impl Into<String>, seqs: impl Into<Vec<u64>>) -> Self {
        Self { text: text.into(), seqs: seqs.into() }
    }
}
