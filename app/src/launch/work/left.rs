//! What was left behind: by choosing something else, by clearing a tool's name, by removing a tool. One key too many on a
//! closed choice must not cost anybody what they wrote, so it comes back with the choice, the name or the undoing.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::rows::Property;
use super::{Work, place};
use domain::{Answerer, Answers};

/// A value, and what controls showed of it that was not yet what it should be.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Left {
    value: Value,
    texts: BTreeMap<String, String>,
    rows: BTreeMap<String, Vec<(String, String)>>,
    properties: BTreeMap<String, Vec<Property>>,
}

/// A tool that was removed, with who answers it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Removed {
    pub list: String,
    pub at: usize,
    pub item: Value,
    pub answers: Answers,
}

impl Work {
    /// Keeps what stands at a place for when its choice is made again.
    pub fn leave(&mut self, control: &str, choice: &str, pointer: &str) {
        let Some(value) = self.spec.pointer(pointer).cloned() else { return };
        let inside = |key: &str| key.trim_start_matches('j').strip_prefix(pointer).is_some_and(is_end);
        let left = Left {
            value,
            texts: split_off(&mut self.texts, inside),
            rows: split_off(&mut self.rows, inside),
            properties: split_off(&mut self.properties, inside),
        };
        self.left.insert(key(control, choice), left);
    }

    /// What was kept for a choice that is made again.
    pub fn take_up(&mut self, control: &str, choice: &str) -> Option<Value> {
        let left = self.left.remove(&key(control, choice))?;
        self.texts.extend(left.texts);
        self.rows.extend(left.rows);
        self.properties.extend(left.properties);
        Some(left.value)
    }

    /// The same for who answers a tool. Without a name of its own, a tool goes by its place.
    pub fn leave_answerer(&mut self, tool: &str, choice: &str, answerer: Answerer) {
        let value = serde_json::to_value(answerer).unwrap_or_default();
        self.left.insert(key(&of_tool(tool), choice), Left { value, ..Left::default() });
    }

    pub fn take_up_answerer(&mut self, tool: &str, choice: &str) -> Option<Answerer> {
        let left = self.left.remove(&key(&of_tool(tool), choice))?;
        serde_json::from_value(left.value).ok()
    }

    /// What was left behind by choices of a tool goes along with its name.
    pub fn left_follows(&mut self, old: &str, new: &str) {
        let old = key(&of_tool(old), "");
        for (name, left) in split_off(&mut self.left, |name| name.starts_with(&old)) {
            self.left.insert(key(&of_tool(new), &name[old.len()..]), left);
        }
    }

    /// Removes a tool so that it can be brought back.
    pub fn remove_tool(&mut self, list: &str, at: usize) {
        let Some(item) = self.spec.pointer(&format!("{list}/{at}")).cloned() else { return };
        let before = self.answers.clone();
        self.drop_item(list, at);
        let gone = before.into_iter().filter(|(tool, _)| !self.answers.contains_key(tool)).collect();
        self.removed = Some(Removed { list: list.to_owned(), at, item, answers: gone });
    }

    pub fn bring_back(&mut self) -> Option<String> {
        let Removed { list, at, item, answers } = self.removed.take()?;
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

fn of_tool(tool: &str) -> String {
    format!("a:{tool}")
}

fn is_end(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with('/')
}

fn split_off<T>(map: &mut BTreeMap<String, T>, is_out: impl Fn(&str) -> bool) -> BTreeMap<String, T> {
    let (out, kept) = std::mem::take(map).into_iter().partition(|(key, _)| is_out(key));
    *map = kept;
    out
}

impl Removed {
    /// What the tool is called.
    pub fn name(&self) -> String {
        ["/name", "/id"]
            .map(|field| place::shown_text(&self.item, field))
            .into_iter()
            .find(|name| !name.is_empty())
            .unwrap_or_default()
    }
}
