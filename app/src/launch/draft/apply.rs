//! Applies a submitted form to the draft.
//!
//! A field changes only if its control sends another value than it was given. Fields without a control and unchanged
//! fields stay exactly as they are.

use std::collections::{BTreeMap, BTreeSet};

use protocol::fields::{FieldTable, Format};
use protocol::json_pointer::{remove, set};
use serde_json::Value;

use super::control_text::{is_unchanged, json_at, lines_at, text_at};
use super::rows::{self, Table};
use super::{LaunchDraft, answerers, cards, files, json_error, shapes};
use crate::launch::{ControlKind, ControlName, LaunchMode};

/// More than the largest form has. The time to apply a form grows with its fields.
const MAX_FIELDS: usize = 20_000;

/// The fields of a form. Of several values the last one counts: a checked checkbox comes after its hidden empty field.
pub struct SubmittedFields(BTreeMap<ControlName, String>);

impl SubmittedFields {
    /// Parses the names; unknown ones are ignored.
    pub fn new(fields: &[(String, String)]) -> Self {
        // Browsers send line ends as CR LF.
        let parsed = |(name, text): &(String, String)| Some((ControlName::parse(name)?, text.replace("\r\n", "\n")));
        Self(fields.iter().take(MAX_FIELDS).filter_map(parsed).collect())
    }

    pub fn get(&self, name: &ControlName) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    pub fn other(&self, name: &str) -> Option<&str> {
        self.get(&ControlKind::Other.at(name))
    }

    fn all(&self) -> impl Iterator<Item = (&ControlName, &str)> {
        self.0.iter().map(|(name, text)| (name, text.as_str()))
    }
}

pub fn apply(draft: &mut LaunchDraft, sent: &SubmittedFields, fields: FieldTable) {
    let before = draft.spec.clone();
    let answers = draft.answers.clone();
    answerers::apply(draft, sent);
    if draft.answers != answers {
        draft.last_action.tool_checks.clear();
        draft.last_action.reported_errors.clear();
    }
    if !apply_json_editor(draft, sent) {
        apply_controls(draft, &before, sent, fields);
        cards::adopt_cards(draft, &before);
    }
    apply_mode(draft, sent);
    apply_other_fields(draft, sent);
    answerers::follow_renames(draft, &before);
    draft.after_spec_change(&before);
}

/// `before` is the spec that the form showed. Controls come in the order of [`ControlName`]: a setting changes its shape
/// last.
fn apply_controls(draft: &mut LaunchDraft, before: &Value, sent: &SubmittedFields, fields: FieldTable) {
    let checkboxes = sent.all().filter(|(name, _)| name.kind == ControlKind::Checkbox);
    let lists: BTreeSet<&str> = checkboxes.map(|(name, _)| name.place.as_str()).collect();
    lists.into_iter().for_each(|list| apply_checkboxes(draft, sent, list));
    for (name, text) in sent.all() {
        let pointer = name.place.as_str();
        match name.kind {
            ControlKind::Field => {
                if let Some(format) = fields.format(before, pointer) {
                    apply_text(draft, before, pointer, format, text);
                }
            }
            // The first control of a table stands for all its rows.
            ControlKind::Row => {
                let is_first = |table: &Table| name.in_row() == Some((0, table.parts()[0]));
                if let Some(table) = Table::at(fields, before, pointer).filter(is_first) {
                    apply_rows(draft, before, sent, pointer, table);
                }
            }
            ControlKind::Choice => {
                let shapes = fields.shapes(before, pointer);
                if let Some(shapes) = shapes.filter(|shapes| text != shapes.choice_of(before.pointer(pointer))) {
                    shapes::choose(draft, pointer, shapes, text);
                }
            }
            _ => {}
        }
    }
    if let Some(choice) = sent.other("input").filter(|choice| *choice != shapes::input_choice(before)) {
        shapes::choose_input(draft, choice);
    }
}

/// Returns whether the JSON editor has a changed and valid spec, which then replaces the values of the controls.
fn apply_json_editor(draft: &mut LaunchDraft, sent: &SubmittedFields) -> bool {
    let Some(text) = sent.other("json") else { return false };
    let given = draft.unfinished.invalid_json().map_or_else(|| files::display_json(&draft.spec), str::to_owned);
    if is_unchanged(text, &given) {
        return false;
    }
    let Ok(spec @ Value::Object(_)) = json_error::parse(text) else {
        draft.unfinished.texts.insert("json".to_owned(), text.to_owned());
        return false;
    };
    draft.unfinished.texts.remove("json");
    let spec = files::restore_files(spec, &draft.spec);
    // The same JSON may be formatted differently.
    if spec == draft.spec {
        return false;
    }
    draft.spec = spec;
    draft.unfinished.texts.retain(|name, _| !name.starts_with("field:"));
    draft.unfinished.rows.clear();
    true
}

fn apply_text(draft: &mut LaunchDraft, before: &Value, pointer: &str, format: Format, text: &str) {
    let value: Option<Value> = match format {
        Format::Text | Format::Number if is_unchanged(text, &text_at(before, pointer)) => return,
        Format::Text => Some(text).filter(|text| !text.is_empty()).map(Value::from),
        Format::Number => Some(text.trim()).filter(|text| !text.is_empty()).map(rows::parse_number),
        Format::Lines if is_unchanged(text, &lines_at(before, pointer)) => return,
        Format::Lines => {
            let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
            (!lines.is_empty()).then(|| lines.into())
        }
        Format::Flag if (text == "true") == (before.pointer(pointer) == Some(&Value::Bool(true))) => return,
        Format::Flag => (text == "true").then(|| true.into()),
        Format::Json => return apply_json(draft, before, pointer, text),
    };
    set_or_remove(draft, pointer, value);
}

