//! Applies a submitted form to the draft.
//!
//! A control's name is a letter for its kind and the JSON Pointer of its field: `t/prompt`, `n/budgets/maxToolTurns`. A
//! field changes only if its control sends another value than it was given. Fields without a control and unchanged fields
//! stay exactly as they are.
//!
//! | name | holds |
//! | --- | --- |
//! | `t` `n` `j` `l` `b` + pointer | a text, a number, JSON, one text per line, a checkbox |
//! | `k` `v` + pointer + `#i` | name and value of row i of a map |
//! | `p` + pointer + `#i.part` | a part of row i of a schema's properties |
//! | `c` + pointer + `#name` | a checkbox for a name in a list; `c` + pointer says that the form has these checkboxes |
//! | `x:setting` | the choice of a setting |
//! | `a:tool:part` | a part of a local tool's answerer |
//! | `s` + pointer + `#part` | the address of a tool catalogue or a card |
//! | `u` + pointer | the address of a file to attach |
//! | `q:part` | a part of the batch or template, or the sample answer |

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::control_text::{is_unchanged, json_at, lines_at, text_at};
use super::rows::{self, Property};
use super::settings::{self, Setting};
use super::{LaunchDraft, answerers, cards, files};
use crate::launch::{LaunchMode, SpecForm};
use protocol::json_pointer::{remove, set};

/// The fields of a form by name. Of several values the last one counts: a checked checkbox comes after its hidden empty
/// field.
pub struct SubmittedFields<'a>(BTreeMap<&'a str, String>);

impl<'a> SubmittedFields<'a> {
    pub fn new(fields: &'a [(String, String)]) -> Self {
        // Browsers send line ends as CR LF.
        Self(fields.iter().map(|(name, text)| (name.as_str(), text.replace("\r\n", "\n"))).collect())
    }

    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    fn all(&self) -> impl Iterator<Item = (&'a str, &str)> {
        self.0.iter().map(|(name, text)| (*name, text.as_str()))
    }
}

pub fn apply(draft: &mut LaunchDraft, sent: &SubmittedFields) {
    let before = draft.spec.clone();
    let answers = draft.answers.clone();
    answerers::apply(draft, sent);
    if draft.answers != answers {
        draft.tool_checks.clear();
        draft.reported_errors.clear();
    }
    if !apply_json_editor(draft, sent) {
        apply_controls(draft, &before, sent);
        cards::adopt_cards(draft, &before);
    }
    apply_mode(draft, sent);
    apply_other_fields(draft, sent);
    answerers::follow_renames(draft, &before);
    draft.after_spec_change(&before);
}

fn apply_controls(draft: &mut LaunchDraft, before: &Value, sent: &SubmittedFields) {
    for (name, text) in sent.all() {
        apply_control(draft, before, name, text);
    }
    for pointer in row_pointers(sent, "k") {
        let rows = (0..).map_while(|i| {
            let part = |letter: &str| sent.get(&format!("{letter}{pointer}#{i}")).map(str::to_owned);
            Some((part("k")?, part("v").unwrap_or_default()))
        });
        rows::write_rows(draft, &pointer, rows.collect());
    }
    for (pointer, offered) in checkbox_lists(draft) {
        apply_checkboxes(draft, sent, &pointer, &offered);
    }
    for pointer in row_pointers(sent, "p") {
        apply_properties(draft, before, sent, &pointer);
    }
    for setting in &settings::ALL {
        apply_choice(draft, before, setting, sent);
    }
    if let Some(choice) = sent.get("x:input")
        && choice != settings::input_choice(before)
    {
        settings::choose_input(draft, choice);
    }
}

/// Returns whether the JSON editor has a changed and valid spec, which then replaces the values of the controls.
fn apply_json_editor(draft: &mut LaunchDraft, sent: &SubmittedFields) -> bool {
    let Some(text) = sent.get("json") else { return false };
    let given = draft.invalid_json.clone().unwrap_or_else(|| files::display_json(&draft.spec));
    if is_unchanged(text, &given) {
        return false;
    }
    match SpecForm::parse(text).map(|form| files::restore_files(form.write(), &draft.spec)) {
        // The same JSON, formatted differently.
        Ok(spec) if spec == draft.spec => {
            draft.invalid_json = None;
            false
        }
        Ok(spec) => {
            draft.spec = spec;
            draft.invalid_json = None;
            draft.invalid_texts.clear();
            draft.invalid_rows.clear();
            draft.invalid_properties.clear();
            true
        }
        Err(_) => {
            draft.invalid_json = Some(text.to_owned());
            false
        }
    }
}

