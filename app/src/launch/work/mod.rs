//! What is being written: the spec and all that the page has to know beside it. It travels with the form and is kept as
//! the draft. What a form changes in it and what is wrong with it is told the same way by the server and, while somebody
//! types, in the browser.

pub mod answering;
pub mod apply;
pub mod cards;
pub mod choices;
pub mod faults;
pub mod files;
pub mod json_problem;
pub mod left;
pub mod place;
pub mod rows;
pub mod told;
pub mod typed;

use std::collections::BTreeMap;

use protocol::validate::FieldError;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use self::left::{Left, Removed};
use self::rows::Property;
use crate::launch::{LaunchMode, ToolCheck};
use domain::{Answers, Headers};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Work {
    /// The same key is the same launch.
    pub key: String,
    pub spec: Value,
    pub answers: Answers,
    pub mode: LaunchMode,
    /// What controls show that is not yet what it should be, by the control's name: JSON that cannot be read.
    pub texts: BTreeMap<String, String>,
    /// Rows of names and values that are not yet a map, by its place: a name is missing or stands twice.
    pub rows: BTreeMap<String, Vec<(String, String)>>,
    /// The same for the properties of schemas.
    pub properties: BTreeMap<String, Vec<Property>>,
    /// What was left behind by choosing something else, by what brings it back.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub left: BTreeMap<String, Left>,
    /// The tool that was removed last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removed: Option<Removed>,
    /// The JSON side, where it cannot be read.
    pub json: Option<String>,
    pub like: Option<Like>,
    /// It was to be launched: from now on missing fields are told too.
    pub tried: bool,
    /// What MANTYX or a peer said, at its field.
    pub refused: Vec<FieldError>,
    /// What was said that belongs to no field.
    pub message: Option<String>,
    /// It may have been launched: nobody knows. Once more only on purpose.
    pub unsure: bool,
    /// What the last button did.
    pub done: Option<String>,
    pub checks: Vec<ToolCheck>,
    /// Tools that a server was found to have, by the place of the tool.
    pub found: BTreeMap<String, Vec<FoundTool>>,
    /// Where a catalogue is discovered, by the place of the tool.
    pub sources: BTreeMap<String, Source>,
    /// Cards that were fetched to be looked at, by the place of the tool.
    pub cards: BTreeMap<String, Value>,
    /// An answer to try the output schema with.
    pub sample: String,
    pub batch: BatchFields,
    pub template: TemplateFields,
    /// Addresses of files that are written and not yet attached, by the list that they are for.
    pub file_urls: BTreeMap<String, String>,
    /// Whose it is, and in which workspace: a form that comes after a sign-out, or when somebody else is signed in, is theirs
    /// alone.
    pub owner: String,
    /// The same in words.
    pub owner_name: String,
    /// By this the server knows a form that it gave to its owner, also when nobody is signed in any more.
    pub pass: String,
    /// It has just begun and is not the draft yet.
    pub fresh: bool,
    /// What was the draft before is kept beside it.
    pub earlier: bool,
    /// A new sign-in may help with what the message says.
    pub sign_in: bool,
    pub session: Option<SessionFacts>,
}

/// What it was made from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Like {
    pub label: String,
    pub href: Option<String>,
    /// With long texts cut.
    pub spec: Value,
    #[serde(default)]
    pub answers: Answers,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundTool {
    pub name: String,
    pub description: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Source {
    pub url: String,
    pub command: String,
    /// A header to ask with: one is all that the form offers here.
    pub header: String,
    pub value: String,
}

/// The session that a message goes to: what it brings along.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SessionFacts {
    pub id: String,
    /// Without secrets.
    pub spec: Value,
    /// Why no message can be sent to it.
    pub problem: Option<String>,
}

impl Source {
    pub fn headers(&self) -> Headers {
        let named = (!self.header.is_empty()).then(|| (self.header.clone(), self.value.clone()));
        named.into_iter().collect()
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct BatchFields {
    pub inputs: String,
    pub tag_key: String,
    pub tag_value: String,
}

/// The template that the work is kept as.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TemplateFields {
    /// Of the one that it was made from or kept as, where that is the writer's own.
    pub id: Option<String>,
    pub name: String,
    pub notes: String,
    pub shared: bool,
    /// The one that is about to be deleted, if that is really meant.
    pub to_delete: Option<String>,
}

impl Work {
    /// What somebody finds who has not written anything yet. Whoever may launch it gives it a key.
    pub fn new() -> Self {
        Self::of(json!({ "systemPrompt": "You are a helpful assistant." }))
    }

    pub fn of(spec: Value) -> Self {
        Self { spec, ..Self::default() }
    }

