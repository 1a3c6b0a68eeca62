//! Places in a JSON document, by JSON Pointer: written, emptied, and shown as the text of a control.

use serde_json::{Map, Value};

/// A key as a step of a pointer.
pub fn escape(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

fn unescape(step: &str) -> String {
    step.replace("~1", "/").replace("~0", "~")
}

/// Puts a value at a place, making objects on the way there. A place inside a list must exist.
pub fn set(document: &mut Value, pointer: &str, value: Value) {
    let Some((parent, step)) = pointer.rsplit_once('/') else { return };
    if document.pointer(parent).is_none_or(|parent| !parent.is_object() && !parent.is_array()) {
        if parent.is_empty() {
            return;
        }
        set(document, parent, Value::Object(Map::new()));
    }
    match document.pointer_mut(parent) {
        Some(Value::Object(fields)) => {
            fields.insert(unescape(step), value);
        }
        Some(Value::Array(items)) => {
            if let Some(item) = step.parse::<usize>().ok().and_then(|i| items.get_mut(i)) {
                *item = value;
            }
        }
        _ => {}
    }
}

/// Takes a field out of its object, or an item out of its list.
pub fn remove(document: &mut Value, pointer: &str) -> Option<Value> {
    let (parent, step) = pointer.rsplit_once('/')?;
    match document.pointer_mut(parent)? {
        Value::Object(fields) => fields.shift_remove(&unescape(step)),
        Value::Array(items) => {
            let at = step.parse::<usize>().ok().filter(|at| *at < items.len())?;
            Some(items.remove(at))
        }
        _ => None,
    }
}

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
    fn a_place_is_made_where_there_is_none_and_taken_away_again() {
        let mut spec = json!({ "tools": [{ "kind": "local" }] });
        set(&mut spec, "/budgets/maxToolTurns", 3.into());
        set(&mut spec, "/tools/0/name", "x".into());
        set(&mut spec, "/tools/7/name", "nowhere".into());
        set(&mut spec, "/metadata/a~1b", "v".into());
        let expected = json!({ "tools": [{ "kind": "local", "name": "x" }], "budgets": { "maxToolTurns": 3 },
            "metadata": { "a/b": "v" } });
        assert_eq!(spec, expected);
        assert_eq!(remove(&mut spec, "/tools/0").expect("removed")["name"], "x");
        assert_eq!(remove(&mut spec, "/metadata/a~1b"), Some("v".into()));
        assert_eq!(remove(&mut spec, "/tools/0"), None);
    }

    #[test]
    fn a_list_is_shown_line_by_line() {
        assert_eq!(shown_lines(&json!({ "a": ["x", "y"] }), "/a"), "x\ny");
        assert_eq!(shown_text(&json!({ "a": 3 }), "/a"), "3");
        assert_eq!(shown_text(&json!({}), "/a"), "");
    }
}
