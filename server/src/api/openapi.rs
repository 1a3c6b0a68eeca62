//! `GET /api/openapi.json`: the OpenAPI document, built from the table that the router is built from.
//!
//! Derives (utoipa, aide) would not be shorter: the responses contain some forty types of `protocol` and `domain`, which
//! also compile to wasm and would need the dependency and an attribute per field, and each handler would repeat its row of
//! the table. Schemas are derived from example values instead, which the handlers' own types serialise.

use axum::Json;
use serde_json::{Map, Value, json};

use super::endpoints::{self, Endpoint, Kind};
use super::errors;

pub async fn openapi() -> Json<Value> {
    Json(document())
}

pub fn document() -> Value {
    let mut paths = Map::new();
    for endpoint in endpoints::all() {
        let path = paths.entry(endpoint.path).or_insert_with(|| json!({}));
        path[endpoint.method] = operation(&endpoint);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Runlens",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Read a workspace's runs and sessions. Authenticate with the session cookie, or with a MANTYX credential as bearer token.",
        },
        "paths": paths,
        "components": {
            "securitySchemes": {
                "bearer": { "type": "http", "scheme": "bearer" },
                "session": { "type": "apiKey", "in": "cookie", "name": "runlens_session" },
            },
            "schemas": { "Error": errors::schema() },
        },
        "security": [{ "bearer": [] }, { "session": [] }],
    })
}

fn operation(endpoint: &Endpoint) -> Value {
    let in_path = endpoint.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let mut parameters: Vec<Value> = in_path
        .map(|name| json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" } }))
        .collect();
    parameters.extend(endpoint.query.iter().map(|param| {
        let schema = match param.kind {
            Kind::Text => json!({ "type": "string" }),
            Kind::Integer(from, u64::MAX) => json!({ "type": "integer", "minimum": from }),
            Kind::Integer(from, to) => json!({ "type": "integer", "minimum": from, "maximum": to }),
            Kind::OneOf(words) => json!({ "type": "string", "enum": words }),
        };
        json!({ "name": param.name, "in": "query", "required": param.required, "description": param.description, "schema": schema })
    }));
    let mut success = json!({ "description": "Done" });
    if let Some(example) = &endpoint.response {
        let schema = schema("", &example.full, Some(&example.minimal));
        success["content"] = json!({ example.content_type: { "schema": schema } });
    }
    let error = json!({
        "description": "An error with a code and a message",
        "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Error" } } },
    });
    let mut operation = json!({
        "summary": endpoint.summary,
        "parameters": parameters,
        "responses": { endpoint.status.to_string(): success, "default": error },
    });
    if let Some(body) = &endpoint.body {
        operation["requestBody"] = json!({ "required": true, "content": content(endpoint.body_type, body) });
    }
    operation
}

/// The content of a request body. All fields are optional.
fn content(media_type: &str, example: &Value) -> Value {
    json!({ media_type: { "schema": schema("", example, None) } })
}

/// String fields with a fixed set of values, by field name.
const ENUMS: [(&str, &[&str]); 6] = [
    ("status", &["pending", "running", "succeeded", "failed", "cancelled"]),
    ("history", &["not_begun", "under_way", "complete"]),
    ("origin", &["mirrored", "imported", "seeded"]),
    ("list", &["runs", "sessions"]),
    ("scope", &["built_in", "private", "shared"]),
    ("severity", &["info", "warning", "error"]),
];

/// The JSON Schema of a field, from a full and a minimal example of its value. A field that is null in `minimal` is
/// nullable, a field that it lacks is optional. An empty object means any object, null for any value.
fn schema(name: &str, full: &Value, minimal: Option<&Value>) -> Value {
    let mut result = match full {
        Value::Null => return json!({}),
        Value::Bool(_) => json!({ "type": "boolean" }),
        Value::Number(number) if number.is_f64() => json!({ "type": "number" }),
        Value::Number(_) => json!({ "type": "integer" }),
        Value::String(word) => {
            match ENUMS.iter().find(|(field, words)| *field == name && words.contains(&word.as_str())) {
                Some((_, words)) => json!({ "type": "string", "enum": words }),
                None => json!({ "type": "string" }),
            }
        }
        Value::Array(items) => {
            // The last of several items is the minimal one.
            let minimal = items.last().filter(|_| items.len() > 1);
            let items = items.iter().map(|item| schema(name, item, minimal)).reduce(merge);
            json!({ "type": "array", "items": items.unwrap_or_else(|| json!({})) })
        }
        Value::Object(fields) => {
            let minimal_field = |name: &str| minimal.map(|minimal| minimal.get(name));
            let properties: Map<String, Value> = fields
                .iter()
                .map(|(name, value)| (name.clone(), schema(name, value, minimal_field(name).flatten())))
                .collect();
            let required: Vec<&String> =
                fields.keys().filter(|name| matches!(minimal_field(name), Some(Some(_)))).collect();
            json!({ "type": "object", "properties": properties, "required": required })
        }
    };
    if minimal.is_some_and(Value::is_null) {
        result["type"] = json!([result["type"], "null"]);
    }
    result
}

/// Merges the schemas of two items of a list: fields that only one of them requires are optional.
fn merge(one: Value, other: Value) -> Value {
    let (Some(fields), Some(more)) = (one["properties"].as_object(), other["properties"].as_object()) else {
        return if one == other || other == json!({}) { one } else { json!({}) };
    };
    let mut properties = fields.clone();
    for (name, schema) in more {
        let known = properties.remove(name);
        properties.insert(name.clone(), known.map_or_else(|| schema.clone(), |known| merge(known, schema.clone())));
    }
    let required = |schema: &Value| schema["required"].as_array().cloned().unwrap_or_default();
    let both: Vec<Value> = required(&one).into_iter().filter(|name| required(&other).contains(name)).collect();
    json!({ "type": "object", "properties": properties, "required": both })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemas_come_from_a_full_and_a_minimal_example() {
        let full = json!({ "a": [{ "b": 1 }], "c": null, "d": "x", "e": "…", "history": "complete" });
        let minimal = json!({ "a": [], "c": null, "d": null, "history": "complete" });
        let schema = super::schema("", &full, Some(&minimal));
        assert_eq!(schema["properties"]["a"]["items"]["properties"]["b"]["type"], "integer");
        assert_eq!(schema["properties"]["c"], json!({}));
        assert_eq!(schema["properties"]["d"]["type"], json!(["string", "null"]));
        assert_eq!(schema["required"], json!(["a", "c", "d", "history"]));
        assert_eq!(schema["properties"]["history"]["enum"][2], "complete");
    }

    #[test]
    fn different_items_are_merged() {
        let schema = super::schema("", &json!([{ "a": 1, "b": 2 }, { "a": 3, "c": "x" }]), None);
        assert_eq!(schema["items"]["properties"].as_object().map(Map::len), Some(3));
    }
}
