//! The draft of a launch: the spec, and the state of the form around it.
//!
//! It travels with the form and is saved between visits. The server and the browser apply a form to it with the same code,
//! so that both report the same errors.

pub mod answerers;
pub mod apply;
pub mod cards;
pub mod client_check;
pub mod control_text;
pub mod error_placement;
pub mod files;
pub mod json_error;
pub mod rows;
mod set_aside;
pub mod shapes;
pub mod validation;

use std::collections::BTreeMap;

use domain::ToolAnswerers;
use protocol::json_pointer;
use protocol::validate::{Body, FieldError};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use self::rows::Row;
use self::set_aside::{RemovedTool, SetAside};
use crate::launch::control_name::{ControlKind, ControlName};
use crate::launch::{ToolCheck, local_tools};

/// Saved as one flat object.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LaunchDraft {
    /// The same key is the same launch.
    pub key: String,
    pub spec: Value,
    pub answers: ToolAnswerers,
    pub mode: LaunchMode,
    pub origin: Option<Origin>,
    /// The session that a message goes to.
    pub session: Option<SessionInfo>,
    #[serde(flatten)]
    pub unfinished: UnfinishedInput,
    #[serde(flatten)]
    pub last_action: LastAction,
    #[serde(flatten)]
    pub ownership: Ownership,
}

/// Input that is not in the spec: not valid yet, replaced by another choice, or for a later action.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct UnfinishedInput {
    /// Texts by the name of their control: those that are not valid yet, such as JSON with a syntax error, and those that
    /// are not part of the spec, such as the inputs of a batch or the address of a file.
    pub texts: BTreeMap<String, String>,
    /// Rows that can't be written as a map or schema yet, by its pointer: a name is missing or used twice.
    #[serde(rename = "unfinishedRows")]
    pub rows: BTreeMap<String, Vec<Row>>,
    /// Values that another choice replaced, by the choice that restores them.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub set_aside: BTreeMap<String, SetAside>,
    /// The tool that was removed last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removed_tool: Option<RemovedTool>,
    /// The user's own template that the draft started from or was saved as.
    pub template_id: Option<String>,
    /// The template whose deletion has to be confirmed.
    pub template_to_delete: Option<String>,
}

impl UnfinishedInput {
    /// Returns the text of a control, which is empty if there is none.
    pub fn text(&self, control: &ControlName) -> &str {
        self.texts.get(&control.to_string()).map_or("", String::as_str)
    }

    pub fn set_text(&mut self, control: &ControlName, text: &str) {
        match text {
            "" => drop(self.texts.remove(&control.to_string())),
            text => drop(self.texts.insert(control.to_string(), text.to_owned())),
        }
    }

    /// Returns the text of the JSON editor, if it has a syntax error.
    pub fn invalid_json(&self) -> Option<&str> {
        self.texts.get("json").map(String::as_str)
    }
}

/// The result of the last action.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LastAction {
    /// From the first attempt to launch on, missing fields are errors.
    pub launch_attempted: bool,
    /// What the action did.
    pub success: Option<String>,
    /// Errors that MANTYX or a peer reported.
    pub reported_errors: Vec<FieldError>,
    /// An error that belongs to no field.
    pub general_error: Option<String>,
    /// A new sign-in may solve the general error.
    pub suggest_sign_in: bool,
    /// What a chosen file with the inputs of a batch would start.
    pub batch_file: Option<String>,
    /// A launch was sent and not confirmed.
    pub unconfirmed: bool,
    pub tool_checks: Vec<ToolCheck>,
    /// Tools that MCP servers listed, by the pointer of the spec's tool.
    pub discovered_tools: BTreeMap<String, Vec<DiscoveredTool>>,
    /// Fetched agent cards that are only shown, by the pointer of the spec's tool.
    pub fetched_cards: BTreeMap<String, Value>,
}

