//! The changes from the run or template that the draft started from, and from the session of a message.

use app::launch::draft::control_text::text_at;
use app::launch::draft::files::shorten;
use domain::{Answerer, ToolAnswerers};
use protocol::redact::redact;
use protocol::timeline::changes;
use serde_json::{Value, json};

use super::controls::{PageBuilder, note};
use super::items::{Changes, Item};
use crate::answers::without_secrets;

/// The most characters of a value that are shown.
const MAX_DIFF_CHARS: usize = 200;

impl PageBuilder<'_> {
    pub fn changes(&self) -> Option<Changes> {
        let origin = self.draft.origin.as_ref()?;
        let mut found = changes(&shorten(&origin.spec), &shorten(self.spec()));
        let answers = |answers: &ToolAnswerers| json!({ "answers": comparable(answers) });
        found.extend(changes(&answers(&origin.answers), &answers(&self.draft.answers)));
        let lines = found.into_iter().map(|change| (change.pointer, short(change.before), short(change.after)));
        Some(Changes { origin: origin.label.clone(), href: origin.href.clone(), lines: lines.collect() })
    }

    /// The settings of a message that differ from its session.
    pub fn overrides(&self) -> Vec<Item> {
        let Some(session) = self.draft.session_spec() else { return Vec::new() };
        let mut set = self.spec().as_object().cloned().unwrap_or_default();
        set.retain(|field, _| !matches!(field.as_str(), "prompt" | "messages"));
        let mut in_session = session.as_object().cloned().unwrap_or_default();
        in_session.retain(|field, _| set.contains_key(field));
        let mut set = Value::Object(set);
        redact(&mut set);
        let facts: Vec<(String, String)> = changes(&shorten(&in_session.into()), &shorten(&set))
            .into_iter()
            .map(|change| (change.pointer, format!("{} instead of {}", quoted(change.after), quoted(change.before))))
            .collect();
        if facts.is_empty() {
            return vec![note("Nothing differs from the session.")];
        }
        vec![note("For this message only:"), Item::Facts(facts)]
    }
}

/// Returns answerers for the comparison: without secrets, and without the default answerer.
fn comparable(answers: &ToolAnswerers) -> Value {
    let chosen = answers.iter().filter(|(_, answerer)| **answerer != Answerer::Hand);
    let chosen: ToolAnswerers = chosen.map(|(tool, answerer)| (tool.clone(), answerer.clone())).collect();
    shorten(&serde_json::to_value(without_secrets(chosen)).unwrap_or_default())
}

fn short(value: Option<Value>) -> String {
    let text = value.map(|value| text_at(&value, "")).unwrap_or_default();
    match text.char_indices().nth(MAX_DIFF_CHARS) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

fn quoted(value: Option<Value>) -> String {
    Some(short(value)).filter(|text| !text.is_empty()).map_or_else(|| "nothing".to_owned(), |text| format!("“{text}”"))
}
