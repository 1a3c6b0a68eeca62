//! Conversion of API errors to the protocol's error classes.

use protocol::json::preview;
use serde_json::Value;

use crate::provider::ProviderError;

/// Converts a response that is not 2xx.
pub fn from_response(status: u16, body: &str) -> ProviderError {
    let body: Value = serde_json::from_str(body).unwrap_or_default();
    let error = body.get("error").unwrap_or(&body);
    let message = error["message"].as_str().or(error.as_str()).unwrap_or("");
    let code = error["code"].as_str().or(error["type"].as_str());
    let reason = if message.is_empty() { String::new() } else { format!(": {}", preview(message, 500)) };
    ProviderError {
        class: class(status, code.unwrap_or(""), message, error["param"].as_str().unwrap_or("")).to_owned(),
        message: format!("The model provider answered {status}{reason}"),
        api_status: Some(status),
        api_code: code.map(str::to_owned),
    }
}

/// Converts an error inside a stream.
pub fn from_stream(error: &Value) -> ProviderError {
    let status = error["code"].as_u64().or(error["status"].as_u64()).and_then(|status| u16::try_from(status).ok());
    let mut refused = from_response(status.unwrap_or(500), &serde_json::json!({ "error": error }).to_string());
    refused.api_status = status;
    refused
}

/// Converts a failed request.
pub fn from_transport(error: &reqwest::Error) -> ProviderError {
    if error.is_timeout() {
        return timed_out();
    }
    // Without the address, which is the operator's.
    let what = if error.is_connect() { "could not be reached" } else { "broke off the connection" };
    ProviderError::new("server", format!("The model provider {what}."))
}

pub fn timed_out() -> ProviderError {
    ProviderError::new("timeout", "The model provider did not answer in time.")
}

/// Returns true if a retry may succeed.
pub fn is_transient(error: &ProviderError) -> bool {
    matches!(error.class.as_str(), "overloaded" | "server")
        || (error.class == "rate_limit" && error.api_code.as_deref() != Some("insufficient_quota"))
}

fn class(status: u16, code: &str, message: &str, param: &str) -> &'static str {
    let message = message.to_lowercase();
    let too_long = code == "context_length_exceeded"
        || ["context length", "context window", "maximum context", "too many tokens"]
            .iter()
            .any(|words| message.contains(words));
    let about_schema =
        param.starts_with("response_format") || message.contains("response_format") || message.contains("json_schema");
    match status {
        401 | 403 => "auth",
        408 => "timeout",
        413 => "context_window",
        429 => "rate_limit",
        400..=499 if too_long => "context_window",
        400 | 422 if about_schema => "structured_output_schema_rejected",
        400..=499 => "invalid_request",
        503 | 529 => "overloaded",
        504 => "upstream_deadline",
        _ if code == "overloaded_error" || code == "overloaded" => "overloaded",
        _ => "server",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_status_has_its_class() {
        let cases = [
            (429, r#"{"error":{"message":"slow down","code":"rate_limit_exceeded"}}"#, "rate_limit"),
            (401, r#"{"error":{"message":"bad key"}}"#, "auth"),
            (403, "<html>no</html>", "auth"),
            (500, "", "server"),
            (502, "bad gateway", "server"),
            (503, "", "overloaded"),
            (529, r#"{"error":{"type":"overloaded_error"}}"#, "overloaded"),
            (504, "", "upstream_deadline"),
            (400, r#"{"error":{"message":"x","code":"context_length_exceeded"}}"#, "context_window"),
            (400, r#"{"error":{"message":"This model's maximum context length is 8192 tokens"}}"#, "context_window"),
            (
                400,
                r#"{"error":{"message":"Invalid schema","param":"response_format"}}"#,
                "structured_output_schema_rejected",
            ),
            (400, r#"{"error":"nonsense"}"#, "invalid_request"),
            (404, r#"{"error":{"message":"no such model","code":"model_not_found"}}"#, "invalid_request"),
        ];
        for (status, body, expected) in cases {
            assert_eq!(from_response(status, body).class, expected, "{status} {body}");
        }
    }

    #[test]
    fn the_providers_own_words_are_kept() {
        let error = from_response(429, r#"{"error":{"message":"Out of credit","code":"insufficient_quota"}}"#);
        assert_eq!((error.api_status, error.api_code.as_deref()), (Some(429), Some("insufficient_quota")));
        assert!(error.message.contains("Out of credit"));
        assert!(!is_transient(&error), "more of the same does not pay a bill");
    }
}
