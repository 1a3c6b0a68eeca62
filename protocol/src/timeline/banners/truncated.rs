//! The banner for an answer that is incomplete because the model reached its output limit. MANTYX fails such a run
//! or, rarely, reports success.

use serde_json::Value;

use super::{Banner, BannerKind, Facts, NextStep, Severity};
use crate::spec::reasoning_level;
use crate::timeline::format::{count, grouped};
use crate::timeline::{Ending, Outcome, Timeline};

/// The number for `low`. Below it there is only `off`.
const LOW: u64 = 30;

pub(super) fn check(timeline: &Timeline, spec: Option<&Value>) -> Vec<Banner> {
    let Some(outcome) = &timeline.outcome else { return Vec::new() };
    let Some(seq) = timeline.truncation_seq() else { return Vec::new() };
    let succeeded = outcome.ending == Ending::Succeeded;
    let kept_chars = timeline.answer().chars().count() as u64;
    let thinking_chars = timeline.turns.last().map_or(0, |turn| turn.thinking.chars().count() as u64);
    let output_tokens = outcome.tokens.map(|tokens| tokens.output_tokens).filter(|tokens| *tokens > 0);
    let json_requested = outcome.schema.is_some();
    let kept = match (kept_chars, json_requested) {
        (0, _) => "No output.".to_owned(),
        (n, _) if succeeded => {
            format!("MANTYX reports success, but these {} are a partial output.", count(n, "character"))
        }
        (n, true) => format!("Partial output kept: {} of incomplete JSON.", count(n, "character")),
        (n, false) => format!("Partial output kept: {}.", count(n, "character")),
    };
    vec![Banner {
        kind: BannerKind::Truncated,
        severity: if succeeded { Severity::Warning } else { Severity::Error },
        seq,
        title: "Output truncated".to_owned(),
        detail: format!("{} {kept}", limit(timeline, outcome)),
        facts: Facts::Truncated { output_tokens, kept_chars, thinking_chars, json_requested },
        next_step: next_step(thinking_chars > 0 && thinking_chars >= kept_chars, spec),
    }]
}

/// Describes the limit. The protocol does not report its value, but the output of a single turn shows it.
fn limit(timeline: &Timeline, outcome: &Outcome) -> String {
    let tokens = outcome.tokens.filter(|tokens| tokens.output_tokens > 0);
    let Some(tokens) = tokens else {
        return "The model reached its output limit; MANTYX doesn't report the exact limit.".to_owned();
    };
    let thinking = match tokens.reasoning_tokens {
        0 => String::new(),
        thinking if thinking >= tokens.output_tokens => ", all of them thinking".to_owned(),
        thinking => format!(", {} of them thinking", grouped(thinking)),
    };
    let written = count(tokens.output_tokens, "output token");
    match timeline.turns.len() {
        0 | 1 => format!("The model reached its output limit after {written}{thinking}."),
        turns => {
            let turns = count(turns as u64, "turn");
            format!("The model reached its output limit for one turn, after {written} in {turns}{thinking}.")
        }
    }
}

/// Suggests more room for the answer. A spec cannot set the limit: it can lower the thinking, or choose another model.
fn next_step(mostly_thought: bool, spec: Option<&Value>) -> NextStep {
    // An unknown spec may have requested thinking.
    let level = spec.map_or(LOW + 1, reasoning_level);
    if mostly_thought && level > 0 {
        let (to, how) = if level > LOW { ("low", "set reasoning to low") } else { ("off", "turn reasoning off") };
        let text = format!(
            "Leave more of the limit to the answer: {how}. If that is not enough, choose a model with a \
             larger output limit."
        );
        return NextStep::change(text, "/reasoningLevel", super::spec_field(spec, "reasoningLevel"), Some(to.into()));
    }
    let text = "Ask for a shorter answer, or choose a model with a larger output limit: the limit is the model's, \
                and it can't be raised in the spec.";
    NextStep::change(text, "/modelId", super::spec_field(spec, "modelId"), None)
}
