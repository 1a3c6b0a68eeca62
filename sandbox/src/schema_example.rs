//! Generation of example values for a JSON Schema, for the simulated models.

use serde_json::{Map, Value};

/// Returns a value that matches `schema`, with `text` for its strings.
pub fn example(schema: &Value, text: &str) -> Value {
    example_at(schema, text, 0)
}

fn example_at(schema: &Value, text: &str, depth: usize) -> Value {
    if let Some(value) = schema.get("const").or(schema.get("default")) {
        return value.clone();
    }
    if let Some(first) = schema["enum"].as_array().and_then(|choices| choices.first()) {
        return first.clone();
    }
    if let Some(first) = ["anyOf", "oneOf"].iter().find_map(|key| schema[*key].as_array()?.first()) {
        return example_at(first, text, depth + 1);
    }
    match type_names(schema).first().copied() {
        Some("string") => protocol::json::preview(text, 80).into(),
        Some("number" | "integer") => {
            schema["minimum"].as_f64().filter(|min| *min > 0.0).map_or(0.into(), |min| (min.ceil() as i64).into())
        }
        Some("boolean") => true.into(),
        Some("null") => Value::Null,
        Some("array") => {
            // Nested lists multiply, so only the outer ones get more than one item.
            let most = if depth < 4 { 8 } else { 1 };
            let count = schema["minItems"].as_u64().unwrap_or(1).min(most);
            (0..count).map(|_| example_at(&schema["items"], text, depth + 1)).collect()
        }
        _ => {
            let properties = schema["properties"].as_object();
            let fields = properties
                .into_iter()
                .flatten()
                .map(|(name, schema)| (name.clone(), example_at(schema, text, depth + 1)));
            Value::Object(fields.collect::<Map<_, _>>())
        }
    }
}

fn type_names(schema: &Value) -> Vec<&str> {
    match &schema["type"] {
        Value::String(name) => vec![name],
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use protocol::schema::check;
    use serde_json::json;

    use super::*;

    #[test]
    fn an_example_fits_its_schema() {
        let schema = json!({ "type": "object", "required": ["a", "b", "c"], "properties": { "a": { "type": "string" },
            "b": { "type": "integer", "minimum": 3 }, "c": { "type": "array", "items": { "enum": ["x"] }, "minItems": 2 } } });
        assert_eq!(check(&schema, &example(&schema, "hello")), []);
    }
}
