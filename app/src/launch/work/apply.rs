//! What a sent form changes in the work.
//!
//! A control is named by a letter for what it holds and by the place that it shows: `t/prompt`, `n/budgets/maxToolTurns`.
//! It changes its place only where it says something else than it was given to show; so whatever no control shows, and
//! whatever nobody touched, stays exactly as it was.
//!
//! | name | holds |
//! | --- | --- |
//! | `t` `n` `j` `l` `b` + place | a text, a number, JSON, a text for each line, a tick |
//! | `k` `v` + place + `#i` | name and value of row i of a map |
//! | `p` + place + `#i.part` | part of row i of a schema's properties |
//! | `c` + place + `#name` | whether a name is in a list; `c` + place says that it was asked |
//! | `x:setting` | which of several shapes a setting has |
//! | `a:tool:part` | part of how a local tool is answered |
//! | `s` + place + `#part` | where a catalogue or a card is found |
//! | `u` + place | the address of a file to attach |
//! | `q:part` | part of a batch or of a template, or the sample that a schema is tried with |

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::choices::{self, Setting};
use super::place::{remove, same, set, shown_json, shown_lines, shown_text};
use super::rows::{self, Property};
use super::{Work, answering, cards, files};
use crate::launch::LaunchMode;

/// The fields of a form, each as it was sent last: a tick is sent after the empty field that stands for no tick.
pub struct Sent<'a>(BTreeMap<&'a str, String>);

