//! Converts the reasons why MANTYX refused a launch into errors, at fields if possible.

use app::AppError;
use app::launch::LaunchMode;
use serde_json::Value;

use crate::error::Error;
use crate::mantyx::{MantyxError, Refusal};

pub fn to_error(refusal: Refusal, spec: &Value) -> AppError {
    if refusal.code == "invalid_model" {
        let field = if names_fallback(&refusal, spec) { "/fallbackModelId" } else { "/modelId" };
        let message = match refusal.candidates.as_slice() {
            [] => refusal.message,
            candidates => format!("This workspace has no such model. Choose one of: {}.", candidates.join(", ")),
        };
        return AppError::field(field, "invalid_model", message);
    }
    if !refusal.fields.is_empty() {
        return AppError::Fields { errors: refusal.fields };
    }
    if refusal.code == "forbidden" && spec["agentId"].is_string() {
        return AppError::field("/agentId", "forbidden", refusal.message);
    }
    if refusal.code == "forbidden" {
        return AppError::Forbidden { message: refusal.message };
    }
    match path_in(&refusal.message) {
        Some((path, message)) => AppError::field(path, &refusal.code, message),
        None => AppError::Upstream { code: refusal.code, message: refusal.message },
    }
}

pub fn not_started(error: MantyxError, mode: &LaunchMode) -> Error {
    match (error, mode) {
        (MantyxError::NotFound, LaunchMode::Message { .. }) => AppError::not_found("session").into(),
        (MantyxError::Refused { code, .. }, LaunchMode::Message { .. }) if code == "session_ended" => {
            AppError::conflict("This session has ended. Launch a new session instead.").into()
        }
        (error, _) => error.into(),
    }
}

/// The refusal doesn't say which of the two models it means, but it quotes it.
fn names_fallback(refusal: &Refusal, spec: &Value) -> bool {
    let quoted = |field: &str| spec[field].as_str().is_some_and(|model| refusal.message.contains(model));
    quoted("fallbackModelId") && !quoted("modelId")
}

/// Splits `/tools/0/name: message`, the documented form.
fn path_in(message: &str) -> Option<(&str, &str)> {
    let (path, rest) = message.split_once(": ")?;
    path.starts_with('/').then_some((path, rest))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn refusal(code: &str, message: &str) -> Refusal {
        Refusal { code: code.to_owned(), message: message.to_owned(), ..Refusal::default() }
    }

    fn first_path(error: &AppError) -> &str {
        match error {
            AppError::Fields { errors } => &errors[0].path,
            _ => "",
        }
    }

    #[test]
    fn an_unknown_model_is_an_error_at_its_field_with_the_known_ones() {
        let spec = json!({ "modelId": "a/one", "fallbackModelId": "b/two" });
        let mut refused = refusal("invalid_model", "There is no model “b/two”.");
        refused.candidates = vec!["c/three".to_owned()];
        let error = to_error(refused, &spec);
        assert_eq!(first_path(&error), "/fallbackModelId");
        assert!(error.to_string().contains("c/three"), "{error}");
        assert_eq!(first_path(&to_error(refusal("invalid_model", "no"), &spec)), "/modelId");
    }

    #[test]
    fn a_path_in_the_message_becomes_the_field() {
        let error = to_error(refusal("invalid_request", "/tools/0/name: too long"), &json!({}));
        assert_eq!(first_path(&error), "/tools/0/name");
        let other = to_error(refusal("invalid_request", "no: really"), &json!({}));
        assert!(matches!(other, AppError::Upstream { .. }), "{other}");
    }
}
