//! The output schema, and the schemas of tools, which follow the same rules.

use serde_json::{Map, Value};

use super::report::{Report, present, sent_bytes};
use crate::ids::is_schema_name;
use crate::schema::resolve;

const MAX_BYTES: usize = 32 * 1024;

pub(super) fn check(spec: &Map<String, Value>, report: &mut Report) {
    if let Some(value) = present(spec, "outputSchema") {
        report.at("outputSchema", |report| check_output_schema(value, report));
    }
}

fn check_output_schema(value: &Value, report: &mut Report) {
    let Some(fields) = value.as_object() else {
        return report.add("type", "An output schema has a name, a schema and an enforcement.");
    };
    if sent_bytes(value) > MAX_BYTES {
        report
            .add("too_long", "The output schema may have at most 32 KB. Shorten its descriptions or leave parts out.");
    }
    match present(fields, "schema") {
        Some(_) => check_object_schema(fields, "schema", report),
        None => report.add_at("schema", "required", "Say what the answer should look like: give a JSON Schema."),
    }
    if report.text(fields, "name").is_some_and(|name| !is_schema_name(name)) {
        report.add_at("name", "pattern", "The name may use letters, digits, _ and -, at most 64. Rename it.");
    }
    if let Some(enforcement) = present(fields, "enforcement")
        && !matches!(enforcement.as_str(), Some("best_effort" | "strict"))
    {
        report.add_at("enforcement", "choice", "Choose best_effort or strict.");
    }
}

/// Checks a JSON Schema for objects, the only kind that providers accept for arguments and answers.
pub(super) fn check_object_schema(fields: &Map<String, Value>, name: &str, report: &mut Report) {
    let Some(schema) = present(fields, name) else { return };
    report.at(name, |report| match schema.as_object() {
        None => {
            report.add("type", "A schema is a JSON object such as { \"type\": \"object\", \"properties\": { … } }.")
        }
        Some(_) => {
            if root_type(schema).is_some_and(|kind| kind != "object") {
                let message =
                    "The schema must describe an object. Set its type to object and put the rest in a property.";
                report.add_at("type", "schema", message);
            } else {
                report.add_schema_errors(schema);
            }
        }
    });
}

/// Returns the `type` of a schema, or of the schema that it refers to.
fn root_type(schema: &Value) -> Option<&Value> {
    let mut part = schema;
    // More references in a row than a schema needs; cycles are reported by `compile_errors`.
    for _ in 0..8 {
        match part.get("type") {
            Some(kind) => return Some(kind),
            None => part = resolve(schema, part.get("$ref")?.as_str()?)?,
        }
    }
    None
}