    /// What the session says about a field that the message leaves out.
    pub fn session_spec(&self) -> Option<&Value> {
        let known = self.session.as_ref().filter(|session| session.spec.is_object());
        known.map(|session| &session.spec).filter(|_| matches!(self.mode, LaunchMode::Message { .. }))
    }

    /// Takes an item out of a list of the spec. What was noted about later items moves along with them.
    pub fn drop_item(&mut self, list: &str, at: usize) {
        let before = self.spec.clone();
        if place::remove(&mut self.spec, &format!("{list}/{at}")).is_none() {
            return;
        }
        if self.spec.pointer(list).and_then(Value::as_array).is_some_and(Vec::is_empty) {
            place::remove(&mut self.spec, list);
        }
        self.move_notes(list, |i| (i != at).then(|| if i > at { i - 1 } else { i }));
        self.spec_changed(&before);
    }

    /// Puts an item into a list of the spec, as near to a place as the list is long. Gives where it stands.
    pub fn insert_item(&mut self, list: &str, at: usize, item: Value) -> Option<usize> {
        let before = self.spec.clone();
        if self.spec.pointer(list).is_none() {
            place::set(&mut self.spec, list, json!([]));
        }
        let items = self.spec.pointer_mut(list)?.as_array_mut()?;
        let at = at.min(items.len());
        items.insert(at, item);
        self.move_notes(list, |i| Some(if i < at { i } else { i + 1 }));
        self.spec_changed(&before);
        Some(at)
    }

    /// What is known of the items of a list goes to where they stand now.
    fn move_notes(&mut self, list: &str, to: impl Fn(usize) -> Option<usize>) {
        let moved = |key: &str| moved(key, list, &to);
        self.texts = move_keys(&mut self.texts, moved);
        self.rows = move_keys(&mut self.rows, moved);
        self.properties = move_keys(&mut self.properties, moved);
        self.found = move_keys(&mut self.found, moved);
        self.cards = move_keys(&mut self.cards, moved);
        self.sources = move_keys(&mut self.sources, moved);
        self.file_urls = move_keys(&mut self.file_urls, moved);
        self.left = move_keys(&mut self.left, moved);
    }

    /// Forgets what was said about a spec that is another now, and answers of tools that are gone.
    pub fn spec_changed(&mut self, before: &Value) {
        if self.spec == *before {
            return;
        }
        self.refused.clear();
        self.message = None;
        if self.spec.get("tools") != before.get("tools") {
            self.checks.clear();
        }
        if !matches!(self.mode, LaunchMode::Message { .. }) {
            let tools = crate::launch::local_tools(&self.spec);
            self.answers.retain(|tool, _| tools.iter().any(|(name, _)| name == tool));
        }
    }
}

fn move_keys<T>(map: &mut BTreeMap<String, T>, moved: impl Fn(&str) -> Option<String>) -> BTreeMap<String, T> {
    std::mem::take(map).into_iter().filter_map(|(key, value)| Some((moved(&key)?, value))).collect()
}

/// The key of the same thing after the items of a list have moved; `None` for those of an item that is gone. A key may have
/// letters before its pointer.
fn moved(key: &str, list: &str, to: impl Fn(usize) -> Option<usize>) -> Option<String> {
    let Some(start) = key.find('/').filter(|start| key[*start..].starts_with(&format!("{list}/"))) else {
        return Some(key.to_owned());
    };
    let (head, rest) = key.split_at(start + list.len() + 1);
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    match rest[..digits].parse::<usize>() {
        Ok(i) => to(i).map(|i| format!("{head}{i}{}", &rest[digits..])),
        Err(_) => Some(key.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_of_later_tools_moves_along_when_one_is_taken_out() {
        let mut work = Work::of(json!({ "tools": [{ "name": "a" }, { "name": "b" }, { "name": "c" }] }));
        for key in ["j/tools/0/x", "j/tools/1/x", "j/tools/2/x", "j/plan/steps"] {
            work.texts.insert(key.to_owned(), key.to_owned());
        }
        work.drop_item("/tools", 1);
        assert_eq!(work.spec, json!({ "tools": [{ "name": "a" }, { "name": "c" }] }));
        let texts: Vec<(&str, &str)> = work.texts.iter().map(|(key, text)| (key.as_str(), text.as_str())).collect();
        assert_eq!(
            texts,
            [("j/plan/steps", "j/plan/steps"), ("j/tools/0/x", "j/tools/0/x"), ("j/tools/1/x", "j/tools/2/x")]
        );
        work.drop_item("/tools", 0);
        work.drop_item("/tools", 0);
        assert_eq!(work.spec, json!({}));
    }
}
