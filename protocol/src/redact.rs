//! Hides secrets before a spec or a payload is shown or leaves the workspace.
//!
//! Three rules: every value under `headers` is hidden; so is every value whose name says that it is a secret; and inside
//! any text, every word that looks like a credential. What is hidden keeps its place and tells nothing of itself.

use serde_json::Value;

pub const HIDDEN: &str = "••••••••";

/// Names that say «secret», as they are after dashes and underscores are taken out.
const SECRET_NAMES: [&str; 12] = [
    "authorization",
    "apikey",
    "accesskey",
    "secret",
    "clientsecret",
    "password",
    "passwd",
    "token",
    "credential",
    "credentials",
    "cookie",
    "privatekey",
];

/// How credentials begin.
const SECRET_PREFIXES: [&str; 14] = [
    "mantyx_",
    "sk-",
    "pk-",
    "rk-",
    "ghp_",
    "gho_",
    "ghs_",
    "github_pat_",
    "glpat-",
    "xoxb-",
    "xoxp-",
    "AKIA",
    "AIza",
    "eyJ",
];

/// Shorter words are names, not keys.
const MIN_SECRET_CHARS: usize = 16;

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
    // `maxTokens` counts; `accessToken` opens.
    SECRET_NAMES.iter().any(|secret| plain.ends_with(secret)) && !plain.ends_with("maxtoken")
}

/// The text with its credentials hidden, or `None` where it has none.
pub fn redact_text(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut copied = 0;
    let mut after_bearer = false;
    for (start, end) in words(text) {
        let word = &text[start..end];
        if looks_secret(word) || (after_bearer && word.len() >= MIN_SECRET_CHARS) {
            out.push_str(&text[copied..start]);
            out.push_str(HIDDEN);
            copied = end;
        }
        after_bearer = word.eq_ignore_ascii_case("bearer") || word.eq_ignore_ascii_case("basic");
    }
    (copied > 0).then(|| out + &text[copied..])
}

/// Runs of characters that credentials are made of.
fn words(text: &str) -> impl Iterator<Item = (usize, usize)> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'+' | b'~');
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        at += bytes[at..].iter().position(is_part)?;
        let start = at;
        at += bytes[at..].iter().position(|byte| !is_part(byte)).unwrap_or(bytes.len() - at);
        Some((start, at))
    })
}

fn looks_secret(word: &str) -> bool {
    if word.len() < MIN_SECRET_CHARS {
        return false;
    }
    if SECRET_PREFIXES.iter().any(|prefix| word.starts_with(prefix)) {
        // Names of our own accounts and clients are words; a credential has digits.
        return word.bytes().any(|byte| byte.is_ascii_digit());
    }
    false
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn headers_and_named_secrets_are_hidden_whatever_they_hold() {
        let mut spec = json!({
            "tools": [{ "kind": "mcp", "url": "https://x.test/mcp", "headers": { "X-Team": "blue", "Authorization": "Bearer abc" } }],
            "api_key": "short", "nested": { "clientSecret": "s3", "accessToken": 42, "token": null },
            "budgets": { "maxTokens": 100 }
        });
        redact(&mut spec);
        assert_eq!(
            spec,
            json!({
                "tools": [{ "kind": "mcp", "url": "https://x.test/mcp", "headers": { "X-Team": HIDDEN, "Authorization": HIDDEN } }],
                "api_key": HIDDEN, "nested": { "clientSecret": HIDDEN, "accessToken": HIDDEN, "token": null },
                "budgets": { "maxTokens": 100 }
            })
        );
    }

    #[test]
    fn words_that_look_like_credentials_are_hidden_inside_text() {
        let hidden = |text: &str| redact_text(text);
        assert_eq!(hidden("use sk-abcd1234efgh5678ijkl now"), Some(format!("use {HIDDEN} now")));
        assert_eq!(hidden("key=mantyx_at_0123456789abcdef."), Some(format!("key={HIDDEN}")));
        assert_eq!(hidden("Bearer Zm9vYmFyYmF6cXV4MTIz"), Some(format!("Bearer {HIDDEN}")));
        assert_eq!(hidden("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc"), Some(HIDDEN.to_owned()));
    }

    #[test]
    fn ordinary_text_is_left_alone() {
        for text in ["the bearer of news", "sk-iing trip", "a-very-long-word-that-is-not-a-key", "日本語", ""] {
            assert_eq!(redact_text(text), None, "{text}");
        }
    }
}
