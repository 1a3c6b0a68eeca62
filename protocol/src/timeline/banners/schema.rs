//! The banner for an output schema that was requested but not enforced.

use serde_json::Value;

use super::{Banner, BannerKind, Facts, NextStep, Severity};
use crate::timeline::format::sentence;
use crate::timeline::{Ending, Timeline, failure};

pub(super) fn check(timeline: &Timeline, _: Option<&Value>) -> Vec<Banner> {
    let Some(outcome) = &timeline.outcome else { return Vec::new() };
    let class = outcome.error_class.as_deref().unwrap_or("");
    let unenforced = outcome.schema.as_ref().is_some_and(|schema| !schema.enforced);
    let (severity, title, detail, next_step) = if outcome.ending == Ending::Succeeded && unenforced {
        (
            Severity::Warning,
            "The output schema was not enforced".to_owned(),
            "The model could answer in any format, so the output may not match the schema.".to_owned(),
            NextStep::change(
                "Check the output before you rely on it. To make the run fail instead, enforce the output format strictly.",
                "/outputSchema/enforcement",
                Some("best_effort".into()),
                Some("strict".into()),
            ),
        )
    } else if class.starts_with("structured_output") {
        let message = outcome.error.as_deref().map(sentence).unwrap_or_default();
        let next_step = if class == "structured_output_schema_rejected" {
            NextStep::change("Simplify the output schema, then relaunch.", "/outputSchema/schema", None, None)
        } else {
            NextStep::change(
                "Choose a model that supports output schemas, or enforce the output format with best effort only.",
                "/outputSchema/enforcement",
                Some("strict".into()),
                Some("best_effort".into()),
            )
        };
        (Severity::Error, format!("Failed: {}", failure::describe(class)), message, next_step)
    } else {
        return Vec::new();
    };
    let (mechanism, fell_back) =
        outcome.schema.as_ref().map_or((None, false), |schema| (schema.mechanism.clone(), schema.fell_back));
    vec![Banner {
        kind: BannerKind::SchemaNotEnforced,
        severity,
        seq: outcome.seq,
        title,
        detail,
        facts: Facts::Schema { mechanism, fell_back },
        next_step,
    }]
}
