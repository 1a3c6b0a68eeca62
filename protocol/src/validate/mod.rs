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
pub(crate) mod headers;
pub(crate) mod input;
pub(crate) mod output_schema;
pub(crate) mod plan;
mod report;
mod rules;
pub(crate) mod settings;
pub(crate) mod supervisor;
pub(crate) mod tools;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::fields::{Context, Field, FieldTable, SPEC_FIELDS};

pub use crate::fields::Body;
pub use attachments::MAX_INLINE_BYTES;
pub use report::Report;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldError {
    pub path: String,
    pub code: String,
    pub message: String,
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
    /// Checks the fields of an object. `kind` is that of the tool around it.
    fn object(&self, pattern: &str, object: &Map<String, Value>, kind: Option<&str>, report: &mut Report) {
        for field in self.fields.fields_of(pattern).filter(|field| field.name() != "*" && field.is_of_kind(kind)) {
            let value = report::present(object, field.name());
            report.at(field.name(), |report| self.field(field, value, object, kind, report));
        }
    }

    fn field(
        &self,
        field: &Field,
        value: Option<&Value>,
        object: &Map<String, Value>,
        kind: Option<&str>,
        report: &mut Report,
    ) {
        let context = Context { name: field.name(), value, object, spec: self.spec, body: self.body };
        if !field.rule.check(&context, report) {
            return;
        }
        let Some(value) = value else { return };
        let item = self.fields.fields_of(field.pointer).find(|item| item.name() == "*" && item.is_of_kind(kind));
        match (value, item) {
            (Value::Array(items), Some(item)) => {
                for (i, part) in items.iter().enumerate() {
                    report.at(i, |report| self.item(item, "", part, object, kind, report));
                }
            }
            (Value::Object(entries), Some(item)) => {
                for (name, part) in entries {
                    report.at(name.as_str(), |report| self.item(item, name, part, entries, kind, report));
                }
            }
            (Value::Object(fields), None) => self.object(field.pointer, fields, kind, report),
            _ => {}
        }
    }

    fn item(
        &self,
        item: &Field,
        name: &str,
        value: &Value,
        around: &Map<String, Value>,
        kind: Option<&str>,
        report: &mut Report,
    ) {
        let context = Context { name, value: Some(value), object: around, spec: self.spec, body: self.body };
        if item.rule.check(&context, report)
            && let Some(fields) = value.as_object()
        {
            let kind = kind.or_else(|| fields.get("kind").filter(|_| item.pointer == "/tools/*")?.as_str());
            self.object(item.pointer, fields, kind, report);
        }
    }
}

#[cfg(test)]
mod tests;
