//! Validates a draft without requests to other servers.

use protocol::fields::FieldTable;
use protocol::ids;
use protocol::json_pointer::escape;
use protocol::validate::{FieldError, validate_with};
use serde_json::Value;

use super::{LaunchDraft, json_error};
use crate::launch::{ControlName, LaunchMode};

/// Codes of errors that are shown only after the first attempt to launch.
const UNFINISHED: [&str; 2] = ["required", "too_few"];

pub fn errors(draft: &LaunchDraft, fields: FieldTable) -> Vec<FieldError> {
    let mut errors = validate_with(fields, draft.mode.body(), &draft.spec);
    if let LaunchMode::Message { session_id } = &draft.mode {
        if !ids::is_path_id(session_id) {
            errors.push(field_error("/session".to_owned(), "required", "Enter the id of the session."));
        }
        // The loaded session may not be the one that the form names now.
        let named = draft.session.iter().filter(|known| known.id == *session_id);
        let problem = named.filter_map(|known| known.problem.as_deref());
        errors.extend(problem.map(|problem| field_error("/session".to_owned(), "session", problem)));
    }
    let invalid = invalid_input(draft);
    // A syntax error explains why a value is missing.
    errors.retain(|error| !invalid.iter().any(|other| other.code == "json" && other.path == error.path));
    errors.extend(invalid);
    errors.extend(headers_without_values(&draft.spec));
    errors
}

/// Returns whether an error is shown now.
pub fn is_shown(draft: &LaunchDraft, error: &FieldError) -> bool {
    draft.last_action.launch_attempted || !UNFINISHED.contains(&error.code.as_str())
}

/// Errors in input that the spec can't hold.
fn invalid_input(draft: &LaunchDraft) -> Vec<FieldError> {
    let mut errors = Vec::new();
    if let Some(problem) = draft.unfinished.json.as_deref().and_then(json_error::json_problem) {
        errors.push(field_error("/json".to_owned(), "json", problem.message));
    }
    for (name, text) in &draft.unfinished.texts {
        match ControlName::parse(name) {
            Some(ControlName::Answerer { tool, part }) => {
                let message = "Enter a whole number of milliseconds, or leave it empty.";
                errors.push(field_error(format!("/answers/{tool}#{part}"), "number", message));
            }
            Some(ControlName::Field(pointer)) => {
                errors.extend(json_error::parse(text).err().map(|message| field_error(pointer, "json", message)));
            }
            _ => {}
        }
    }
    for (pointer, rows) in &draft.unfinished.rows {
        for (i, row) in rows.iter().enumerate() {
            let place = format!("{pointer}#{i}");
            let is_property = row.texts.len() > 1;
            if row.name.is_empty() && is_property {
                errors.push(field_error(place, "name", "Give this property a name, or remove it."));
            } else if row.name.is_empty() {
                errors.push(field_error(place, "name", "Give this value a name, or clear it."));
            } else if rows[..i].iter().any(|other| other.name == row.name) {
                let message = format!("{} is there twice. Rename one of them.", row.name);
                errors.push(field_error(place, "duplicate", message));
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
                let message = "Enter this value again: it is not copied from a run or a template.";
                errors.push(field_error(place, "header", message));
            }
        }
    }
    errors
}

pub fn field_error(path: String, code: &str, message: impl Into<String>) -> FieldError {
    FieldError { path, code: code.to_owned(), message: message.into() }
}
