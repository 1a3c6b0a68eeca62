//! Recognises results that report a failure, although the tool answered.

use serde::Deserialize;
use serde_json::Value;

/// Longer texts are not parsed.
const MAX_TEXT_BYTES: usize = 64 * 1024;

/// The fields with which tools report failures.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Report {
    is_error: Value,
    ok: Value,
    success: Value,
    error: Value,
}

/// Returns whether a result says that the tool failed: `isError` is true, `ok` is false, `success` is false or 0, or `error`
/// is not empty. The result is an object, or the JSON of one as text.
pub(super) fn reports_failure(body: &Value) -> bool {
    let report = match body {
        Value::Object(_) => Report::deserialize(body),
        Value::String(text) if text.len() <= MAX_TEXT_BYTES && text.trim_start().starts_with('{') => {
            serde_json::from_str(text)
        }
        _ => return false,
    };
    report.is_ok_and(|report| report.is_failure())
}

impl Report {
    fn is_failure(&self) -> bool {
        let is_no = |value: &Value| value.as_bool() == Some(false) || value.as_u64() == Some(0);
        self.is_error == Value::Bool(true)
            || self.ok == Value::Bool(false)
            || is_no(&self.success)
            || !is_empty(&self.error)
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Bool(true) => false,
        Value::Number(number) => number.as_u64() == Some(0),
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn each_way_to_report_a_failure_is_recognised_as_json_and_as_text() {
        for failure in [
            json!({ "isError": true, "content": [] }),
            json!({ "ok": false }),
            json!({ "success": false }),
            json!({ "success": 0 }),
            json!({ "error": "No such order." }),
            json!({ "error": { "code": 404 } }),
            json!({ "error": 17 }),
        ] {
            assert!(reports_failure(&failure), "{failure}");
            assert!(reports_failure(&Value::String(format!(" {failure}"))), "{failure}");
        }
    }

    #[test]
    fn other_results_are_not_failures() {
        for success in [
            json!(null),
            json!("error"),
            json!("{ not JSON"),
            json!([{ "ok": false }]),
            json!({}),
            json!({ "isError": false, "ok": true, "success": 1, "error": "" }),
            json!({ "ok": "no", "success": "0", "error": null }),
            json!({ "error": [], "errors": ["unrelated"] }),
            json!({ "order": { "ok": false } }),
        ] {
            assert!(!reports_failure(&success), "{success}");
        }
        let long = json!({ "ok": false, "text": "x".repeat(MAX_TEXT_BYTES) }).to_string();
        assert!(!reports_failure(&Value::String(long)));
    }
}
