//! The shape that the answer should have, and schemas of tools, which follow the same rules.

use serde_json::{Map, Value};

use super::faults::{Faults, present, sent_bytes};
use crate::ids::is_schema_name;
use crate::schema::resolve;

const MAX_BYTES: usize = 32 * 1024;

pub(super) fn check(spec: &Map<String, Value>, faults: &mut Faults) {
    if let Some(value) = present(spec, "outputSchema") {
        faults.at("outputSchema", |faults| check_output_schema(value, faults));
    }
}

fn check_output_schema(value: &Value, faults: &mut Faults) {
    let Some(fields) = value.as_object() else {
        return faults.add("type", "An output schema has a name, a schema and an enforcement.");
    };
    if sent_bytes(value) > MAX_BYTES {
        faults
            .add("too_long", "The output schema may have at most 32 KB. Shorten its descriptions or leave parts out.");
    }
    match present(fields, "schema") {
        Some(_) => check_object_schema(fields, "schema", faults),
        None => faults.add_at("schema", "required", "Say what the answer should look like: give a JSON Schema."),
    }
    if faults.text(fields, "name").is_some_and(|name| !is_schema_name(name)) {
        faults.add_at("name", "pattern", "The name may use letters, digits, _ and -, at most 64. Rename it.");
    }
    if let Some(enforcement) = present(fields, "enforcement")
        && !matches!(enforcement.as_str(), Some("best_effort" | "strict"))
    {
        faults.add_at("enforcement", "choice", "Choose best_effort or strict.");
    }
}

/// A JSON Schema whose values are objects, which is what providers take for arguments and answers.
pub(super) fn check_object_schema(fields: &Map<String, Value>, name: &str, faults: &mut Faults) {
    let Some(schema) = present(fields, name) else { return };
    faults.at(name, |faults| match schema.as_object() {
        None => {
            faults.add("type", "A schema is a JSON object such as { \"type\": \"object\", \"properties\": { … } }.")
        }
        Some(_) => {
            if root_type(schema).is_some_and(|kind| kind != "object") {
                let message =
                    "The schema must describe an object. Set its type to object and put the rest in a property.";
                faults.add_at("type", "schema", message);
            } else {
                faults.add_schema_faults(schema);
            }
        }
    });
}

/// The type that a schema gives its values, itself or by what it refers to.
fn root_type(schema: &Value) -> Option<&Value> {
    let mut part = schema;
    // More references in a row than anybody writes; circles are for the schema's own check.
    for _ in 0..8 {
        match part.get("type") {
            Some(kind) => return Some(kind),
            None => part = resolve(schema, part.get("$ref")?.as_str()?)?,
        }
    }
    None
}
