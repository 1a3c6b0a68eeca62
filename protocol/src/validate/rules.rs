//! Applies the rules that many fields share.

use serde_json::Value;

use super::output_schema::check_object_schema;
use super::report::Report;
use crate::fields::{Context, Rule};

impl Rule {
    /// Checks a field, which is the report's current one. Returns whether the parts of its value are checked too.
    pub(super) fn check(&self, context: &Context<'_>, report: &mut Report) -> bool {
        match (self, context.value) {
            (Self::Any, _) => return false,
            (Self::Check(check), _) => return check(context, report),
            (Self::Schema(required), None) => {
                if let Some(message) = required {
                    report.add("required", *message);
                }
            }
            (Self::Schema(_), Some(schema)) => {
                check_object_schema(schema, report);
                return false;
            }
            (Self::Text { required, format }, value) => match value.map(Value::as_str) {
                None | Some(Some("")) if *required => report.add("required", "Required."),
                Some(None) => report.add("type", "Enter a text."),
                Some(Some(text)) => {
                    if let Some(format) = format.filter(|format| !(format.is_valid)(text)) {
                        report.add(format.code, format.message);
                    }
                }
                None => {}
            },
            (_, None) => {}
            (Self::Number { min, max }, Some(value)) => {
                if value.as_u64().is_none_or(|number| !(*min..=*max).contains(&number)) {
                    report.add("range", format!("Use a whole number from {min} to {max}."));
                }
            }
            (Self::Flag, Some(value)) => {
                if !value.is_boolean() {
                    report.add("type", "Choose yes (true) or no (false).");
                }
            }
            (Self::Choice(words), Some(value)) => {
                if !value.as_str().is_some_and(|word| words.contains(&word)) {
                    report.add("choice", format!("Choose {}.", one_of(words)));
                }
            }
            (Self::Object(what), Some(value)) => {
                if !value.is_object() {
                    report.add("type", *what);
                }
            }
        }
        true
    }
}

/// `a, b or c`.
pub(super) fn one_of(words: &[&str]) -> String {
    match words {
        [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        _ => words.concat(),
    }
}
