//! Places in a JSON document, by JSON Pointer: written, emptied, and shown as the text of a control.

pub use protocol::json_pointer::{escape, remove, set};
use serde_json::Value;

/// Whether a control sends back what it was given to show. Browsers write line ends in their own way, and leave them out of
/// controls of one line.
pub fn same(sent: &str, shown: &str) -> bool {
    let plain = |text: &str| text.replace("\r\n", "\n").replace('\r', "\n");
    let (sent, shown) = (plain(sent), plain(shown));
    sent == shown || (!sent.contains('\n') && sent == shown.replace('\n', ""))
}

/// What a line or an area shows of a place.
pub fn shown_text(document: &Value, pointer: &str) -> String {
    match document.pointer(pointer) {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

/// What an area for JSON shows of a place.
pub fn shown_json(document: &Value, pointer: &str) -> String {
    document.pointer(pointer).map(pretty).unwrap_or_default()
}

/// What an area shows of a list of texts: a line each.
pub fn shown_lines(document: &Value, pointer: &str) -> String {
    match document.pointer(pointer) {
        Some(Value::Array(items)) => {
            let lines: Vec<String> = items.iter().map(|item| shown_text(item, "")).collect();
            lines.join("\n")
        }
        _ => shown_text(document, pointer),
    }
}

pub fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_list_is_shown_line_by_line() {
        assert_eq!(shown_lines(&json!({ "a": ["x", "y"] }), "/a"), "x\ny");
        assert_eq!(shown_text(&json!({ "a": 3 }), "/a"), "3");
        assert_eq!(shown_text(&json!({}), "/a"), "");
    }
}
