//! `GET /api/openapi.json`: the document of the API, made of the table that the router is made of. Shapes are read off
//! answers that the handlers' own types write.

use axum::Json;
use serde_json::{Map, Value, json};

use super::endpoints::{self, Endpoint, Kind};

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
            "description": "Reads a workspace's runs and sessions. With the session cookie, or with a MANTYX credential as bearer.",
        },
        "paths": paths,
        "components": {
            "securitySchemes": {
                "bearer": { "type": "http", "scheme": "bearer" },
                "session": { "type": "apiKey", "in": "cookie", "name": "runlens_session" },
            },
            "schemas": { "Error": error_schema() },
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
            Kind::Whole(from, u64::MAX) => json!({ "type": "integer", "minimum": from }),
            Kind::Whole(from, to) => json!({ "type": "integer", "minimum": from, "maximum": to }),
            Kind::OneOf(words) => json!({ "type": "string", "enum": words }),
        };
        json!({ "name": param.name, "in": "query", "required": param.required, "description": param.about, "schema": schema })
    }));
    let (status, answer) = &endpoint.answer;
    let mut success = json!({ "description": "Done" });
    if let Some(answer) = answer {
        success["content"] = json!({ answer.media: { "schema": schema("", &answer.full, Some(&answer.bare)) } });
    }
    let refused = json!({
        "description": "What went wrong, by its code and in a sentence",
        "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Error" } } },
    });
    let mut operation = json!({
        "summary": endpoint.summary,
        "parameters": parameters,
        "responses": { status.to_string(): success, "default": refused },
    });
    if let Some(body) = &endpoint.body {
        operation["requestBody"] = json!({ "required": true, "content": content(body) });
    }
    operation
}

/// A body may leave anything out.
fn content(example: &Value) -> Value {
    json!({ "application/json": { "schema": schema("", example, None) } })
}

fn error_schema() -> Value {
    let codes = [
        "signed_out",
        "forbidden",
        "not_found",
        "invalid",
        "fields",
        "conflict",
        "upstream",
        "unavailable",
        "internal",
        "transport",
    ];
    let text = |about: &str| json!({ "type": "string", "description": about });
    json!({
        "type": "object",
        "required": ["error", "message"],
        "properties": {
            "error": { "type": "string", "enum": codes },
            "message": text("What happened and what to do, in a sentence"),
            "field": text("With invalid: the parameter or field that it is about"),
            "errors": {
                "type": "array",
                "description": "With fields: each by its JSON Pointer",
                "items": {
                    "type": "object",
                    "required": ["path", "code", "message"],
                    "properties": { "path": text("JSON Pointer"), "code": text("Code"), "message": text("Sentence") },
                },
            },
            "what": text("With not_found: what there is none of"),
            "code": text("With upstream: MANTYX's own code"),
            "reference": text("With internal: what to tell the operator"),
        },
    })
}

/// Words of a closed set, told by the name of their field and one of them.
const CLOSED: [(&str, &[&str]); 6] = [
    ("status", &["pending", "running", "succeeded", "failed", "cancelled"]),
    ("history", &["not_begun", "under_way", "complete"]),
    ("origin", &["mirrored", "imported", "seeded"]),
    ("list", &["runs", "sessions"]),
    ("scope", &["built_in", "private", "shared"]),
    ("severity", &["info", "warning", "error"]),
];

/// The shape of a field. `bare` is the same value with as little in it as there can be: what is null there may be null, and
/// what is not there need not be. Objects without fields, and null, stand for any of their kind.
fn schema(name: &str, full: &Value, bare: Option<&Value>) -> Value {
    let mut shape = match full {
        Value::Null => return json!({}),
        Value::Bool(_) => json!({ "type": "boolean" }),
        Value::Number(number) if number.is_f64() => json!({ "type": "number" }),
        Value::Number(_) => json!({ "type": "integer" }),
        Value::String(word) => match CLOSED.iter().find(|(of, words)| *of == name && words.contains(&word.as_str())) {
            Some((_, words)) => json!({ "type": "string", "enum": words }),
            None => json!({ "type": "string" }),
        },
        Value::Array(items) => {
            // The barest comes last; of a single one it is not known what it may be without.
            let bare = items.last().filter(|_| items.len() > 1);
            let items = items.iter().map(|item| schema(name, item, bare)).reduce(joined);
            json!({ "type": "array", "items": items.unwrap_or_else(|| json!({})) })
        }
        Value::Object(fields) => {
            let bare_field = |name: &str| bare.map(|bare| bare.get(name));
            let properties: Map<String, Value> = fields
                .iter()
                .map(|(name, value)| (name.clone(), schema(name, value, bare_field(name).flatten())))
                .collect();
            let required: Vec<&String> =
                fields.keys().filter(|name| matches!(bare_field(name), Some(Some(_)))).collect();
            json!({ "type": "object", "properties": properties, "required": required })
        }
    };
    if bare.is_some_and(Value::is_null) {
        shape["type"] = json!([shape["type"], "null"]);
    }
    shape
}

/// What two items of one list have in common is required of all; what either has may be there.
fn joined(one: Value, other: Value) -> Value {
    let (Some(fields), Some(more)) = (one["properties"].as_object(), other["properties"].as_object()) else {
        return if one == other || other == json!({}) { one } else { json!({}) };
    };
    let mut properties = fields.clone();
    for (name, shape) in more {
        let known = properties.remove(name);
        properties.insert(name.clone(), known.map_or_else(|| shape.clone(), |known| joined(known, shape.clone())));
    }
    let required = |shape: &Value| shape["required"].as_array().cloned().unwrap_or_default();
    let both: Vec<Value> = required(&one).into_iter().filter(|name| required(&other).contains(name)).collect();
    json!({ "type": "object", "properties": properties, "required": both })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_read_off_a_full_and_a_bare_value() {
        let full = json!({ "a": [{ "b": 1 }], "c": null, "d": "x", "e": "…", "history": "complete" });
        let bare = json!({ "a": [], "c": null, "d": null, "history": "complete" });
        let shape = schema("", &full, Some(&bare));
        assert_eq!(shape["properties"]["a"]["items"]["properties"]["b"]["type"], "integer");
        assert_eq!(shape["properties"]["c"], json!({}));
        assert_eq!(shape["properties"]["d"]["type"], json!(["string", "null"]));
        assert_eq!(shape["required"], json!(["a", "c", "d", "history"]));
        assert_eq!(shape["properties"]["history"]["enum"][2], "complete");
    }

    #[test]
    fn items_that_differ_share_what_they_have_in_common() {
        let shape = schema("", &json!([{ "a": 1, "b": 2 }, { "a": 3, "c": "x" }]), None);
        assert_eq!(shape["items"]["properties"].as_object().map(Map::len), Some(3));
    }
}
