//! Collects the errors of a spec, and has the checks that many fields share.

use serde_json::{Map, Value};

use super::FieldError;
use crate::json_pointer::{Path, Step};

/// More are not reported: nobody corrects so many at once.
const MAX_ERRORS: usize = 100;

#[derive(Default)]
pub(super) struct Report {
    path: Path,
    pub errors: Vec<FieldError>,
}

impl Report {
    /// Adds an error for the current field.
    pub fn add(&mut self, code: &str, message: impl Into<String>) {
        if self.errors.len() < MAX_ERRORS {
            let path = self.path.as_str().to_owned();
            self.errors.push(FieldError { path, code: code.to_owned(), message: message.into() });
        }
    }

    /// Adds an error for a field below the current one.
    pub fn add_at(&mut self, step: impl Step, code: &str, message: impl Into<String>) {
        self.at(step, |report| report.add(code, message));
    }

    /// Runs `check` with the field below as the current one.
    pub fn at<T>(&mut self, step: impl Step, check: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.path.enter(step);
        let result = check(self);
        self.path.leave(before);
        result
    }

    /// Adds the mistakes in a JSON Schema, which is the value of the current field.
    pub fn add_schema_errors(&mut self, schema: &Value) {
        for violation in crate::schema::compile_errors(schema) {
            let path = format!("{}{}", self.path.as_str(), violation.path);
            if self.errors.len() < MAX_ERRORS {
                self.errors.push(FieldError { path, code: "schema".to_owned(), message: violation.message });
            }
        }
    }

    /// Checks an optional text, and returns it.
    pub fn text<'a>(&mut self, fields: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
        let value = present(fields, name)?;
        let text = value.as_str();
        if text.is_none() {
            self.add_at(name, "type", "Write a text here.");
        }
        text
    }

    /// Checks a required text, and returns it.
    pub fn required_text<'a>(&mut self, fields: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
        let text = match present(fields, name) {
            Some(value) => value.as_str(),
            None => Some(""),
        };
        match text {
            Some("") => self.add_at(name, "required", "Fill this in."),
            Some(text) => return Some(text),
            None => self.add_at(name, "type", "Write a text here."),
        }
        None
    }

    /// Checks an optional boolean.
    pub fn flag(&mut self, fields: &Map<String, Value>, name: &str) {
        if present(fields, name).is_some_and(|value| !value.is_boolean()) {
            self.add_at(name, "type", "Choose yes (true) or no (false).");
        }
    }

    /// Checks an optional whole number, and returns it if it is in the range.
    pub fn whole_number(&mut self, fields: &Map<String, Value>, name: &str, min: u64, max: u64) -> Option<u64> {
        let value = present(fields, name)?;
        let number = value.as_u64().filter(|number| (min..=max).contains(number));
        if number.is_none() {
            self.add_at(name, "range", format!("Use a whole number from {min} to {max}."));
        }
        number
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
