//! The model ran out of output budget; what it had written is kept.

use super::{Banner, BannerKind, Severity, count};
use crate::timeline::Timeline;

pub(super) fn check(timeline: &Timeline) -> Vec<Banner> {
    let Some(outcome) = &timeline.outcome else { return Vec::new() };
    if outcome.error_class.as_deref() != Some("truncation") {
        return Vec::new();
    }
    let kept = count(outcome.text.chars().count() as u64, "character");
    let spent = match outcome.tokens {
        Some(tokens) if tokens.output_tokens > 0 => format!(" after {} output tokens", tokens.output_tokens),
        _ => String::new(),
    };
    vec![Banner {
        kind: BannerKind::Truncated,
        severity: Severity::Error,
        seq: outcome.seq,
        title: "Truncated: the answer is cut off".to_owned(),
        detail: format!(
            "The model reached its output limit{spent}. {kept} were kept below; they are a fragment, not an answer. \
             Ask for less, or choose a model with a larger output limit."
        ),
    }]
}
