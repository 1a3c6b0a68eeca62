//! Where the checks write what they find, and the checks that many fields share.

use serde_json::{Map, Value};

use super::FieldError;
use crate::pointer::{Pointer, Step};

/// Nobody mends more than these at once.
const MAX_FAULTS: usize = 100;

#[derive(Default)]
pub(super) struct Faults {
    path: Pointer,
    pub found: Vec<FieldError>,
}

impl Faults {
    /// A fault of the field where the check stands.
    pub fn add(&mut self, code: &str, message: impl Into<String>) {
        if self.found.len() < MAX_FAULTS {
            let path = self.path.as_str().to_owned();
            self.found.push(FieldError { path, code: code.to_owned(), message: message.into() });
        }
    }

    /// A fault of a field below.
    pub fn add_at(&mut self, step: impl Step, code: &str, message: impl Into<String>) {
        self.at(step, |faults| faults.add(code, message));
    }

    /// Checks something one level down.
    pub fn at<T>(&mut self, step: impl Step, check: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.path.enter(step);
        let answer = check(self);
        self.path.leave(before);
        answer
    }

    /// Faults of something that was checked elsewhere, below the field where the check stands.
    pub fn add_schema_faults(&mut self, schema: &Value) {
        for violation in crate::schema::compile_errors(schema) {
            let path = format!("{}{}", self.path.as_str(), violation.path);
            if self.found.len() < MAX_FAULTS {
                self.found.push(FieldError { path, code: "schema".to_owned(), message: violation.message });
            }
        }
    }

    /// A field that may be absent and otherwise is a text.
    pub fn text<'a>(&mut self, fields: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
        let value = present(fields, name)?;
        let text = value.as_str();
        if text.is_none() {
            self.add_at(name, "type", "Write a text here.");
        }
        text
    }

    /// A field that must be there and hold a text.
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

    /// A field that may be absent and otherwise is true or false.
    pub fn flag(&mut self, fields: &Map<String, Value>, name: &str) {
        if present(fields, name).is_some_and(|value| !value.is_boolean()) {
            self.add_at(name, "type", "Choose yes (true) or no (false).");
        }
    }

    /// A field that may be absent and otherwise is a whole number in a range.
    pub fn whole_number(&mut self, fields: &Map<String, Value>, name: &str, min: u64, max: u64) -> Option<u64> {
        let value = present(fields, name)?;
        let number = value.as_u64().filter(|number| (min..=max).contains(number));
        if number.is_none() {
            self.add_at(name, "range", format!("Use a whole number from {min} to {max}."));
        }
        number
    }
}

/// A field that is there and not `null`.
pub(super) fn present<'a>(fields: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    fields.get(name).filter(|value| !value.is_null())
}

/// Whether a text is longer than the server allows, which counts UTF-16 units.
pub(super) fn is_longer(text: &str, max: usize) -> bool {
    text.len() > max && text.encode_utf16().count() > max
}

/// How many bytes a value has when it is sent.
pub(super) fn sent_bytes(value: &Value) -> usize {
    value.to_string().len()
}
