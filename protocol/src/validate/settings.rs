//! Names, models, reasoning and metadata.

use serde_json::{Map, Value};

use super::faults::{Faults, is_longer, present, sent_bytes};
use crate::ids::is_metadata_key;

const MAX_ENTRIES: usize = 16;
const MAX_VALUE_CHARS: usize = 256;
const MAX_METADATA_BYTES: usize = 4 * 1024;

pub(super) fn check(spec: &Map<String, Value>, faults: &mut Faults) {
    for field in ["name", "agentId", "systemPrompt"] {
        faults.text(spec, field);
    }
    let model = faults.text(spec, "modelId");
    let fallback = faults.text(spec, "fallbackModelId");
    if fallback.is_some_and(|fallback| !fallback.is_empty()) && model == fallback {
        let message = "The fallback is the same model. Choose another one, or leave it out.";
        faults.add_at("fallbackModelId", "duplicate", message);
    }
    if let Some(metadata) = present(spec, "metadata") {
        faults.at("metadata", |faults| check_metadata(metadata, faults));
    }
    if let Some(level) = present(spec, "reasoningLevel") {
        let is_word = matches!(level.as_str(), Some("off" | "low" | "medium" | "high"));
        if !is_word && level.as_u64().is_none_or(|level| level > 100) {
            let message = "Choose off, low, medium or high, or a whole number from 0 to 100.";
            faults.add_at("reasoningLevel", "choice", message);
        }
    }
}

fn check_metadata(metadata: &Value, faults: &mut Faults) {
    let Some(entries) = metadata.as_object() else {
        return faults.add("type", "Metadata are names with a text each.");
    };
    if entries.len() > MAX_ENTRIES {
        faults.add("too_many", format!("Metadata may have at most {MAX_ENTRIES} entries. Remove some."));
    }
    if sent_bytes(metadata) > MAX_METADATA_BYTES {
        faults.add("too_long", "Metadata may have at most 4 KB in all. Shorten or remove some.");
    }
    for (key, value) in entries {
        faults.at(key.as_str(), |faults| match value.as_str() {
            _ if !is_metadata_key(key) => {
                faults.add("pattern", "A name may use letters, digits, dot, _ and -, at most 64. Rename it.");
            }
            None => faults.add("type", "Write a text here."),
            Some(text) if is_longer(text, MAX_VALUE_CHARS) => {
                faults.add("too_long", format!("A value may have at most {MAX_VALUE_CHARS} characters. Shorten it."));
            }
            Some(_) => {}
        });
    }
}