fn apply_control(draft: &mut LaunchDraft, before: &Value, name: &str, text: &str) {
    let mut letters = name.chars();
    let (Some(kind), pointer) = (letters.next(), letters.as_str()) else { return };
    if !pointer.starts_with('/') || pointer.contains('#') {
        return;
    }
    match kind {
        't' if !is_unchanged(text, &text_at(before, pointer)) => match text {
            "" => remove_field(draft, pointer),
            text => set(&mut draft.spec, pointer, text.into()),
        },
        'n' if !is_unchanged(text, &text_at(before, pointer)) => match text.trim() {
            "" => remove_field(draft, pointer),
            text => set(&mut draft.spec, pointer, rows::parse_number(text)),
        },
        'l' if !is_unchanged(text, &lines_at(before, pointer)) => {
            let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
            if lines.is_empty() { remove_field(draft, pointer) } else { set(&mut draft.spec, pointer, lines.into()) }
        }
        'b' if (text == "true") != (before.pointer(pointer) == Some(&Value::Bool(true))) => match text {
            "true" => set(&mut draft.spec, pointer, true.into()),
            _ => remove_field(draft, pointer),
        },
        'j' => apply_json(draft, before, name, pointer, text),
        _ => {}
    }
}

/// Invalid JSON stays in its control and doesn't change the spec.
fn apply_json(draft: &mut LaunchDraft, before: &Value, name: &str, pointer: &str, text: &str) {
    let given = draft.invalid_texts.get(name).cloned().unwrap_or_else(|| json_at(before, pointer));
    if is_unchanged(text, &given) {
        return;
    }
    match serde_json::from_str::<Value>(text) {
        _ if text.trim().is_empty() => {
            draft.invalid_texts.remove(name);
            remove_field(draft, pointer);
        }
        Ok(value) if Some(&value) == before.pointer(pointer) => {
            draft.invalid_texts.remove(name);
        }
        Ok(value) => {
            draft.invalid_texts.remove(name);
            // A pasted response to `tools/list`, with or without its JSON-RPC envelope, stands for its list.
            let response = value.get("result").unwrap_or(&value);
            let listed = response["tools"].as_array().filter(|_| pointer.ends_with("/tools")).cloned();
            set(&mut draft.spec, pointer, listed.map_or(value, Value::from));
        }
        Err(_) => {
            draft.invalid_texts.insert(name.to_owned(), text.to_owned());
        }
    }
}

fn apply_properties(draft: &mut LaunchDraft, before: &Value, sent: &SubmittedFields, pointer: &str) {
    // A change in the schema's JSON takes precedence over its rows.
    let json_name = format!("j{pointer}");
    if draft.spec.pointer(pointer) != before.pointer(pointer) {
        draft.invalid_properties.remove(pointer);
        return;
    }
    if draft.invalid_texts.contains_key(&json_name) {
        return;
    }
    let property = |i: usize| {
        let part = |part: &str| sent.get(&format!("p{pointer}#{i}.{part}"));
        Some(Property {
            name: part("name")?.to_owned(),
            kind: part("type").unwrap_or_default().to_owned(),
            description: part("description").unwrap_or_default().to_owned(),
            required: part("required") == Some("true"),
            ..Property::default()
        })
    };
    rows::write_properties(draft, pointer, (0..).map_while(property).collect());
}

fn apply_choice(draft: &mut LaunchDraft, before: &Value, setting: &Setting, sent: &SubmittedFields) {
    if let Some(choice) = sent.get(setting.name)
        && choice != setting.choice_in(before)
    {
        setting.choose(draft, choice);
    }
}

fn apply_mode(draft: &mut LaunchDraft, sent: &SubmittedFields) {
    let session = sent.get("x:session").unwrap_or_default().trim();
    match sent.get("x:mode") {
        Some("one_shot") => draft.mode = LaunchMode::OneShot,
        Some("new_session") => draft.mode = LaunchMode::NewSession,
        Some("message") => draft.mode = LaunchMode::Message { session_id: session.to_owned() },
        _ => {}
    }
}

