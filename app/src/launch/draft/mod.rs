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
pub mod json_problem;
pub mod rows;
mod set_aside;
pub mod settings;
pub mod validation;

use std::collections::BTreeMap;

use domain::{Headers, ToolAnswerers};
use protocol::json_pointer;
use protocol::validate::FieldError;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use self::rows::Property;
use self::set_aside::{RemovedTool, SetAside};
use crate::launch::{ToolCheck, local_tools};

/// The aliases read drafts that were saved before a field was renamed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct LaunchDraft {
    /// The same key is the same launch.
    pub key: String,
    pub spec: Value,
    pub answers: ToolAnswerers,
    pub mode: LaunchMode,
    /// Texts that are not valid yet, such as JSON with a syntax error, by the control's name.
    #[serde(alias = "texts")]
    pub invalid_texts: BTreeMap<String, String>,
    /// Rows of names and values that can't be written as a map yet, by its pointer: a name is missing or used twice.
    #[serde(alias = "rows")]
    pub invalid_rows: BTreeMap<String, Vec<(String, String)>>,
    /// The same for the properties of schemas.
    #[serde(alias = "properties")]
    pub invalid_properties: BTreeMap<String, Vec<Property>>,
    /// Values that another choice replaced, by the choice that restores them.
    #[serde(alias = "left", skip_serializing_if = "BTreeMap::is_empty")]
    pub set_aside: BTreeMap<String, SetAside>,
    /// The tool that was removed last.
    #[serde(alias = "removed", skip_serializing_if = "Option::is_none")]
    pub removed_tool: Option<RemovedTool>,
    /// The text of the JSON editor, if it has a syntax error.
    #[serde(alias = "json")]
    pub invalid_json: Option<String>,
    #[serde(alias = "like")]
    pub origin: Option<Origin>,
    /// From the first attempt to launch on, missing fields are errors.
    #[serde(alias = "tried")]
    pub launch_attempted: bool,
    /// Errors that MANTYX or a peer reported.
    #[serde(alias = "refused")]
    pub reported_errors: Vec<FieldError>,
    /// An error that belongs to no field.
    #[serde(alias = "message")]
    pub general_error: Option<String>,
    /// A launch was sent and not confirmed.
    #[serde(alias = "unsure")]
    pub unconfirmed: bool,
    /// What the last action did.
    #[serde(alias = "done")]
    pub success: Option<String>,
    #[serde(alias = "checks")]
    pub tool_checks: Vec<ToolCheck>,
    /// Tools that MCP servers listed, by the pointer of the spec's tool.
    #[serde(alias = "found")]
    pub discovered_tools: BTreeMap<String, Vec<DiscoveredTool>>,
    /// Addresses to discover tools or cards at, by the pointer of the spec's tool.
    pub sources: BTreeMap<String, PeerSource>,
    /// Fetched agent cards that are only shown, by the pointer of the spec's tool.
    #[serde(alias = "cards")]
    pub fetched_cards: BTreeMap<String, Value>,
    /// A sample answer to try the output schema with.
    pub sample: String,
    pub batch: BatchFields,
    pub template: TemplateFields,
    /// Addresses of files that are not attached yet, by the pointer of the list of attachments.
    pub file_urls: BTreeMap<String, String>,
    /// The user and workspace that the form belongs to.
    pub owner: String,
    pub owner_name: String,
    /// The sealed owner. It proves that the server gave the form to its owner, also after a sign-out.
    #[serde(alias = "pass")]
    pub ownership_proof: String,
    /// It has not replaced the saved draft yet.
    #[serde(alias = "fresh")]
    pub is_new: bool,
    /// The draft that it replaced is saved too.
    #[serde(alias = "earlier")]
    pub has_previous_draft: bool,
    /// A new sign-in may solve the general error.
    #[serde(alias = "signIn")]
    pub suggest_sign_in: bool,
    pub session: Option<SessionInfo>,
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

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiscoveredTool {
    pub name: String,
    pub description: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PeerSource {
    pub url: String,
    pub command: String,
    /// The form offers one header.
    pub header: String,
    pub value: String,
}

/// The session that a message goes to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SessionInfo {
    pub id: String,
    /// Without secrets.
    pub spec: Value,
    /// The reason why it takes no messages.
    pub problem: Option<String>,
}

impl PeerSource {
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

/// The template that the draft is saved as.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TemplateFields {
    /// The user's own template that the draft started from or was saved as.
    pub id: Option<String>,
    pub name: String,
    pub notes: String,
    pub shared: bool,
    /// The template whose deletion has to be confirmed.
    pub to_delete: Option<String>,
}

impl LaunchDraft {
    /// Returns the draft of an empty form. It has no key, so it can't be launched.
    pub fn new() -> Self {
        Self::from_spec(json!({ "systemPrompt": "You are a helpful assistant." }))
    }

    pub fn from_spec(spec: Value) -> Self {
        Self { spec, ..Self::default() }
    }

