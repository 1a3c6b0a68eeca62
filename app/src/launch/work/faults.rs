//! What is wrong with what is being written, at its field: all that can be told without asking anybody.

use protocol::ids;
use protocol::validate::{self, FieldError};
use serde_json::Value;

use super::Work;
use super::place::escape;
use crate::launch::LaunchMode;

/// Faults that are told only when it was tried to launch: who has just begun has not forgotten anything.
const UNFINISHED: [&str; 2] = ["required", "too_few"];

pub fn of(work: &Work) -> Vec<FieldError> {
    let mut faults = match &work.mode {
        LaunchMode::OneShot | LaunchMode::NewSession => validate::validate(&work.spec),
        LaunchMode::Message { .. } => validate::validate_message(&work.spec),
    };
    if let LaunchMode::Message { session_id } = &work.mode
        && !ids::is_path_id(session_id)
    {
        faults.push(fault("/session".to_owned(), "required", "Say which session: write its id."));
    }
    // Of the session that is named now: another one has not been asked for yet.
    if let (LaunchMode::Message { session_id }, Some(known)) = (&work.mode, &work.session)
        && let Some(problem) = known.problem.as_ref().filter(|_| known.id == *session_id)
    {
        faults.push(fault("/session".to_owned(), "session", problem));
    }
    faults.extend(unfinished(work));
    faults.extend(headers_without_values(&work.spec));
    faults
}

/// Whether a fault is told at this stage of writing.
pub fn is_told(work: &Work, fault: &FieldError) -> bool {
    work.tried || !UNFINISHED.contains(&fault.code.as_str())
}

/// What controls show and the spec cannot hold.
fn unfinished(work: &Work) -> Vec<FieldError> {
    let mut faults = Vec::new();
    if work.json.is_some() {
        faults.push(fault("/json".to_owned(), "json", "The JSON cannot be read. Mend it, or undo what you changed."));
    }
    for (name, text) in &work.texts {
        if let Some((tool, part)) = name.strip_prefix("a:").and_then(|name| name.split_once(':')) {
            let place = format!("/answers/{tool}#{part}");
            faults.push(fault(place, "number", "Write a whole number of milliseconds, or leave it empty."));
            continue;
        }
        if let Err(error) = serde_json::from_str::<Value>(text) {
            let place = format!("line {}, column {}", error.line(), error.column());
            faults.push(fault(
                name.trim_start_matches('j').to_owned(),
                "json",
                format!("This is not JSON ({place}): {error}."),
            ));
        }
    }
    let twice = |names: &[&str], i: usize| names[..i].contains(&names[i]);
    for (pointer, rows) in &work.rows {
        let names: Vec<&str> = rows.iter().map(|(name, _)| name.as_str()).collect();
        for i in 0..names.len() {
            let place = format!("{pointer}#{i}");
            if names[i].is_empty() {
                faults.push(fault(place, "name", "Give this value a name, or clear it."));
            } else if twice(&names, i) {
                faults.push(fault(place, "duplicate", format!("{} stands twice. Rename one of them.", names[i])));
            }
        }
    }
    for (pointer, rows) in &work.properties {
        let names: Vec<&str> = rows.iter().map(|row| row.name.as_str()).collect();
        for i in 0..names.len() {
            let place = format!("{pointer}#{i}.name");
            if names[i].is_empty() {
                faults.push(fault(place, "name", "Give this property a name, or remove it."));
            } else if twice(&names, i) {
                faults.push(fault(place, "duplicate", format!("{} stands twice. Rename one of them.", names[i])));
            }
        }
    }
    faults
}

/// Header values are not passed on with a run or a template, so they may be missing.
fn headers_without_values(spec: &Value) -> Vec<FieldError> {
    let mut faults = Vec::new();
    for (i, tool) in spec["tools"].as_array().into_iter().flatten().enumerate() {
        for (name, value) in tool["headers"].as_object().into_iter().flatten() {
            if value == "" {
                let place = format!("/tools/{i}/headers/{}", escape(name));
                faults.push(fault(
                    place,
                    "header",
                    "Write this value again: it is not passed on with a run or a template.",
                ));
            }
        }
    }
    faults
}

pub fn fault(path: String, code: &str, message: impl Into<String>) -> FieldError {
    FieldError { path, code: code.to_owned(), message: message.into() }
}
