//! Applies a submitted form to the draft.
//!
//! A field changes only if its control sends another value than it was given. Fields without a control and unchanged
//! fields stay exactly as they are.

use std::collections::{BTreeMap, BTreeSet};

use protocol::fields::{FieldTable, Format};
use protocol::json_pointer::{remove, set};
use serde_json::Value;

use super::control_text::{is_unchanged, json_at, lines_at, text_at};
use super::rows::{self, Row, Table};
use super::{LaunchDraft, answerers, cards, files, json_error, shapes};
use crate::launch::{ControlName, LaunchMode};

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

    pub fn other(&self, name: &'static str) -> Option<&str> {
        self.get(&ControlName::Other(name))
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

fn apply_controls(draft: &mut LaunchDraft, before: &Value, sent: &SubmittedFields, fields: FieldTable) {
    for (name, text) in sent.all() {
        if let ControlName::Field(pointer) = name
            && let Some(format) = fields.single(before, pointer).and_then(|field| field.control.format())
        {
            apply_text(draft, before, pointer, format, text);
        }
    }
    let with_rows = sent.all().filter_map(|(name, _)| match name {
        ControlName::Row { pointer, .. } => Some(pointer),
        _ => None,
    });
    for pointer in with_rows.collect::<BTreeSet<_>>() {
        let field = fields.find(before, pointer, |field| Table::of(field.control).is_some());
        if let Some(table) = field.and_then(|field| Table::of(field.control)) {
            apply_rows(draft, before, sent, pointer, table);
        }
    }
    for (name, _) in sent.all() {
        if let ControlName::Checkboxes(pointer) = name {
            apply_checkboxes(draft, sent, pointer);
        }
    }
    for (name, choice) in sent.all() {
        if let ControlName::Choice(pointer) = name
            && let Some(shapes) = fields.shapes(before, pointer)
            && choice != shapes.choice_of(before.pointer(pointer))
        {
            shapes::choose(draft, pointer, shapes, choice);
        }
    }
    if let Some(choice) = sent.other("input").filter(|choice| *choice != shapes::input_choice(before)) {
        shapes::choose_input(draft, choice);
    }
}

/// Returns whether the JSON editor has a changed and valid spec, which then replaces the values of the controls.
fn apply_json_editor(draft: &mut LaunchDraft, sent: &SubmittedFields) -> bool {
    let Some(text) = sent.other("json") else { return false };
    let given = draft.unfinished.json.clone().unwrap_or_else(|| files::display_json(&draft.spec));
    if is_unchanged(text, &given) {
        return false;
    }
    let Ok(spec @ Value::Object(_)) = json_error::parse(text) else {
        draft.unfinished.json = Some(text.to_owned());
        return false;
    };
    draft.unfinished.json = None;
    let spec = files::restore_files(spec, &draft.spec);
    // The same JSON may be formatted differently.
    if spec == draft.spec {
        return false;
    }
    draft.spec = spec;
    draft.unfinished.texts.clear();
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
        let name = texts.next()??.to_owned();
        let texts = texts.map(|text| text.unwrap_or_default().to_owned()).collect();
        Some(Row { name, texts, entry: Value::Null })
    };
    table.write(draft, pointer, (0..=rows::MAX_ROWS).map_while(row).collect());
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

/// Applies the fields that are not part of the spec.
fn apply_other_fields(draft: &mut LaunchDraft, sent: &SubmittedFields) {
    let input = &mut draft.unfinished;
    let before = (input.batch.clone(), input.template.clone());
    let parts = [
        ("batch.inputs", &mut input.batch.inputs),
        ("batch.key", &mut input.batch.tag_key),
        ("batch.value", &mut input.batch.tag_value),
        ("sample", &mut input.sample),
        ("template.name", &mut input.template.name),
        ("template.notes", &mut input.template.notes),
    ];
    for (name, field) in parts {
        if let Some(text) = sent.other(name) {
            text.clone_into(field);
        }
    }
    if let Some(shared) = sent.other("template.shared") {
        input.template.shared = shared == "true";
    }
    for (changed, place) in [(input.batch != before.0, "/batch/"), (input.template != before.1, "/template/")] {
        draft.last_action.reported_errors.retain(|error| !changed || !error.path.starts_with(place));
    }
    for (name, text) in sent.all() {
        match name {
            ControlName::FileUrl(list) => drop(input.file_urls.insert(list.clone(), text.to_owned())),
            ControlName::Source { pointer, part } => {
                let source = input.sources.entry(pointer.clone()).or_default();
                match part.as_str() {
                    "url" => text.trim().clone_into(&mut source.url),
                    "command" => text.clone_into(&mut source.command),
                    "header" => text.trim().clone_into(&mut source.header),
                    "value" => text.clone_into(&mut source.value),
                    _ => {}
                }
            }
            _ => {}
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
    let is_checked = |name: &&String| sent.get(&ControlName::checkbox(pointer, name)) == Some("true");
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
