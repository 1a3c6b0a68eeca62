//! Values that a later change can restore: of another choice, of a tool whose name was cleared, of a removed tool.
//!
//! A wrong key on a select must not delete what the user wrote.

use std::collections::BTreeMap;

use domain::{Answerer, ToolAnswerers};
use protocol::json_pointer::is_inside;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::control_text::text_at;
use super::rows::Row;
use super::{LaunchDraft, UnfinishedInput};

/// A value of the spec, with the invalid input of its controls.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SetAside {
    value: Value,
    texts: BTreeMap<String, String>,
    #[serde(rename = "unfinishedRows")]
    rows: BTreeMap<String, Vec<Row>>,
}

/// A removed tool with its answerers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RemovedTool {
    pub list: String,
    pub at: usize,
    pub item: Value,
    pub answers: ToolAnswerers,
}

impl LaunchDraft {
    /// Saves the value at a pointer until its choice is made again.
    pub fn stash(&mut self, control: &str, choice: &str, pointer: &str) {
        let Some(value) = self.spec.pointer(pointer).cloned() else { return };
        let inside = |key: &str| is_inside(key.trim_start_matches("field:"), pointer);
        let UnfinishedInput { texts, rows, set_aside, .. } = &mut self.unfinished;
        let stashed = SetAside { value, texts: split_off(texts, inside), rows: split_off(rows, inside) };
        set_aside.insert(key(control, choice), stashed);
    }

    /// Returns the value that was saved for a choice, and restores the invalid input of its controls.
    pub fn restore(&mut self, control: &str, choice: &str) -> Option<Value> {
        let stashed = self.unfinished.set_aside.remove(&key(control, choice))?;
        self.unfinished.texts.extend(stashed.texts);
        self.unfinished.rows.extend(stashed.rows);
        Some(stashed.value)
    }

    /// Saves the answerer of a tool. A tool without a valid name is identified by its pointer.
    pub fn stash_answerer(&mut self, tool: &str, choice: &str, answerer: Answerer) {
        let value = serde_json::to_value(answerer).unwrap_or_default();
        self.unfinished.set_aside.insert(key(&tool_control(tool), choice), SetAside { value, ..SetAside::default() });
    }

    pub fn restore_answerer(&mut self, tool: &str, choice: &str) -> Option<Answerer> {
        let stashed = self.unfinished.set_aside.remove(&key(&tool_control(tool), choice))?;
        serde_json::from_value(stashed.value).ok()
    }

    /// Moves the saved answerers of a renamed tool to its new name.
    pub fn move_set_aside(&mut self, old: &str, new: &str) {
        let old = key(&tool_control(old), "");
        for (name, stashed) in split_off(&mut self.unfinished.set_aside, |name| name.starts_with(&old)) {
            self.unfinished.set_aside.insert(key(&tool_control(new), &name[old.len()..]), stashed);
        }
    }

    /// Removes a tool so that [`Self::restore_removed_tool`] can undo it.
    pub fn remove_tool(&mut self, list: &str, at: usize) {
        let Some(item) = self.spec.pointer(&format!("{list}/{at}")).cloned() else { return };
        let before = self.answers.clone();
        self.remove_item(list, at);
        let removed = before.into_iter().filter(|(tool, _)| !self.answers.contains_key(tool)).collect();
        self.unfinished.removed_tool = Some(RemovedTool { list: list.to_owned(), at, item, answers: removed });
    }

    /// Returns the pointer of the restored tool.
    pub fn restore_removed_tool(&mut self) -> Option<String> {
        let RemovedTool { list, at, item, answers } = self.unfinished.removed_tool.take()?;
        let at = self.insert_item(&list, at, item)?;
        for (tool, answerer) in answers {
            self.answers.entry(tool).or_insert(answerer);
        }
        Some(format!("{list}/{at}"))
    }
}

fn key(control: &str, choice: &str) -> String {
    format!("{control}={choice}")
}

fn tool_control(tool: &str) -> String {
    format!("answerer:{tool}")
}

fn split_off<T>(map: &mut BTreeMap<String, T>, is_out: impl Fn(&str) -> bool) -> BTreeMap<String, T> {
    let (out, kept) = std::mem::take(map).into_iter().partition(|(key, _)| is_out(key));
    *map = kept;
    out
}

impl RemovedTool {
    pub fn name(&self) -> String {
        let names = ["/name", "/id"].map(|field| text_at(&self.item, field));
        names.into_iter().find(|name| !name.is_empty()).unwrap_or_default()
    }
}
