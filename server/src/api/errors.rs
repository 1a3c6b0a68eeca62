//! The errors of the JSON API: their codes for the OpenAPI document.

use app::AppError;
use serde_json::{Value, json};

/// The JSON Schema of an error body.
pub fn schema() -> Value {
    let codes: Vec<Value> = one_of_each().iter().map(code).collect();
    let text = |description: &str| json!({ "type": "string", "description": description });
    json!({
        "type": "object",
        "required": ["error", "message"],
        "properties": {
            "error": { "type": "string", "enum": codes },
            "message": text("What happened and what to do"),
            "field": text("With invalid: the parameter or field"),
            "errors": {
                "type": "array",
                "description": "With fields: each field by its JSON Pointer",
                "items": {
                    "type": "object",
                    "required": ["path", "code", "message"],
                    "properties": { "path": text("JSON Pointer"), "code": text("Code"), "message": text("Sentence") },
                },
            },
            "scope": text("With missing_scope: the scope"),
            "what": text("With not_found: what was not found"),
            "code": text("With upstream: MANTYX's own code"),
            "retry_after_s": { "type": "integer", "description": "With too_many_requests: seconds to wait" },
            "reference": text("With internal: a reference for the operator"),
        },
    })
}

/// The code as it is in a body.
fn code(error: &AppError) -> Value {
    serde_json::to_value(error).map(|mut body| body["error"].take()).unwrap_or_default()
}

fn one_of_each() -> [AppError; 16] {
    let text = String::new;
    [
        AppError::SignedOut,
        AppError::Forbidden { message: text() },
        AppError::MissingScope { scope: text() },
        AppError::NotFound { what: text() },
        AppError::Invalid { field: text(), message: text() },
        AppError::Fields { errors: Vec::new() },
        AppError::Conflict { message: text() },
        AppError::Upstream { code: text(), message: text() },
        AppError::Unavailable { message: text() },
        AppError::RateLimited { message: text() },
        AppError::TooManyRequests { retry_after_s: 0 },
        AppError::Busy,
        AppError::Database,
        AppError::CannotSave,
        AppError::Internal { reference: text() },
        AppError::Transport { message: text() },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_has_the_code_and_the_fields_of_every_error() {
        // Serde's message lists every code that it knows.
        let unknown = serde_json::from_value::<AppError>(json!({ "error": "unknown" })).expect_err("an unknown code");
        let message = unknown.to_string();
        let known: Vec<&str> = message.split('`').skip(3).step_by(2).collect();
        let schema = schema();
        assert_eq!(schema["properties"]["error"]["enum"], json!(known));
        for error in one_of_each() {
            let body = serde_json::to_value(&error).expect("a body");
            for field in body.as_object().expect("an object").keys() {
                assert!(schema["properties"][field].is_object(), "{field} of {error:?}");
            }
        }
    }

    #[test]
    fn the_documentation_has_every_code_with_its_status() {
        let document = include_str!("../../../docs/api.md");
        for error in one_of_each() {
            let row = format!("| {} | `{}` |", error.http_status(), code(&error).as_str().unwrap_or_default());
            assert!(document.contains(&row), "{row}");
        }
    }
}
