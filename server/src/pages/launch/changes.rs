//! The changes from the run or template that the draft started from, and from the session of a message.

use app::launch::draft::control_text::text_at;
use app::launch::draft::files::shorten;
use app::model::launch::{Changes, Item};
use domain::{Answerer, ToolAnswerers};
use protocol::redact::redact;
use serde_json::{Map, Value, json};

use super::controls::{PageBuilder, note};
use crate::answers::without_secrets;
use crate::launch::diff;

/// The most characters of a value that are shown.
const MAX_DIFF_CHARS: usize = 200;

impl PageBuilder<'_> {
    pub fn changes(&self) -> Option<Changes> {
        let origin = self.draft.origin.as_ref()?;
        let mut found = diff(&shorten(&origin.spec), &shorten(self.spec()));
        let answers = |answers: &ToolAnswerers| json!({ "answers": comparable(answers) });
        found.extend(diff(&answers(&origin.answers), &answers(&self.draft.answers)));
        let lines = found.into_iter().map(|change| (change.path, short(change.before), short(change.after)));
        Some(Changes { origin: origin.label.clone(), href: origin.href.clone(), lines: lines.collect() })
    }

    /// The settings of a message that differ from its session.
    pub fn overrides(&self) -> Vec<Item> {
        let Some(session) = self.draft.session_spec() else { return Vec::new() };
        let set = self.spec().as_object().into_iter().flatten();
        let set = set.filter(|(field, _)| !matches!(field.as_str(), "prompt" | "messages"));
        let mut set: Value = set.map(|(field, value)| (field.clone(), value.clone())).collect::<Map<_, _>>().into();
        redact(&mut set);
        let in_session = session.as_object().into_iter().flatten();
        let in_session = in_session.filter(|(field, _)| set.get(field.as_str()).is_some());
        let in_session: Value =
            in_session.map(|(field, value)| (field.clone(), value.clone())).collect::<Map<_, _>>().into();
        let facts: Vec<(String, String)> = diff(&shorten(&in_session), &shorten(&set))
            .into_iter()
            .map(|change| (change.path, format!("{} instead of {}", quoted(change.after), quoted(change.before))))
            .collect();
        if facts.is_empty() {
            return vec![note("Nothing differs from the session.")];
        }
        vec![note("For this message only:"), Item::Facts { facts }]
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
