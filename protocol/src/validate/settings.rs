//! Names, models, reasoning and metadata.

use serde_json::{Map, Value};

use super::report::{Report, is_longer, present, sent_bytes};
use crate::ids::is_metadata_key;

const MAX_ENTRIES: usize = 16;
const MAX_VALUE_CHARS: usize = 256;
const MAX_METADATA_BYTES: usize = 4 * 1024;

pub(super) fn check(spec: &Map<String, Value>, report: &mut Report) {
    for field in ["name", "agentId", "systemPrompt"] {
        report.text(spec, field);
    }
    let model = report.text(spec, "modelId");
    let fallback = report.text(spec, "fallbackModelId");
    if fallback.is_some_and(|fallback| !fallback.is_empty()) && model == fallback {
        let message = "The fallback is the same model. Choose another one, or leave it out.";
        report.add_at("fallbackModelId", "duplicate", message);
    }
    if let Some(metadata) = present(spec, "metadata") {
        report.at("metadata", |report| check_metadata(metadata, report));
    }
    if let Some(level) = present(spec, "reasoningLevel") {
        let is_word = matches!(level.as_str(), Some("off" | "low" | "medium" | "high"));
        if !is_word && level.as_u64().is_none_or(|level| level > 100) {
            let message = "Choose off, low, medium or high, or a whole number from 0 to 100.";
            report.add_at("reasoningLevel", "choice", message);
        }
    }
}

fn check_metadata(metadata: &Value, report: &mut Report) {
    let Some(entries) = metadata.as_object() else {
        return report.add("type", "Metadata are names with a text each.");
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
            None => report.add("type", "Write a text here."),
            Some(text) if is_longer(text, MAX_VALUE_CHARS) => {
                report.add("too_long", format!("A value may have at most {MAX_VALUE_CHARS} characters. Shorten it."));
            }
            Some(_) => {}
        });
    }
}