/// Invalid JSON stays in its control and doesn't change the spec.
fn apply_json(draft: &mut LaunchDraft, before: &Value, pointer: &str, text: &str) {
    let name = ControlName::field(pointer).to_string();
    let given = draft.unfinished.texts.get(&name).cloned().unwrap_or_else(|| json_at(before, pointer));
    if is_unchanged(text, &given) {
        return;
    }
    let value = match json_error::parse(text) {
        _ if text.trim().is_empty() => None,
        Ok(value) => Some(value),
        Err(_) => {
            draft.unfinished.texts.insert(name, text.to_owned());
            return;
        }
    };
    draft.unfinished.texts.remove(&name);
    if value.as_ref() != before.pointer(pointer) {
        // A pasted response to `tools/list`, with or without its JSON-RPC envelope, stands for its list.
        let listed = value.as_ref().filter(|_| pointer.ends_with("/tools")).and_then(|value| {
            let response = value.get("result").unwrap_or(value);
            response["tools"].as_array().cloned().map(Value::from)
        });
        set_or_remove(draft, pointer, listed.or(value));
    }
}

fn apply_rows(draft: &mut LaunchDraft, before: &Value, sent: &SubmittedFields, pointer: &str, table: Table) {
    // A change in the schema's JSON takes precedence over its rows.
    if draft.spec.pointer(pointer) != before.pointer(pointer) {
        draft.unfinished.rows.remove(pointer);
        return;
    }
    let row = |i: usize| {
        let mut texts = table.parts().iter().map(|part| sent.get(&ControlName::row(pointer, i, part)));
        let name = texts.next()??;
        Some([name].into_iter().chain(texts.map(Option::unwrap_or_default)).collect())
    };
    let rows: Vec<Vec<&str>> = (0..=rows::MAX_ROWS).map_while(row).collect();
    table.write(draft, pointer, &rows);
}

fn apply_mode(draft: &mut LaunchDraft, sent: &SubmittedFields) {
    let session = sent.other("session").unwrap_or_default().trim();
    match sent.other("mode") {
        Some("one_shot") => draft.mode = LaunchMode::OneShot,
        Some("new_session") => draft.mode = LaunchMode::NewSession,
        Some("message") => draft.mode = LaunchMode::Message { session_id: session.to_owned() },
        _ => {}
    }
}

/// Keeps the texts that are not part of the spec. An error of a batch or template disappears when its text changes.
fn apply_other_fields(draft: &mut LaunchDraft, sent: &SubmittedFields) {
    for (name, text) in sent.all() {
        let group = name.place.split('.').next().unwrap_or_default();
        let is_kept = match name.kind {
            ControlKind::Source | ControlKind::FileUrl => true,
            ControlKind::Other => matches!(group, "batch" | "template" | "sample"),
            _ => false,
        };
        if is_kept && draft.unfinished.text(name) != text {
            draft.unfinished.set_text(name, text);
            draft.last_action.reported_errors.retain(|error| !error.path.starts_with(&format!("/{group}/")));
        }
    }
}

/// Returns the tools that a server listed, and the chosen ones that it didn't list.
pub fn offered_tools(draft: &LaunchDraft, tool: &str) -> Vec<String> {
    let discovered = draft.last_action.discovered_tools.get(tool).into_iter().flatten();
    let mut names: Vec<String> = discovered.map(|tool| tool.name.clone()).collect();
    let chosen = draft.spec.pointer(&format!("{tool}/toolFilter")).and_then(Value::as_array);
    for name in chosen.into_iter().flatten().filter_map(Value::as_str) {
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    names
}

/// Writes the checked names of a discovered server's tools. If all are checked, the list is left out.
fn apply_checkboxes(draft: &mut LaunchDraft, sent: &SubmittedFields, pointer: &str) {
    let server =
        pointer.strip_suffix("/toolFilter").filter(|tool| draft.last_action.discovered_tools.contains_key(*tool));
    let Some(offered) = server.map(|tool| offered_tools(draft, tool)) else { return };
    let is_checked = |name: &&String| sent.get(&ControlKind::Checkbox.part(pointer, name)) == Some("true");
    let chosen: Vec<&String> = offered.iter().filter(is_checked).collect();
    let listed = draft.spec.pointer(pointer).and_then(Value::as_array);
    let was_checked = |name: &String| listed.is_none_or(|list| list.iter().any(|item| item == name.as_str()));
    if offered.iter().all(|name| was_checked(name) == chosen.contains(&name)) {
        return;
    }
    let names = || chosen.iter().map(|name| Value::from(name.as_str())).collect();
    set_or_remove(draft, pointer, (chosen.len() < offered.len()).then(names));
}

/// Removes an empty field, and the budgets with their last field.
fn set_or_remove(draft: &mut LaunchDraft, pointer: &str, value: Option<Value>) {
    if let Some(value) = value {
        return set(&mut draft.spec, pointer, value);
    }
    remove(&mut draft.spec, pointer);
    if draft.spec.pointer("/budgets").and_then(Value::as_object).is_some_and(serde_json::Map::is_empty) {
        remove(&mut draft.spec, "/budgets");
    }
}
