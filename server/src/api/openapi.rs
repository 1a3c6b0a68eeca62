//! `GET /api/openapi.json`: the document of the API, made of the table that the router is made of. Shapes are read off
//! answers that the handlers' own types write.

use axum::Json;
use serde_json::{Map, Value, json};

use super::endpoints::{self, Endpoint};

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
            "schemas": { "Error": schema(&json!({ "error": "invalid", "message": "…" })) },
        },
        "security": [{ "bearer": [] }, { "session": [] }],
    })
}

fn operation(endpoint: &Endpoint) -> Value {
    let in_path = endpoint.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let mut parameters: Vec<Value> = in_path
        .map(|name| json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" } }))
        .collect();
    parameters.extend(endpoint.query.iter().map(|(name, required, description)| {
        let schema = json!({ "type": "string" });
        json!({ "name": name, "in": "query", "required": required, "description": description, "schema": schema })
    }));
    let (status, answer) = &endpoint.answer;
    let mut success = json!({ "description": "Done" });
    if let Some(answer) = answer {
        success["content"] = content(answer);
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

fn content(example: &Value) -> Value {
    json!({ "application/json": { "schema": schema(example) } })
}

/// The shape of a value. Lists have the shape of their first item.
fn schema(example: &Value) -> Value {
    match example {
        Value::Null => json!({}),
        Value::Bool(_) => json!({ "type": "boolean" }),
        Value::Number(_) => json!({ "type": "number" }),
        Value::String(_) => json!({ "type": "string" }),
        Value::Array(items) => json!({ "type": "array", "items": items.first().map_or(json!({}), schema) }),
        Value::Object(fields) => {
            let properties: Map<String, Value> =
                fields.iter().map(|(name, value)| (name.clone(), schema(value))).collect();
            json!({ "type": "object", "properties": properties })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_read_off_values() {
        let shape = schema(&json!({ "a": [{ "b": 1 }], "c": null }));
        assert_eq!(shape["properties"]["a"]["items"]["properties"]["b"]["type"], "number");
        assert_eq!(shape["properties"]["c"], json!({}));
    }
}
