//! Hides secrets before a spec or a payload is shown or leaves the workspace.
//!
//! Three rules: hides every value under `headers`, every value whose name is that of a secret, and inside any text
//! everything that looks like a credential (`text.rs`).

mod text;

use serde_json::Value;

pub use text::redact_text;

/// Stands for what is hidden.
pub const HIDDEN: &str = "••••••••";
const DOT: char = '•';

/// Names of secrets, without dashes and underscores.
const SECRET_NAMES: [&str; 17] = [
    "authorization",
    "apikey",
    "accesskey",
    "secret",
    "clientsecret",
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "connectionstring",
    "signingkey",
    "encryptionkey",
    "token",
    "credential",
    "credentials",
    "cookie",
    "privatekey",
];

/// Hides the secrets of a value, in place.
pub fn redact(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Some(hidden) = redact_text(text) {
                *text = hidden;
            }
        }
        Value::Array(items) => items.iter_mut().for_each(redact),
        Value::Object(fields) => {
            for (name, value) in fields {
                let is_plain = !value.is_object() && !value.is_array();
                if name.eq_ignore_ascii_case("headers") || (is_plain && is_secret_name(name)) {
                    hide_all(value);
                } else {
                    redact(value);
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Removes the header values of a spec's tools. Their names stay, so that a person can enter the values again.
pub fn remove_header_values(spec: &mut Value) {
    for tool in spec.get_mut("tools").and_then(Value::as_array_mut).into_iter().flatten() {
        let headers = tool.get_mut("headers").and_then(Value::as_object_mut);
        for value in headers.into_iter().flat_map(|headers| headers.values_mut()) {
            *value = Value::String(String::new());
        }
    }
}

fn hide_all(value: &mut Value) {
    match value {
        Value::Object(fields) => fields.values_mut().for_each(hide_all),
        Value::Array(items) => items.iter_mut().for_each(hide_all),
        Value::Null | Value::Bool(_) => {}
        Value::String(_) | Value::Number(_) => *value = HIDDEN.into(),
    }
}

fn is_secret_name(name: &str) -> bool {
    let plain: String = name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    // `maxTokens` is a number; `accessToken` is a secret.
    SECRET_NAMES.iter().any(|secret| plain.ends_with(secret)) && !plain.ends_with("maxtoken")
}

#[cfg(test)]
mod tests;
