//! An output schema was asked for, and nothing made the model keep to it.

use super::{Banner, BannerKind, Severity};
use crate::timeline::{Ending, Timeline};

pub(super) fn check(timeline: &Timeline) -> Vec<Banner> {
    let Some(outcome) = &timeline.outcome else { return Vec::new() };
    let class = outcome.error_class.as_deref().unwrap_or("");
    let ended_unenforced = outcome.ending == Ending::Succeeded && outcome.schema_enforced == Some(false);
    if !ended_unenforced && !class.starts_with("structured_output") {
        return Vec::new();
    }
    let detail = if ended_unenforced {
        "The answer was written without the schema being enforced: check it before you rely on its shape. Set \
         outputSchema.enforcement to strict to fail instead."
    } else {
        "The schema could not be enforced, and strict enforcement was asked for. Choose a model that supports it, or \
         set outputSchema.enforcement to best_effort."
    };
    vec![Banner {
        kind: BannerKind::SchemaNotEnforced,
        severity: if ended_unenforced { Severity::Warning } else { Severity::Error },
        seq: outcome.seq,
        title: "The output schema was not enforced".to_owned(),
        detail: detail.to_owned(),
    }]
}
