//! Validates a value against a JSON Schema, with the `jsonschema` crate.

use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use jsonschema::{Draft, PatternOptions, ValidationError, Validator};
use serde_json::Value;

use super::cost::reason_to_refuse;
use super::{MAX_VIOLATIONS, Violation, compile_errors};
use crate::json::preview;
use crate::json_pointer::join;

/// Returns every rule of `schema` that `value` breaks, formats and patterns included.
///
/// A schema that cannot be applied gives one violation that says so: nothing can then be said about the value. Nothing is
/// loaded from files or from the network, and a schema that would take too long is refused.
pub fn check(schema: &Value, value: &Value) -> Vec<Violation> {
    if let Some(reason) = reason_to_refuse(schema, value) {
        return vec![cannot_be_judged(reason)];
    }
    match validator(schema) {
        Ok(validator) => {
            validator.iter_errors(value).flat_map(|error| violations(&error)).take(MAX_VIOLATIONS).collect()
        }
        Err(error) => vec![cannot_be_judged(&compile_message(schema, &error))],
    }
}

/// Reads a schema as draft 2020-12, unless it names its draft. Many schemas of draft 7 do not: they are recognized by
/// what draft 2020-12 does not allow, such as a list under `items`.
fn validator(schema: &Value) -> Result<Validator, ValidationError<'static>> {
    let options = || {
        // Patterns come from clients: this engine takes linear time for any of them.
        jsonschema::options().offline().should_validate_formats(true).with_pattern_options(PatternOptions::regex())
    };
    options().build(schema).or_else(|error| match schema.get("$schema") {
        None => options().with_draft(Draft::Draft7).build(schema).map_err(|_| error),
        Some(_) => Err(error),
    })
}

fn cannot_be_judged(reason: &str) -> Violation {
    Violation { path: String::new(), message: format!("cannot be checked: {reason}") }
}

fn compile_message(schema: &Value, error: &ValidationError<'_>) -> String {
    match compile_errors(schema).first() {
        Some(Violation { path, message }) => format!("the schema has an error at {path}: {message}"),
        None => short(&error.to_string()),
    }
}

/// A missing or unknown field is reported at the place of the field, not at its object.
fn violations(error: &ValidationError<'_>) -> Vec<Violation> {
    let path = error.instance_path().as_str();
    let at_field = |name: &str, message: &str| Violation { path: join(path, name), message: message.to_owned() };
    let message = match error.kind() {
        Kind::Required { property } => return vec![at_field(property.as_str().unwrap_or_default(), "is required")],
        Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
            return unexpected.iter().map(|name| at_field(name, "is not a known field")).collect();
        }
        Kind::PropertyNames { error } => {
            return vec![at_field(error.instance().as_str().unwrap_or_default(), "has a name that is not allowed")];
        }
        Kind::Type { kind } => format!("must be {}", type_names(kind)),
        Kind::Enum { options } => format!("must be one of {}", choices(options)),
        Kind::Constant { expected_value } => format!("must be {}", short(&expected_value.to_string())),
        Kind::FalseSchema => "is not allowed here".to_owned(),
        Kind::AnyOf { .. } => "fits none of the choices of anyOf".to_owned(),
        Kind::OneOfNotValid { .. } => "fits none of the choices of oneOf".to_owned(),
        Kind::OneOfMultipleValid { .. } => "fits more than one of the choices of oneOf".to_owned(),
        Kind::Not { .. } => "must not fit the schema under not".to_owned(),
        Kind::Contains => "has too few or too many items that fit the schema under contains".to_owned(),
        Kind::UniqueItems => "has the same item twice".to_owned(),
        Kind::MinItems { limit } => format!("must have at least {limit} items"),
        Kind::MaxItems { limit } => format!("must have at most {limit} items"),
        Kind::AdditionalItems { limit } => format!("must have at most {limit} items"),
        Kind::MinProperties { limit } => format!("must have at least {limit} fields"),
        Kind::MaxProperties { limit } => format!("must have at most {limit} fields"),
        Kind::MinLength { limit } => format!("must have at least {limit} characters"),
        Kind::MaxLength { limit } => format!("must have at most {limit} characters"),
        Kind::Minimum { limit } => format!("must be at least {limit}"),
        Kind::Maximum { limit } => format!("must be at most {limit}"),
        Kind::ExclusiveMinimum { limit } => format!("must be more than {limit}"),
        Kind::ExclusiveMaximum { limit } => format!("must be less than {limit}"),
        Kind::MultipleOf { multiple_of } => format!("must be a multiple of {multiple_of}"),
        Kind::Pattern { pattern } => format!("must match the pattern {}", short(pattern)),
        Kind::Format { format } => format!("must have the format {format}"),
        _ => short(&error.to_string()),
    };
    vec![Violation { path: path.to_owned(), message }]
}

fn type_names(kind: &TypeKind) -> String {
    match kind {
        TypeKind::Single(name) => name.to_string(),
        TypeKind::Multiple(names) => names.iter().map(|name| name.to_string()).collect::<Vec<_>>().join(" or "),
    }
}

fn choices(options: &Value) -> String {
    let choices: Vec<String> = options.as_array().into_iter().flatten().take(20).map(Value::to_string).collect();
    short(&choices.join(", "))
}

/// Messages can quote the value or the schema, which may be long.
fn short(message: &str) -> String {
    preview(message.trim_end_matches('.'), 200)
}
