//! Whether a value keeps to a JSON Schema, every rule of it.
//!
//! `protocol` judges most rules in plain words and in bounded time, so it is asked first. What it leaves out (`pattern`,
//! `patternProperties`, `format`, `unevaluated…`) needs a regex engine, which only a server can afford.

use jsonschema::PatternOptions;
use protocol::schema::{Violation, check};
use serde_json::Value;

/// The first rule that is broken. Where a schema cannot be applied at all, that is the fault: nothing is then vouched for.
pub fn first_fault(schema: &Value, value: &Value) -> Option<Violation> {
    check(schema, value).into_iter().next().or_else(|| judge_the_rest(schema, value))
}

fn judge_the_rest(schema: &Value, value: &Value) -> Option<Violation> {
    // Patterns come from a client: this engine takes linear time for any of them.
    let patterns = PatternOptions::regex();
    let options = jsonschema::options().offline().should_validate_formats(true).with_pattern_options(patterns);
    match options.build(schema) {
        Ok(validator) => {
            let fault = validator.validate(value).err()?;
            Some(Violation { path: fault.instance_path().to_string(), message: said(&fault.to_string()) })
        }
        Err(fault) => {
            Some(Violation { path: String::new(), message: format!("cannot be judged: {}", said(&fault.to_string())) })
        }
    }
}

/// The value may be long, and stands first in most messages.
fn said(message: &str) -> String {
    protocol::json::preview(message.trim_end_matches('.'), 200)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn rules_that_need_patterns_are_judged_too() {
        let schema = json!({
            "type": "object",
            "properties": { "id": { "type": "string", "pattern": "^INV-[0-9]+$" }, "on": { "type": "string", "format": "date" } },
            "patternProperties": { "^x-": { "type": "number" } },
            "unevaluatedProperties": false,
        });
        let path = |value: Value| first_fault(&schema, &value).map(|fault| fault.path);
        assert_eq!(path(json!({ "id": "INV-7", "on": "2026-11-16", "x-a": 1 })), None);
        assert_eq!(path(json!({ "id": "7" })).as_deref(), Some("/id"));
        assert_eq!(path(json!({ "on": "yesterday" })).as_deref(), Some("/on"));
        assert_eq!(path(json!({ "x-a": "one" })).as_deref(), Some("/x-a"));
        assert!(path(json!({ "other": 1 })).is_some());
    }

    #[test]
    fn what_cannot_be_judged_is_not_vouched_for() {
        let fault = first_fault(&json!({ "type": "string", "pattern": "(" }), &json!("x")).expect("a fault");
        assert!(fault.message.starts_with("cannot be judged"), "{fault:?}");
        let elsewhere = json!({ "$ref": "https://example.com/schema.json" });
        assert!(first_fault(&elsewhere, &json!({})).is_some(), "nothing is fetched");
    }
}