/// Applies the fields that are not part of the spec.
fn apply_other_fields(draft: &mut LaunchDraft, sent: &SubmittedFields) {
    let before = (draft.batch.clone(), draft.template.clone());
    let fields = &mut draft.batch;
    let parts = [
        ("q:inputs", &mut fields.inputs),
        ("q:tag-key", &mut fields.tag_key),
        ("q:tag-value", &mut fields.tag_value),
        ("q:sample", &mut draft.sample),
        ("q:template-name", &mut draft.template.name),
        ("q:template-notes", &mut draft.template.notes),
    ];
    for (name, field) in parts {
        if let Some(text) = sent.get(name) {
            text.clone_into(field);
        }
    }
    if let Some(shared) = sent.get("q:template-shared") {
        draft.template.shared = shared == "true";
    }
    for (changed, place) in [(draft.batch != before.0, "/batch/"), (draft.template != before.1, "/template/")] {
        draft.reported_errors.retain(|error| !changed || !error.path.starts_with(place));
    }
    for (name, text) in sent.all() {
        if let Some(list) = name.strip_prefix('u').filter(|list| list.starts_with('/')) {
            draft.file_urls.insert(list.to_owned(), text.to_owned());
        }
        if let Some((place, part)) = name.strip_prefix('s').and_then(|name| name.split_once('#')) {
            let source = draft.sources.entry(place.to_owned()).or_default();
            match part {
                "url" => text.trim().clone_into(&mut source.url),
                "command" => text.clone_into(&mut source.command),
                "header" => text.trim().clone_into(&mut source.header),
                "value" => text.clone_into(&mut source.value),
                _ => {}
            }
        }
    }
}

/// Returns the pointers of the lists that have checkboxes, with the offered names.
fn checkbox_lists(draft: &LaunchDraft) -> Vec<(String, Vec<String>)> {
    let list = |place: &String| (format!("{place}/toolFilter"), offered_tools(draft, place));
    draft.discovered_tools.keys().map(list).collect()
}

/// Returns the tools that a server listed, and the chosen ones that it didn't list.
pub fn offered_tools(draft: &LaunchDraft, place: &str) -> Vec<String> {
    let mut names: Vec<String> =
        draft.discovered_tools.get(place).into_iter().flatten().map(|tool| tool.name.clone()).collect();
    let chosen = draft.spec.pointer(&format!("{place}/toolFilter")).and_then(Value::as_array);
    for name in chosen.into_iter().flatten().filter_map(Value::as_str) {
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    names
}

/// Writes the checked names. If all are checked, the list is left out.
fn apply_checkboxes(draft: &mut LaunchDraft, sent: &SubmittedFields, pointer: &str, offered: &[String]) {
    if sent.get(&format!("c{pointer}")).is_none() {
        return;
    }
    let checked = |name: &&String| sent.get(&format!("c{pointer}#{name}")) == Some("true");
    let chosen: Vec<&String> = offered.iter().filter(checked).collect();
    let was: Option<Vec<&str>> = draft
        .spec
        .pointer(pointer)
        .and_then(Value::as_array)
        .map(|list| list.iter().filter_map(Value::as_str).collect());
    let shown_before: Vec<&str> = was.unwrap_or_else(|| offered.iter().map(String::as_str).collect());
    let same = offered.iter().all(|name| shown_before.contains(&name.as_str()) == chosen.contains(&name));
    if same {
        return;
    }
    if chosen.len() == offered.len() {
        remove(&mut draft.spec, pointer);
    } else {
        let names: Vec<Value> = chosen.into_iter().map(|name| name.as_str().into()).collect();
        set(&mut draft.spec, pointer, names.into());
    }
}

/// Removes an empty field, and the budgets with their last field.
fn remove_field(draft: &mut LaunchDraft, pointer: &str) {
    remove(&mut draft.spec, pointer);
    if draft.spec.pointer("/budgets").and_then(Value::as_object).is_some_and(serde_json::Map::is_empty) {
        remove(&mut draft.spec, "/budgets");
    }
}

/// Returns the pointers whose rows were sent.
fn row_pointers(sent: &SubmittedFields, letter: &str) -> BTreeSet<String> {
    let named = sent.all().filter_map(|(name, _)| name.strip_prefix(letter)?.split_once('#'));
    named.map(|(place, _)| place.to_owned()).filter(|place| place.starts_with('/')).collect()
}
