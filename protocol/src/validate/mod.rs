//! Validates a spec before it is sent to MANTYX: finds the fields to correct, and says how.
//!
//! Each field of the [table](crate::fields) has a rule; this module applies the rules and has the longer ones. Paths are
//! JSON Pointers into the body (`/tools/2/name`), so that a form can show the message at its field. Messages are for people
//! who do not code, and say what to do. Codes are for programs:
//!
//! | code | the field |
//! | --- | --- |
//! | `required`, `not_allowed`, `conflict` | is missing; does not belong here; excludes another one that is there |
//! | `type`, `choice`, `pattern`, `range` | is of the wrong kind; is none of the words, names or numbers allowed |
//! | `too_long`, `too_many`, `too_few` | has too many characters, bytes or entries; too few entries |
//! | `duplicate`, `order`, `last_role` | does not go with another one |
//! | `schema` | is a JSON Schema with a mistake, or with the wrong root |
//! | `url`, `base64`, `mime`, `header` | is not what it should hold |
//!
//! A field that is `null` counts as absent. Lengths are counted as the server counts them, in UTF-16 units: an emoji is
//! two. At most a hundred errors are returned, and time grows with the size of the body.

pub(crate) mod attachments;
pub(crate) mod guards;
pub(crate) mod input;
pub(crate) mod output_schema;
mod report;
mod rules;
pub(crate) mod settings;
pub(crate) mod tools;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::fields::{Context, Field, FieldTable, SPEC_FIELDS};

pub use crate::fields::Body;
pub use attachments::MAX_INLINE_BYTES;
pub use report::Report;
pub use settings::metadata_within_limits;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldError {
    pub path: String,
    pub code: String,
    pub message: String,
}

impl FieldError {
    pub fn new(path: impl Into<String>, code: impl Into<String>, message: impl Into<String>) -> Self {
        Self { path: path.into(), code: code.into(), message: message.into() }
    }
}

/// Returns the errors in a spec.
pub fn validate(body: Body, spec: &Value) -> Vec<FieldError> {
    validate_with(SPEC_FIELDS, body, spec)
}

/// Returns the errors in a spec with the fields of a table.
pub fn validate_with(fields: FieldTable, body: Body, spec: &Value) -> Vec<FieldError> {
    let mut report = Report::default();
    match spec.as_object() {
        Some(spec) => Check { fields, spec, body }.object("", spec, None, &mut report),
        None => report.add("type", "A spec is a JSON object."),
    }
    report.errors
}

struct Check<'a> {
    fields: FieldTable,
    spec: &'a Map<String, Value>,
    body: Body,
}

impl Check<'_> {
    /// Checks the fields of an object. `kind` is that of the tool or file around it.
    fn object(&self, pattern: &str, object: &Map<String, Value>, kind: Option<&str>, report: &mut Report) {
        for field in self.fields.fields_of(pattern).filter(|field| field.name() != "*" && field.is_of_kind(kind)) {
            let context = self.context(field.name(), report::present(object, field.name()), object);
            report.at(field.name(), |report| self.field(field, &context, kind, report));
        }
    }

    /// Checks a field, or an item of a list or map.
    fn field(&self, field: &Field, context: &Context<'_>, kind: Option<&str>, report: &mut Report) {
        if !field.rule.check(context, report) {
            return;
        }
        let item = self.fields.fields_of(field.pointer).find(|item| item.name() == "*" && item.is_of_kind(kind));
        match (context.value, item) {
            (Some(Value::Array(items)), Some(item)) => {
                for (i, part) in items.iter().enumerate() {
                    let context = self.context("", Some(part), context.object);
                    report.at(i, |report| self.field(item, &context, kind, report));
                }
            }
            (Some(Value::Object(entries)), Some(item)) => {
                for (name, part) in entries {
                    let context = self.context(name, Some(part), entries);
                    report.at(name.as_str(), |report| self.field(item, &context, kind, report));
                }
            }
            (Some(Value::Object(fields)), None) => {
                let kind = kind.or_else(|| fields.get(field.kind_field()?)?.as_str());
                self.object(field.pointer, fields, kind, report);
            }
            _ => {}
        }
    }

    fn context<'a>(&'a self, name: &'a str, value: Option<&'a Value>, object: &'a Map<String, Value>) -> Context<'a> {
        Context { name, value, object, spec: self.spec, body: self.body }
    }
}

#[cfg(test)]
mod tests;
