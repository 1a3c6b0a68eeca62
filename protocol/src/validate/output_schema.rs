//! The output schema, and the schemas of tools, which follow the same rules.

use serde_json::Value;

use super::report::{Report, sent_bytes};
use crate::fields::Context;
use crate::schema::resolve;

const MAX_BYTES: usize = 32 * 1024;

/// Checks the size; the table has the rules for each field.
pub(crate) fn check_output_schema(context: &Context<'_>, report: &mut Report) -> bool {
    let Some(value) = context.value else { return false };
    if !value.is_object() {
        report.add("type", "An output schema has a name, a schema and an enforcement.");
    } else if sent_bytes(value) > MAX_BYTES {
        report
            .add("too_long", "The output schema may have at most 32 KB. Shorten its descriptions or leave parts out.");
    }
    true
}

/// Checks a JSON Schema for objects, the only kind that providers accept for arguments and answers.
pub(super) fn check_object_schema(schema: &Value, report: &mut Report) {
    if !schema.is_object() {
        report.add("type", "A schema is a JSON object such as { \"type\": \"object\", \"properties\": { … } }.");
    } else if root_type(schema).is_some_and(|kind| kind != "object") {
        let message = "The schema must describe an object. Set its type to object and put the rest in a property.";
        report.add_at("type", "schema", message);
    } else {
        report.add_schema_errors(schema);
    }
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
