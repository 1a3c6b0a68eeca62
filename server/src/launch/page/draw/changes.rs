//! What was changed in a run or a template that is launched again, and what a message sets otherwise than its session.

use app::launch::diff;
use app::launch::sheet::{Changes, Item};
use domain::{Answerer, Answers};
use protocol::redact::redact;
use serde_json::{Map, Value, json};

use super::super::files::shortened;
use super::super::place::shown_text;
use super::{Draw, note};
use crate::answers::without_secrets;

/// Characters shown of each side of a difference.
const MAX_DIFF_CHARS: usize = 200;

impl Draw<'_> {
    pub fn changes(&self) -> Option<Changes> {
        let like = self.work.like.as_ref()?;
        let mut found = diff(&shortened(&like.spec), &shortened(self.spec()));
        let answers = |answers: &Answers| json!({ "answers": told(answers) });
        found.extend(diff(&answers(&like.answers), &answers(&self.work.answers)));
        let lines = found.into_iter().map(|change| (change.path, short(change.before), short(change.after)));
        Some(Changes { of: like.label.clone(), href: like.href.clone(), lines: lines.collect() })
    }

    /// Everything that holds for this message and not for its session.
    pub fn overrides(&self) -> Vec<Item> {
        let Some(session) = self.work.session_spec() else { return Vec::new() };
        let set = self.spec().as_object().into_iter().flatten();
        let set = set.filter(|(field, _)| !matches!(field.as_str(), "prompt" | "messages"));
        let mut set: Value = set.map(|(field, value)| (field.clone(), value.clone())).collect::<Map<_, _>>().into();
        redact(&mut set);
        let there = session.as_object().into_iter().flatten();
        let there = there.filter(|(field, _)| set.get(field.as_str()).is_some());
        let there: Value = there.map(|(field, value)| (field.clone(), value.clone())).collect::<Map<_, _>>().into();
        let facts: Vec<(String, String)> = diff(&shortened(&there), &shortened(&set))
            .into_iter()
            .map(|change| (change.path, format!("{} instead of {}", quoted(change.after), quoted(change.before))))
            .collect();
        if facts.is_empty() {
            return vec![note("Nothing is set otherwise than the session has it.")];
        }
        vec![note("For this message only:"), Item::Facts { facts }]
    }
}

/// Answers as they are compared: a tool that nobody is chosen for is answered by hand, and secrets are not shown.
fn told(answers: &Answers) -> Value {
    let chosen = answers.iter().filter(|(_, answerer)| **answerer != Answerer::Hand);
    let chosen: Answers = chosen.map(|(tool, answerer)| (tool.clone(), answerer.clone())).collect();
    shortened(&serde_json::to_value(without_secrets(chosen)).unwrap_or_default())
}

fn short(value: Option<Value>) -> String {
    let text = value.map(|value| shown_text(&value, "")).unwrap_or_default();
    match text.char_indices().nth(MAX_DIFF_CHARS) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

fn quoted(value: Option<Value>) -> String {
    Some(short(value)).filter(|text| !text.is_empty()).map_or_else(|| "nothing".to_owned(), |text| format!("“{text}”"))
}