impl LastAction {
    /// Replaces the reported errors at a place and inside it.
    pub fn report(&mut self, place: &str, error: Option<FieldError>) {
        self.reported_errors.retain(|known| !known.path.starts_with(place));
        self.reported_errors.extend(error);
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Ownership {
    /// The email address and the workspace of the owner, for messages.
    pub owner_name: String,
    /// The sealed user and workspace that the form belongs to. It proves that the server gave the form to its owner, also
    /// after a sign-out.
    #[serde(rename = "ownershipProof")]
    pub proof: String,
    /// It has not replaced the saved draft yet.
    pub is_new: bool,
    /// The first words of the prompt of the saved draft that it would replace.
    pub saved_draft: Option<String>,
    /// The draft that it replaced is saved too.
    pub has_previous_draft: bool,
    /// That one is another version of this draft, which another page has saved since this page was opened.
    pub changed_elsewhere: bool,
    /// Differs with each page that the server gives out, also in another tab.
    pub page: String,
    /// The fingerprint of the saved draft that the page showed or saved last.
    pub based_on: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum LaunchMode {
    #[default]
    OneShot,
    /// The prompt is the first message of a new session; everything else belongs to the session.
    NewSession,
    /// The prompt is the next message of a session; everything else overrides the session for this message.
    Message { session_id: String },
}

impl LaunchMode {
    /// Returns the request that has the spec as its body.
    pub fn body(&self) -> Body {
        match self {
            // A new session gets the spec without its input, which is sent as the first message.
            Self::OneShot | Self::NewSession => Body::Run,
            Self::Message { .. } => Body::Message,
        }
    }
}

/// The run or template that the draft started from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Origin {
    pub label: String,
    pub href: Option<String>,
    /// Long texts are shortened.
    pub spec: Value,
    #[serde(default)]
    pub answers: ToolAnswerers,
}

impl Origin {
    pub fn run_id(&self) -> Option<&str> {
        self.href.as_deref()?.strip_prefix("/runs/")
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiscoveredTool {
    pub name: String,
    pub description: String,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SessionInfo {
    pub id: String,
    /// Without secrets.
    pub spec: Value,
    /// The reason why it takes no messages.
    pub problem: Option<String>,
}

impl LaunchDraft {
    /// Returns the draft of an empty form. It has no key, so it can't be launched.
    pub fn new() -> Self {
        Self::from_spec(json!({ "systemPrompt": "You are a helpful assistant." }))
    }

    pub fn from_spec(spec: Value) -> Self {
        Self { spec, ..Self::default() }
    }

    /// An empty draft is not worth restoring.
    pub fn has_content(&self) -> bool {
        self.spec != Self::new().spec
    }

    /// Returns the spec of the session that a message goes to.
    pub fn session_spec(&self) -> Option<&Value> {
        let known = self.session.as_ref().filter(|session| session.spec.is_object());
        known.map(|session| &session.spec).filter(|_| matches!(self.mode, LaunchMode::Message { .. }))
    }

    /// Returns where the list or the card of a tool comes from: its `url` or `command`, or the credential for it as
    /// `header` and `value`.
    pub fn source(&self, tool: &str, part: &str) -> &str {
        self.unfinished.text(&ControlKind::Source.part(tool, part)).trim()
    }

    /// Removes an item from a list of the spec, and updates the pointers to later items.
    pub fn remove_item(&mut self, list: &str, at: usize) {
        let before = self.spec.clone();
        if json_pointer::remove(&mut self.spec, &format!("{list}/{at}")).is_none() {
            return;
        }
        if self.spec.pointer(list).and_then(Value::as_array).is_some_and(Vec::is_empty) {
            json_pointer::remove(&mut self.spec, list);
        }
        self.reindex_items(list, |i| (i != at).then(|| if i > at { i - 1 } else { i }));
        self.after_spec_change(&before);
    }

    /// Inserts an item into a list of the spec and returns its index, which is smaller than `at` in a shorter list.
    pub fn insert_item(&mut self, list: &str, at: usize, item: Value) -> Option<usize> {
        let before = self.spec.clone();
        if !self.spec.pointer(list).is_some_and(Value::is_array) {
            json_pointer::set(&mut self.spec, list, json!([]));
        }
        let items = self.spec.pointer_mut(list)?.as_array_mut()?;
        let at = at.min(items.len());
        items.insert(at, item);
        self.reindex_items(list, |i| Some(if i < at { i } else { i + 1 }));
        self.after_spec_change(&before);
        Some(at)
    }

    /// Updates the keys of the form's state after items of a list have moved.
    fn reindex_items(&mut self, list: &str, to: impl Fn(usize) -> Option<usize>) {
        let reindexed = |key: &str| reindexed_key(key, list, &to);
        let UnfinishedInput { texts, rows, set_aside, .. } = &mut self.unfinished;
        rename_keys(texts, reindexed);
        rename_keys(rows, reindexed);
        rename_keys(set_aside, reindexed);
        rename_keys(&mut self.last_action.discovered_tools, reindexed);
        rename_keys(&mut self.last_action.fetched_cards, reindexed);
    }

    /// Drops errors and checks of the spec before the change, and the answerers of removed tools.
    pub fn after_spec_change(&mut self, before: &Value) {
        if self.spec == *before {
            return;
        }
        self.last_action.reported_errors.clear();
        self.last_action.general_error = None;
        if self.spec.get("tools") != before.get("tools") {
            self.last_action.tool_checks.clear();
        }
        if !matches!(self.mode, LaunchMode::Message { .. }) {
            let tools = local_tools(&self.spec);
            self.answers.retain(|tool, _| tools.iter().any(|(name, _)| name == tool));
        }
    }
}

fn rename_keys<T>(map: &mut BTreeMap<String, T>, renamed: impl Fn(&str) -> Option<String>) {
    *map = std::mem::take(map).into_iter().filter_map(|(key, value)| Some((renamed(&key)?, value))).collect();
}

/// Returns a key with the new index of its item, or `None` if the item was removed. The pointer may follow a prefix, as
/// in the name of a control.
fn reindexed_key(key: &str, list: &str, to: impl Fn(usize) -> Option<usize>) -> Option<String> {
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
    fn the_state_of_later_tools_follows_when_one_is_removed() {
        let mut draft = LaunchDraft::from_spec(json!({ "tools": [{ "name": "a" }, { "name": "b" }, { "name": "c" }] }));
        for key in ["field:/tools/0/x", "field:/tools/1/x", "field:/tools/2/x", "field:/plan/steps"] {
            draft.unfinished.texts.insert(key.to_owned(), key.to_owned());
        }
        draft.remove_item("/tools", 1);
        assert_eq!(draft.spec, json!({ "tools": [{ "name": "a" }, { "name": "c" }] }));
        let texts: Vec<(&str, &str)> =
            draft.unfinished.texts.iter().map(|(key, text)| (key.as_str(), text.as_str())).collect();
        assert_eq!(
            texts,
            [
                ("field:/plan/steps", "field:/plan/steps"),
                ("field:/tools/0/x", "field:/tools/0/x"),
                ("field:/tools/1/x", "field:/tools/2/x")
            ]
        );
        draft.remove_item("/tools", 0);
        draft.remove_item("/tools", 0);
        assert_eq!(draft.spec, json!({}));
    }

    #[test]
    fn a_saved_draft_is_read_also_with_fields_that_are_not_known_any_more() {
        let mut draft = LaunchDraft::from_spec(json!({ "prompt": "p" }));
        draft.unfinished.texts.insert("json".to_owned(), "{".to_owned());
        draft.unfinished.set_aside.insert("/plan=custom".to_owned(), SetAside::default());
        draft.last_action.success = Some("Saved.".to_owned());
        draft.ownership.owner_name = "me".to_owned();
        let mut saved = serde_json::to_value(&draft).expect("JSON");
        saved["removed"] = json!({ "list": "/tools" });
        assert_eq!(serde_json::from_value::<LaunchDraft>(saved).expect("a draft"), draft);
    }
}
