//! The banner for a fallback model that replaced the requested one.

use serde_json::Value;

use super::{Banner, BannerKind, Facts, NextStep, Severity};
use crate::timeline::format::tool;
use crate::timeline::{NoteKind, Timeline, failure};

pub(super) fn check(timeline: &Timeline, _: Option<&Value>) -> Vec<Banner> {
    let switches: Vec<_> =
        timeline.notes().filter(|note| matches!(note.kind, NoteKind::ModelFallback { .. })).collect();
    let Some(first) = switches.first() else { return Vec::new() };
    let NoteKind::ModelFallback { error_class, primary, fallback, model } = &first.kind else { return Vec::new() };
    let name = |id: &Option<String>, otherwise: &str| id.as_deref().map_or_else(|| otherwise.to_owned(), tool);
    let took_over = name(&model.clone().or_else(|| fallback.clone()), "the fallback model");
    let asked_for = name(primary, "the model asked for");
    vec![Banner {
        kind: BannerKind::ModelFallback,
        severity: Severity::Info,
        seq: first.seq,
        title: "The fallback model took over".to_owned(),
        detail: format!("{took_over} answered instead of {asked_for}, because {}.", failure::describe(error_class)),
        facts: Facts::Fallback {
            primary: primary.clone(),
            fallback: fallback.clone(),
            error_class: error_class.clone(),
            switches: switches.len() as u64,
        },
        next_step: NextStep::text("Nothing is wrong. If this happens often, make the fallback the first choice."),
    }]
}
