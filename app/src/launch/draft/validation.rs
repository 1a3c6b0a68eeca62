//! Validates a draft without requests to other servers.

use protocol::ids;
use protocol::json_pointer::escape;
use protocol::validate::{self, FieldError};
use serde_json::Value;

use super::LaunchDraft;
use crate::launch::LaunchMode;

/// Codes of errors that are shown only after the first attempt to launch.
const UNFINISHED: [&str; 2] = ["required", "too_few"];

pub fn errors(draft: &LaunchDraft) -> Vec<FieldError> {
    let mut errors = match &draft.mode {
        LaunchMode::OneShot | LaunchMode::NewSession => validate::validate(&draft.spec),
        LaunchMode::Message { .. } => validate::validate_message(&draft.spec),
    };
    if let LaunchMode::Message { session_id } = &draft.mode
        && !ids::is_path_id(session_id)
    {
        errors.push(field_error("/session".to_owned(), "required", "Say which session: write its id."));
    }
    // The loaded session may not be the one that the form names now.
    if let (LaunchMode::Message { session_id }, Some(known)) = (&draft.mode, &draft.session)
        && let Some(problem) = known.problem.as_ref().filter(|_| known.id == *session_id)
    {
        errors.push(field_error("/session".to_owned(), "session", problem));
    }
    errors.extend(invalid_input(draft));
    errors.extend(headers_without_values(&draft.spec));
    errors
}

/// Returns whether an error is shown now.
pub fn is_shown(draft: &LaunchDraft, error: &FieldError) -> bool {
    draft.launch_attempted || !UNFINISHED.contains(&error.code.as_str())
}

/// Errors in input that the spec can't hold.
fn invalid_input(draft: &LaunchDraft) -> Vec<FieldError> {
    let mut errors = Vec::new();
    if draft.invalid_json.is_some() {
        errors.push(field_error(
            "/json".to_owned(),
            "json",
            "The JSON cannot be read. Mend it, or undo what you changed.",
        ));
    }
    for (name, text) in &draft.invalid_texts {
        if let Some((tool, part)) = name.strip_prefix("a:").and_then(|name| name.split_once(':')) {
            let place = format!("/answers/{tool}#{part}");
            errors.push(field_error(place, "number", "Write a whole number of milliseconds, or leave it empty."));
            continue;
        }
        if let Err(error) = serde_json::from_str::<Value>(text) {
            let place = format!("line {}, column {}", error.line(), error.column());
            errors.push(field_error(
                name.trim_start_matches('j').to_owned(),
                "json",
                format!("This is not JSON ({place}): {error}."),
            ));
        }
    }
    let twice = |names: &[&str], i: usize| names[..i].contains(&names[i]);
    for (pointer, rows) in &draft.invalid_rows {
        let names: Vec<&str> = rows.iter().map(|(name, _)| name.as_str()).collect();
        for i in 0..names.len() {
            let place = format!("{pointer}#{i}");
            if names[i].is_empty() {
                errors.push(field_error(place, "name", "Give this value a name, or clear it."));
            } else if twice(&names, i) {
                errors.push(field_error(place, "duplicate", format!("{} stands twice. Rename one of them.", names[i])));
            }
        }
    }
    for (pointer, rows) in &draft.invalid_properties {
        let names: Vec<&str> = rows.iter().map(|row| row.name.as_str()).collect();
        for i in 0..names.len() {
            let place = format!("{pointer}#{i}.name");
            if names[i].is_empty() {
                errors.push(field_error(place, "name", "Give this property a name, or remove it."));
            } else if twice(&names, i) {
                errors.push(field_error(place, "duplicate", format!("{} stands twice. Rename one of them.", names[i])));
            }
        }
    }
    errors
}

/// Header values are not copied from a run or a shared template.
fn headers_without_values(spec: &Value) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for (i, tool) in spec["tools"].as_array().into_iter().flatten().enumerate() {
        for (name, value) in tool["headers"].as_object().into_iter().flatten() {
            if value == "" {
                let place = format!("/tools/{i}/headers/{}", escape(name));
                errors.push(field_error(
                    place,
                    "header",
                    "Write this value again: it is not passed on with a run or a template.",
                ));
            }
        }
    }
    errors
}

pub fn field_error(path: String, code: &str, message: impl Into<String>) -> FieldError {
    FieldError { path, code: code.to_owned(), message: message.into() }
}
