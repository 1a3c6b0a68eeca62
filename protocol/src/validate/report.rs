//! Collects the errors of a spec.

use serde_json::{Map, Value};

use super::FieldError;
use crate::json_pointer::{Path, Step};

/// More are not reported: nobody corrects so many at once.
const MAX_ERRORS: usize = 100;

/// The errors found so far, and the field that is checked.
#[derive(Default)]
pub struct Report {
    path: Path,
    pub(super) errors: Vec<FieldError>,
}

impl Report {
    /// Adds an error for the current field.
    pub fn add(&mut self, code: &str, message: impl Into<String>) {
        self.add_below("", code, message);
    }

    /// Adds an error for the current field. Returns `false`: the parts of its value are not checked.
    pub fn refuse(&mut self, code: &str, message: impl Into<String>) -> bool {
        self.add(code, message);
        false
    }

    fn add_below(&mut self, rest: &str, code: &str, message: impl Into<String>) {
        if self.errors.len() < MAX_ERRORS {
            let path = format!("{}{rest}", self.path.as_str());
            self.errors.push(FieldError::new(path, code, message));
        }
    }

    /// Adds an error for a field below the current one.
    pub(super) fn add_at(&mut self, step: impl Step, code: &str, message: impl Into<String>) {
        self.at(step, |report| report.add(code, message));
    }

    /// Runs `check` with the field below as the current one.
    pub(super) fn at<T>(&mut self, step: impl Step, check: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.path.enter(step);
        let result = check(self);
        self.path.leave(before);
        result
    }

    /// Adds the mistakes in a JSON Schema, which is the value of the current field.
    pub(super) fn add_schema_errors(&mut self, schema: &Value) {
        for violation in crate::schema::compile_errors(schema) {
            self.add_below(&violation.path, "schema", violation.message);
        }
    }
}

/// Returns a field unless it is absent or `null`.
pub(super) fn present<'a>(fields: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    fields.get(name).filter(|value| !value.is_null())
}

/// Returns whether a text is longer than `max`, counted in UTF-16 units as the server does.
pub(super) fn is_longer(text: &str, max: usize) -> bool {
    text.len() > max && text.encode_utf16().count() > max
}

/// Returns the size of a value when it is sent.
pub(super) fn sent_bytes(value: &Value) -> usize {
    value.to_string().len()
}
