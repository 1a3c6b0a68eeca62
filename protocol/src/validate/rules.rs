//! Applies the rules that many fields share.

use serde_json::{Map, Value};

use super::output_schema::check_object_schema;
use super::report::Report;
use crate::fields::{Context, Rule};

impl Rule {
    /// Checks a field, which is the report's current one. Returns whether the parts of its value are checked too.
    pub(super) fn check(&self, context: &Context<'_>, report: &mut Report) -> bool {
        let errors = report.errors.len();
        match (self, context.value) {
            (Self::Any, _) => return false,
            (Self::Check(check), _) => return check(context, report),
            (Self::Schema(Some(message)), None) => report.add("required", *message),
            (Self::Text { required: true, .. }, None) => report.add("required", "Required."),
            (Self::Must(_, code, message), None) => report.add(code, *message),
            (_, None) => {}
            (Self::Text { required, format }, Some(value)) => match (value.as_str(), format) {
                (None, _) => report.add("type", "Enter a text."),
                (Some(""), _) if *required => report.add("required", "Required."),
                (Some(text), Some((is_valid, code, message))) if !is_valid(text) => report.add(code, *message),
                (Some(_), _) => {}
            },
            (Self::Texts(list, text), Some(value)) => match value.as_array() {
                None => report.add("type", *list),
                Some(items) => {
                    let is_empty = |item: &Value| item.as_str().is_none_or(|text| text.trim().is_empty());
                    for (i, _) in items.iter().enumerate().filter(|(_, item)| is_empty(item)) {
                        report.add_at(i, "required", *text);
                    }
                }
            },
            (Self::Number { min, max }, Some(value)) => {
                if value.as_u64().is_none_or(|number| !(*min..=*max).contains(&number)) {
                    report.add("range", format!("Use a whole number from {min} to {max}."));
                }
            }
            (Self::Choice(words), Some(value)) => {
                if !value.as_str().is_some_and(|word| words.contains(&word)) {
                    report.add("choice", format!("Choose {}.", one_of(words)));
                }
            }
            (Self::Is(is_valid, code, message) | Self::Must(is_valid, code, message), Some(value)) => {
                if !is_valid(value) {
                    report.add(code, *message);
                }
            }
            (Self::Entries(is_valid, what, ..), Some(value)) if !is_valid(value) => report.add("type", *what),
            (Self::Entries(_, _, max, too_many), Some(value)) => {
                let count = value.as_array().map(Vec::len).or(value.as_object().map(Map::len));
                if count.is_some_and(|count| count > *max) {
                    report.add("too_many", *too_many);
                }
                return true;
            }
            (Self::Schema(_), Some(schema)) => {
                check_object_schema(schema, report);
                return false;
            }
        }
        report.errors.len() == errors
    }
}

/// `a, b or c`.
pub(super) fn one_of(words: &[&str]) -> String {
    match words {
        [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        _ => words.concat(),
    }
}
