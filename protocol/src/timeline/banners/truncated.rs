//! The model ran out of output budget; what it had written is kept.

use serde_json::Value;

use super::{Banner, BannerKind, Facts, NextStep, Severity};
use crate::timeline::Timeline;
use crate::timeline::words::count;

pub(super) fn check(timeline: &Timeline, spec: Option<&Value>) -> Vec<Banner> {
    let Some(outcome) = &timeline.outcome else { return Vec::new() };
    if !outcome.is_truncated() {
        return Vec::new();
    }
    let kept_chars = outcome.text.chars().count() as u64;
    let thinking_chars = timeline.turns.last().map_or(0, |turn| turn.thinking.chars().count() as u64);
    let output_tokens = outcome.tokens.map(|tokens| tokens.output_tokens).filter(|tokens| *tokens > 0);
    let json_requested = outcome.schema.is_some();
    let spent = output_tokens.map(|tokens| format!(" after {}", count(tokens, "output token"))).unwrap_or_default();
    let only_thought = kept_chars == 0 && thinking_chars > 0;
    let kept = match (kept_chars, json_requested) {
        (0, _) if only_thought => "It spent all of it on thinking and wrote no answer.".to_owned(),
        (0, _) => "It had written nothing.".to_owned(),
        (n, true) => format!("{} of unfinished JSON were kept: a fragment, not an answer.", count(n, "character")),
        (n, false) => format!("{} were kept: a fragment, not an answer.", count(n, "character")),
    };
    let next_step = if only_thought {
        let from = super::asked_for(spec, "reasoningLevel");
        NextStep::change(
            "Let the model think less: set reasoningLevel to low, or choose a model with a larger output limit.",
            "/reasoningLevel",
            from,
            Some("low".into()),
        )
    } else {
        let text = "Ask for a shorter answer, or choose a model with a larger output limit (modelId).";
        NextStep::change(text, "/modelId", super::asked_for(spec, "modelId"), None)
    };
    vec![Banner {
        kind: BannerKind::Truncated,
        severity: Severity::Error,
        seq: outcome.seq,
        title: "Truncated: the answer is cut off".to_owned(),
        detail: format!("The model reached its output limit{spent}. {kept}"),
        facts: Facts::Truncated { output_tokens, kept_chars, thinking_chars, json_requested },
        next_step,
    }]
}
