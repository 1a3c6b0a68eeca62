//! The fallback model, metadata and headers.

use serde_json::{Map, Value, json};

use super::report::{Report, is_longer, sent_bytes};
use crate::fields::Context;
use crate::ids::{is_header_name, is_metadata_key};

const MAX_ENTRIES: usize = 16;
const MAX_VALUE_CHARS: usize = 256;
const MAX_METADATA_BYTES: usize = 4 * 1024;
const MAX_HEADER_BYTES: usize = 8 * 1024;

pub(crate) fn check_fallback(context: &Context<'_>, report: &mut Report) -> bool {
    let model = context.object.get("modelId").and_then(Value::as_str);
    match context.value.map(Value::as_str) {
        Some(None) => report.add("type", "Enter a text."),
        Some(fallback) if fallback == model && model != Some("") => {
            report.add("duplicate", "The fallback is the same model. Choose another one, or leave it out.");
        }
        _ => {}
    }
    true
}

pub(crate) fn check_metadata(context: &Context<'_>, report: &mut Report) -> bool {
    let key_message = "A key may use letters, digits, dot, _ and -, at most 64. Rename it.";
    check_texts(context, report, "Metadata are names with a text each.", (is_metadata_key, key_message), |text| {
        let message = || format!("A value may have at most {MAX_VALUE_CHARS} characters. Shorten it.");
        is_longer(text, MAX_VALUE_CHARS).then(|| ("too_long", message()))
    });
    let metadata = context.value.unwrap_or(&Value::Null);
    if metadata.as_object().is_some_and(|entries| entries.len() > MAX_ENTRIES) {
        report.add("too_many", format!("Metadata may have at most {MAX_ENTRIES} entries. Remove some."));
    }
    if metadata.is_object() && sent_bytes(metadata) > MAX_METADATA_BYTES {
        report.add("too_long", "Metadata may have at most 4 KB in total. Shorten or remove some.");
    }
    false
}

/// The first entries of metadata that are within the limits of number and size.
pub fn metadata_within_limits(metadata: &Value) -> Map<String, Value> {
    let mut kept = Map::new();
    let mut bytes = 0;
    for (key, value) in metadata.as_object().into_iter().flatten() {
        bytes += sent_bytes(&json!({ key: value }));
        if kept.len() == MAX_ENTRIES || bytes > MAX_METADATA_BYTES {
            break;
        }
        kept.insert(key.clone(), value.clone());
    }
    kept
}

/// Checks the headers that MANTYX sends to an MCP server or an A2A peer.
pub(crate) fn check_headers(context: &Context<'_>, report: &mut Report) -> bool {
    let key_message = "A header's name may use letters, digits and -, without spaces. Rename it.";
    check_texts(context, report, "Headers are names with a text each.", (is_header_name, key_message), |text| {
        let is_plain = |c: char| c == '\t' || (' '..='~').contains(&c);
        if text.len() > MAX_HEADER_BYTES {
            Some(("too_long", "A header may have at most 8 KB. Shorten it.".to_owned()))
        } else if !text.chars().all(is_plain) {
            let message = "A header may use plain letters, digits and signs only. Remove line breaks and accents.";
            Some(("header", message.to_owned()))
        } else {
            None
        }
    });
    false
}

/// Checks an object of texts. `check` returns the code and message of an error.
fn check_texts(
    context: &Context<'_>,
    report: &mut Report,
    what: &str,
    (is_key, key_message): (fn(&str) -> bool, &str),
    check: impl Fn(&str) -> Option<(&'static str, String)>,
) {
    let Some(value) = context.value else { return };
    let Some(entries) = value.as_object() else { return report.add("type", what) };
    for (key, value) in entries {
        match value.as_str() {
            _ if !is_key(key) => report.add_at(key.as_str(), "pattern", key_message),
            None => report.add_at(key.as_str(), "type", "Enter a text."),
            Some(text) => {
                if let Some((code, message)) = check(text) {
                    report.add_at(key.as_str(), code, message);
                }
            }
        }
    }
}