impl<'a> Sent<'a> {
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

pub fn apply(work: &mut Work, sent: &Sent) {
    let before = work.spec.clone();
    let answers = work.answers.clone();
    answering::apply(work, sent);
    if work.answers != answers {
        work.checks.clear();
        work.refused.clear();
    }
    if !apply_json_side(work, sent) {
        apply_controls(work, &before, sent);
        cards::adopt_cards(work, &before);
    }
    apply_mode(work, sent);
    apply_extras(work, sent);
    answering::follow_names(work, &before);
    work.spec_changed(&before);
}

fn apply_controls(work: &mut Work, before: &Value, sent: &Sent) {
    for (name, text) in sent.all() {
        apply_control(work, before, name, text);
    }
    for pointer in places(sent, "k") {
        let rows = (0..).map_while(|i| {
            let part = |letter: &str| sent.get(&format!("{letter}{pointer}#{i}")).map(str::to_owned);
            Some((part("k")?, part("v").unwrap_or_default()))
        });
        rows::write(work, &pointer, rows.collect());
    }
    for (pointer, offered) in ticks(work) {
        apply_ticks(work, sent, &pointer, &offered);
    }
    for pointer in places(sent, "p") {
        apply_properties(work, before, sent, &pointer);
    }
    for setting in &choices::ALL {
        apply_choice(work, before, setting, sent);
    }
    if let Some(choice) = sent.get("x:input")
        && choice != choices::input_shown(before)
    {
        choices::choose_input(work, choice);
    }
}

/// Whether the JSON side was edited and can be read: then it is the spec, whatever the controls beside it say.
fn apply_json_side(work: &mut Work, sent: &Sent) -> bool {
    let Some(text) = sent.get("json") else { return false };
    let given = work.json.clone().unwrap_or_else(|| files::shown(&work.spec));
    if same(text, &given) {
        return false;
    }
    match crate::launch::Form::parse(text).map(|form| files::restored(form.write(), &work.spec)) {
        // The same, written in another way.
        Ok(spec) if spec == work.spec => {
            work.json = None;
            false
        }
        Ok(spec) => {
            work.spec = spec;
            work.json = None;
            work.texts.clear();
            work.rows.clear();
            work.properties.clear();
            true
        }
        Err(_) => {
            work.json = Some(text.to_owned());
            false
        }
    }
}

fn apply_control(work: &mut Work, before: &Value, name: &str, text: &str) {
    let mut letters = name.chars();
    let (Some(kind), pointer) = (letters.next(), letters.as_str()) else { return };
    if !pointer.starts_with('/') || pointer.contains('#') {
        return;
    }
    match kind {
        't' if !same(text, &shown_text(before, pointer)) => match text {
            "" => erase(work, pointer),
            text => set(&mut work.spec, pointer, text.into()),
        },
        'n' if !same(text, &shown_text(before, pointer)) => match text.trim() {
            "" => erase(work, pointer),
            text => set(&mut work.spec, pointer, rows::number(text)),
        },
        'l' if !same(text, &shown_lines(before, pointer)) => {
            let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
            if lines.is_empty() { erase(work, pointer) } else { set(&mut work.spec, pointer, lines.into()) }
        }
        'b' if (text == "true") != (before.pointer(pointer) == Some(&Value::Bool(true))) => match text {
            "true" => set(&mut work.spec, pointer, true.into()),
            _ => erase(work, pointer),
        },
        'j' => apply_json(work, before, name, pointer, text),
        _ => {}
    }
}

/// JSON that cannot be read stays in its control, and the spec as it was.
fn apply_json(work: &mut Work, before: &Value, name: &str, pointer: &str, text: &str) {
    let given = work.texts.get(name).cloned().unwrap_or_else(|| shown_json(before, pointer));
    if same(text, &given) {
        return;
    }
    match serde_json::from_str::<Value>(text) {
        _ if text.trim().is_empty() => {
            work.texts.remove(name);
            erase(work, pointer);
        }
        Ok(value) if Some(&value) == before.pointer(pointer) => {
            work.texts.remove(name);
        }
        Ok(value) => {
            work.texts.remove(name);
            // A whole answer to `tools/list` is taken for the list in it, with or without what JSON-RPC puts around it.
            let answer = value.get("result").unwrap_or(&value);
            let listed = answer["tools"].as_array().filter(|_| pointer.ends_with("/tools")).cloned();
            set(&mut work.spec, pointer, listed.map_or(value, Value::from));
        }
        Err(_) => {
            work.texts.insert(name.to_owned(), text.to_owned());
        }
    }
}

fn apply_properties(work: &mut Work, before: &Value, sent: &Sent, pointer: &str) {
    // The schema's JSON stands beside its rows; where that was edited, it counts.
    let json_name = format!("j{pointer}");
    if work.spec.pointer(pointer) != before.pointer(pointer) {
        work.properties.remove(pointer);
        return;
    }
    if work.texts.contains_key(&json_name) {
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
    rows::write_properties(work, pointer, (0..).map_while(property).collect());
}

fn apply_choice(work: &mut Work, before: &Value, setting: &Setting, sent: &Sent) {
    if let Some(choice) = sent.get(setting.name)
        && choice != setting.shown_in(before)
    {
        setting.choose(work, choice);
    }
}

fn apply_mode(work: &mut Work, sent: &Sent) {
    let session = sent.get("x:session").unwrap_or_default().trim();
    match sent.get("x:mode") {
        Some("one_shot") => work.mode = LaunchMode::OneShot,
        Some("new_session") => work.mode = LaunchMode::NewSession,
        Some("message") => work.mode = LaunchMode::Message { session_id: session.to_owned() },
        _ => {}
    }
}

/// What the page keeps beside the spec.
fn apply_extras(work: &mut Work, sent: &Sent) {
    let before = (work.batch.clone(), work.template.clone());
    let fields = &mut work.batch;
    let parts = [
        ("q:inputs", &mut fields.inputs),
        ("q:tag-key", &mut fields.tag_key),
        ("q:tag-value", &mut fields.tag_value),
        ("q:sample", &mut work.sample),
        ("q:template-name", &mut work.template.name),
        ("q:template-notes", &mut work.template.notes),
    ];
    for (name, field) in parts {
        if let Some(text) = sent.get(name) {
            text.clone_into(field);
        }
    }
    if let Some(shared) = sent.get("q:template-shared") {
        work.template.shared = shared == "true";
    }
    for (changed, place) in [(work.batch != before.0, "/batch/"), (work.template != before.1, "/template/")] {
        work.refused.retain(|fault| !changed || !fault.path.starts_with(place));
    }
    for (name, text) in sent.all() {
        if let Some(list) = name.strip_prefix('u').filter(|list| list.starts_with('/')) {
            work.file_urls.insert(list.to_owned(), text.to_owned());
        }
        if let Some((place, part)) = name.strip_prefix('s').and_then(|name| name.split_once('#')) {
            let source = work.sources.entry(place.to_owned()).or_default();
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

/// The lists that are ticked from what servers were found to have: the place, and what is offered there.
fn ticks(work: &Work) -> Vec<(String, Vec<String>)> {
    let offered = |place: &String| offered(work, place);
    work.found.keys().map(|place| (format!("{place}/toolFilter"), offered(place))).collect()
}

/// What a server has, and what is chosen of it although it does not say that it has it.
pub fn offered(work: &Work, place: &str) -> Vec<String> {
    let mut names: Vec<String> = work.found.get(place).into_iter().flatten().map(|tool| tool.name.clone()).collect();
    let chosen = work.spec.pointer(&format!("{place}/toolFilter")).and_then(Value::as_array);
    for name in chosen.into_iter().flatten().filter_map(Value::as_str) {
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    names
}

/// Ticked names of a list. All that are offered are no choice, as nothing is.
fn apply_ticks(work: &mut Work, sent: &Sent, pointer: &str, offered: &[String]) {
    if sent.get(&format!("c{pointer}")).is_none() {
        return;
    }
    let ticked = |name: &&String| sent.get(&format!("c{pointer}#{name}")) == Some("true");
    let chosen: Vec<&String> = offered.iter().filter(ticked).collect();
    let was: Option<Vec<&str>> = work
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
        remove(&mut work.spec, pointer);
    } else {
        let names: Vec<Value> = chosen.into_iter().map(|name| name.as_str().into()).collect();
        set(&mut work.spec, pointer, names.into());
    }
}

/// A field without a value is left out, and so are the budgets when none is left.
fn erase(work: &mut Work, pointer: &str) {
    remove(&mut work.spec, pointer);
    if work.spec.pointer("/budgets").and_then(Value::as_object).is_some_and(serde_json::Map::is_empty) {
        remove(&mut work.spec, "/budgets");
    }
}

/// The places that rows were sent for.
fn places(sent: &Sent, letter: &str) -> BTreeSet<String> {
    let named = sent.all().filter_map(|(name, _)| name.strip_prefix(letter)?.split_once('#'));
    named.map(|(place, _)| place.to_owned()).filter(|place| place.starts_with('/')).collect()
}
