//! A fallback model that replaced the requested one.

use serde_json::Value;

use super::Sentence;
use crate::timeline::format::tool;
use crate::timeline::{NoteKind, Timeline, failure};

pub(super) fn sentences(timeline: &Timeline, _: Option<&Value>) -> Vec<Sentence> {
    let switched = timeline.notes().find_map(|note| match &note.kind {
        NoteKind::ModelFallback { error_class, fallback, model, .. } => {
            let name = model.as_deref().or(fallback.as_deref()).map_or_else(|| "another model".to_owned(), tool);
            let why = failure::describe(error_class);
            Some(Sentence::new(format!("From #{} on, {name} answered, because {why}.", note.seq), [note.seq]))
        }
        _ => None,
    });
    switched.into_iter().collect()
}
