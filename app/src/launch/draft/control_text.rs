//! The text that a control shows for a part of the spec.

use serde_json::Value;

/// Returns whether a control sent back the text that it was given. Browsers change line ends, and remove them from text
/// lines.
pub fn is_unchanged(sent: &str, given: &str) -> bool {
    let plain = |text: &str| text.replace("\r\n", "\n").replace('\r', "\n");
    let (sent, given) = (plain(sent), plain(given));
    sent == given || (!sent.contains('\n') && sent == given.replace('\n', ""))
}

/// Returns the text of a text line or text area.
pub fn text_at(document: &Value, pointer: &str) -> String {
    match document.pointer(pointer) {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

/// Returns the text of a text area for JSON.
pub fn json_at(document: &Value, pointer: &str) -> String {
    document.pointer(pointer).map(pretty_json).unwrap_or_default()
}

/// Returns the text of a text area for a list of texts, one per line.
pub fn lines_at(document: &Value, pointer: &str) -> String {
    match document.pointer(pointer) {
        Some(Value::Array(items)) => {
            let lines: Vec<String> = items.iter().map(|item| text_at(item, "")).collect();
            lines.join("\n")
        }
        _ => text_at(document, pointer),
    }
}

pub fn pretty_json(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_list_is_shown_line_by_line() {
        assert_eq!(lines_at(&json!({ "a": ["x", "y"] }), "/a"), "x\ny");
        assert_eq!(text_at(&json!({ "a": 3 }), "/a"), "3");
        assert_eq!(text_at(&json!({}), "/a"), "");
    }
}
