//! The fallback model, reasoning and metadata.

use serde_json::Value;

use super::report::{Report, is_longer, sent_bytes};
use crate::fields::Context;
use crate::ids::is_metadata_key;

const MAX_ENTRIES: usize = 16;
const MAX_VALUE_CHARS: usize = 256;
const MAX_METADATA_BYTES: usize = 4 * 1024;

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

pub(crate) fn check_reasoning(context: &Context<'_>, report: &mut Report) -> bool {
    if let Some(level) = context.value {
        let is_word = matches!(level.as_str(), Some("off" | "low" | "medium" | "high"));
        if !is_word && level.as_u64().is_none_or(|level| level > 100) {
            report.add("choice", "Choose off, low, medium or high, or a whole number from 0 to 100.");
        }
    }
    true
}

pub(crate) fn check_metadata(context: &Context<'_>, report: &mut Report) -> bool {
    let Some(metadata) = context.value else { return false };
    let Some(entries) = metadata.as_object() else {
        report.add("type", "Metadata are names with a text each.");
        return false;
    };
    if entries.len() > MAX_ENTRIES {
        report.add("too_many", format!("Metadata may have at most {MAX_ENTRIES} entries. Remove some."));
    }
    if sent_bytes(metadata) > MAX_METADATA_BYTES {
        report.add("too_long", "Metadata may have at most 4 KB in all. Shorten or remove some.");
    }
    for (key, value) in entries {
        report.at(key.as_str(), |report| match value.as_str() {
            _ if !is_metadata_key(key) => {
                report.add("pattern", "A name may use letters, digits, dot, _ and -, at most 64. Rename it.");
            }
            None => report.add("type", "Enter a text."),
            Some(text) if is_longer(text, MAX_VALUE_CHARS) => {
                report.add("too_long", format!("A value may have at most {MAX_VALUE_CHARS} characters. Shorten it."));
            }
            Some(_) => {}
        });
    }
    false
}