    /// Returns the spec of the session that a message goes to.
    pub fn session_spec(&self) -> Option<&Value> {
        let known = self.session.as_ref().filter(|session| session.spec.is_object());
        known.map(|session| &session.spec).filter(|_| matches!(self.mode, LaunchMode::Message { .. }))
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
        if self.spec.pointer(list).is_none() {
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
        self.invalid_texts = rename_keys(&mut self.invalid_texts, reindexed);
        self.invalid_rows = rename_keys(&mut self.invalid_rows, reindexed);
        self.invalid_properties = rename_keys(&mut self.invalid_properties, reindexed);
        self.discovered_tools = rename_keys(&mut self.discovered_tools, reindexed);
        self.fetched_cards = rename_keys(&mut self.fetched_cards, reindexed);
        self.sources = rename_keys(&mut self.sources, reindexed);
        self.file_urls = rename_keys(&mut self.file_urls, reindexed);
        self.set_aside = rename_keys(&mut self.set_aside, reindexed);
    }

    /// Drops errors and checks of the spec before the change, and the answerers of removed tools.
    pub fn after_spec_change(&mut self, before: &Value) {
        if self.spec == *before {
            return;
        }
        self.reported_errors.clear();
        self.general_error = None;
        if self.spec.get("tools") != before.get("tools") {
            self.tool_checks.clear();
        }
        if !matches!(self.mode, LaunchMode::Message { .. }) {
            let tools = local_tools(&self.spec);
            self.answers.retain(|tool, _| tools.iter().any(|(name, _)| name == tool));
        }
    }
}

fn rename_keys<T>(map: &mut BTreeMap<String, T>, renamed: impl Fn(&str) -> Option<String>) -> BTreeMap<String, T> {
    std::mem::take(map).into_iter().filter_map(|(key, value)| Some((renamed(&key)?, value))).collect()
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
    use crate::launch::{CheckKind, CheckState};

    #[test]
    fn the_state_of_later_tools_follows_when_one_is_removed() {
        let mut draft = LaunchDraft::from_spec(json!({ "tools": [{ "name": "a" }, { "name": "b" }, { "name": "c" }] }));
        for key in ["j/tools/0/x", "j/tools/1/x", "j/tools/2/x", "j/plan/steps"] {
            draft.invalid_texts.insert(key.to_owned(), key.to_owned());
        }
        draft.remove_item("/tools", 1);
        assert_eq!(draft.spec, json!({ "tools": [{ "name": "a" }, { "name": "c" }] }));
        let texts: Vec<(&str, &str)> =
            draft.invalid_texts.iter().map(|(key, text)| (key.as_str(), text.as_str())).collect();
        assert_eq!(
            texts,
            [("j/plan/steps", "j/plan/steps"), ("j/tools/0/x", "j/tools/0/x"), ("j/tools/1/x", "j/tools/2/x")]
        );
        draft.remove_item("/tools", 0);
        draft.remove_item("/tools", 0);
        assert_eq!(draft.spec, json!({}));
    }

    #[test]
    fn a_draft_that_was_saved_under_the_old_field_names_is_read() {
        let saved = json!({
            "key": "k", "spec": { "prompt": "p" }, "answers": { "ask": { "by": "hand" } }, "mode": { "kind": "new_session" },
            "texts": { "j/plan/steps": "[" }, "rows": { "/metadata": [["", "v"]] },
            "properties": { "/outputSchema/schema": [{ "name": "", "kind": "string" }] },
            "left": { "x:plan=custom": { "value": { "mode": "auto" }, "texts": {}, "rows": {}, "properties": {} } },
            "removed": { "list": "/tools", "at": 0, "item": { "kind": "local" }, "answers": {} },
            "json": "{", "like": { "label": "the run r", "href": "/runs/r", "spec": {}, "answers": {} }, "tried": true,
            "refused": [{ "path": "/prompt", "code": "c", "message": "m" }], "message": "e", "unsure": true, "done": "d",
            "checks": [{ "path": "/tools/0", "kind": "local", "name": "ask", "lights": [
                { "what": "answered", "state": "bad", "message": "m", "fix": null }, { "what": "shape", "state": "good", "message": "m", "fix": null }] }],
            "found": { "/tools/0": [{ "name": "n", "description": "d" }] },
            "sources": { "/tools/0": { "url": "u", "command": "", "header": "", "value": "" } },
            "cards": { "/tools/1": { "name": "N" } }, "sample": "s", "batch": { "inputs": "i", "tagKey": "k", "tagValue": "v" },
            "template": { "id": null, "name": "n", "notes": "", "shared": false, "to_delete": null },
            "fileUrls": { "/messages/0/attachments": "u" }, "owner": "o", "ownerName": "n", "pass": "p", "fresh": true,
            "earlier": true, "signIn": true, "session": { "id": "s", "spec": null, "problem": null },
        });
        let draft: LaunchDraft = serde_json::from_value(saved).expect("a draft");
        assert_eq!((draft.invalid_texts.len(), draft.invalid_rows.len(), draft.invalid_properties.len()), (1, 1, 1));
        assert_eq!((draft.set_aside.len(), draft.invalid_json.as_deref()), (1, Some("{")));
        assert!(draft.removed_tool.is_some() && draft.origin.is_some() && draft.launch_attempted);
        assert_eq!(
            (draft.reported_errors.len(), draft.general_error.as_deref(), draft.unconfirmed),
            (1, Some("e"), true)
        );
        assert_eq!(
            (draft.success.as_deref(), draft.discovered_tools.len(), draft.fetched_cards.len()),
            (Some("d"), 1, 1)
        );
        let states: Vec<_> = draft.tool_checks[0].checks.iter().map(|check| (check.kind, check.state)).collect();
        assert_eq!(states, [(CheckKind::Answered, CheckState::Failed), (CheckKind::Shape, CheckState::Passed)]);
        assert_eq!((draft.ownership_proof.as_str(), draft.is_new), ("p", true));
        assert!(draft.has_previous_draft && draft.suggest_sign_in && draft.session.is_some());
        let again = serde_json::to_string(&draft).expect("JSON");
        assert_eq!(serde_json::from_str::<LaunchDraft>(&again).expect("the same draft"), draft);
    }
}
