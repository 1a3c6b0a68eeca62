//! Validates a draft without requests to other servers.

use protocol::fields::FieldTable;
use protocol::ids;
use protocol::json_pointer::escape;
use protocol::validate::{FieldError, validate_with};
use serde_json::Value;

use super::rows::Table;
use super::{LaunchDraft, json_error};
use crate::launch::{ControlKind, ControlName, LaunchMode};

/// Codes of errors that are shown only after the first attempt to launch.
const UNFINISHED: [&str; 2] = ["required", "too_few"];

pub fn errors(draft: &LaunchDraft, fields: FieldTable) -> Vec<FieldError> {
    let mut errors = validate_with(fields, draft.mode.body(), &draft.spec);
    if let LaunchMode::Message { session_id } = &draft.mode {
        if !ids::is_path_id(session_id) {
            errors.push(FieldError::new("/session", "required", "Enter the id of the session."));
        }
        // The loaded session may not be the one that the form names now.
        let named = draft.session.iter().filter(|known| known.id == *session_id);
        let problem = named.filter_map(|known| known.problem.as_deref());
        errors.extend(problem.map(|problem| FieldError::new("/session", "session", problem)));
    }
    let invalid = invalid_input(draft, fields);
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
fn invalid_input(draft: &LaunchDraft, fields: FieldTable) -> Vec<FieldError> {
    let mut errors = Vec::new();
    for (name, text) in &draft.unfinished.texts {
        let Some(ControlName { kind, place, part }) = ControlName::parse(name) else { continue };
        errors.extend(match kind {
            ControlKind::Answerer => {
                let message = "Enter a whole number of milliseconds, or leave it empty.";
                Some(FieldError::new(format!("/answers/{place}#{part}"), "number", message))
            }
            ControlKind::Field => json_error::parse(text).err().map(|message| FieldError::new(place, "json", message)),
            _ if place == "json" => {
                json_error::json_problem(text).map(|problem| FieldError::new("/json", "json", problem.message))
            }
            _ => None,
        });
    }
    for (pointer, rows) in &draft.unfinished.rows {
        let message = match Table::at(fields, &draft.spec, pointer) {
            Some(Table::Schema) => "Give this property a name, or remove it.",
            _ => "Give this value a name, or clear it.",
        };
        for (i, row) in rows.iter().enumerate() {
            let place = format!("{pointer}#{i}");
            if row.name.is_empty() {
                errors.push(FieldError::new(place, "name", message));
            } else if rows[..i].iter().any(|other| other.name == row.name) {
                let message = format!("{} appears twice. Rename one of them.", row.name);
                errors.push(FieldError::new(place, "duplicate", message));
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
                errors.push(FieldError::new(place, "header", message));
            }
        }
    }
    errors
}
