//! The request, and the agent that got it.

use serde_json::Value;

use super::Sentence;
use crate::spec::prompt_text;
use crate::timeline::format::{quoted, tool};
use crate::timeline::{NoteKind, Timeline};

const MAX_CHARS: usize = 120;

pub(super) fn sentences(timeline: &Timeline, spec: Option<&Value>) -> Vec<Sentence> {
    from_spec(spec).or_else(|| from_log(timeline)).into_iter().collect()
}

fn from_spec(spec: Option<&Value>) -> Option<Sentence> {
    let spec = spec?;
    let prompt = Some(prompt_text(spec)).filter(|prompt| !prompt.trim().is_empty())?;
    let name = ["name", "agentId"].iter().find_map(|field| spec[field].as_str()).filter(|name| !name.is_empty());
    let who = name.map_or_else(|| "The model".to_owned(), tool);
    Some(Sentence::new(format!("{who} was asked: {}", quoted(prompt, MAX_CHARS)), []))
}

/// Uses the messages of the user in a session's replay.
fn from_log(timeline: &Timeline) -> Option<Sentence> {
    let messages = timeline.notes().filter_map(|note| match &note.kind {
        NoteKind::Message { role, text, .. } if role == "user" => Some((note.seq, text)),
        _ => None,
    });
    let (seq, text) = messages.last()?;
    Some(Sentence::new(format!("The last message was: {}", quoted(text, MAX_CHARS)), [seq]))
}
