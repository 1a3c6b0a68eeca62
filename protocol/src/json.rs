//! Small JSON helpers.

mod depth;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

/// Returns the items of a field that should be a list; none if it is not.
pub(crate) fn items(field: Option<&Value>) -> &[Value] {
    field.and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Parses JSON. Parts that are nested too deeply for the parser become text.
pub(crate) fn parse_deep<T: DeserializeOwned>(text: &str) -> serde_json::Result<T> {
    serde_json::from_str(text).or_else(|error| match depth::deep_parts_as_text(text) {
        Some(shallow) => serde_json::from_str(&shallow),
        None => Err(error),
    })
}

/// Returns a text that is equal for equal JSON, whatever the order of object keys. Used to find equal tool calls.
/// Recurses without a limit: serde_json refuses documents deeper than 128 levels.
pub fn canonical(value: &Value) -> String {
    let mut out = String::new();
    write_canonical(value, &mut out);
    out
}

fn write_canonical(value: &Value, out: &mut String) {
    match value {
        Value::Object(map) => {
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_by_key(|(key, _)| *key);
            out.push('{');
            for (i, (key, item)) in entries.into_iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                write_canonical(&Value::String(key.clone()), out);
                out.push(':');
                write_canonical(item, out);
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                if i > 0 {
                    out.push(',');
                }
                write_canonical(item, out);
            }
            out.push(']');
        }
        scalar => out.push_str(&scalar.to_string()),
    }
}

/// Estimates the memory behind a value, without the value itself.
pub(crate) fn heap_bytes(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(|item| size_of::<Value>() + heap_bytes(item)).sum(),
        Value::Object(fields) => map_bytes(fields),
    }
}

/// The same for an object. An entry has its key, its value, a hash and a place in the index.
pub(crate) fn map_bytes(fields: &Map<String, Value>) -> usize {
    const ENTRY_BYTES: usize = size_of::<String>() + size_of::<Value>() + 4 * size_of::<usize>();
    fields.iter().map(|(key, value)| ENTRY_BYTES + key.len() + heap_bytes(value)).sum()
}

/// Frees memory that a value has reserved and does not use.
pub(crate) fn shrink(value: &mut Value) {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
        Value::String(text) => text.shrink_to_fit(),
        Value::Array(items) => {
            items.iter_mut().for_each(shrink);
            items.shrink_to_fit();
        }
        Value::Object(fields) => {
            let mut exact = Map::with_capacity(fields.len());
            for (key, mut value) in std::mem::take(fields) {
                shrink(&mut value);
                exact.insert(key, value);
            }
            *fields = exact;
        }
    }
}

/// Returns `text` on one line, shortened to at most `max_chars` characters and an ellipsis.
pub fn preview(text: &str, max_chars: usize) -> String {
    let mut out = String::new();
    let mut length = 0;
    for word in text.split_whitespace() {
        if length > 0 {
            out.push(' ');
            length += 1;
        }
        for c in word.chars() {
            if length >= max_chars {
                out.push('…');
                return out;
            }
            out.push(c);
            length += 1;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn canonical_ignores_the_order_of_keys_and_keeps_that_of_items() {
        assert_eq!(canonical(&json!({"b": 1, "a": [2, 1]})), canonical(&json!({"a": [2, 1], "b": 1})));
        assert_ne!(canonical(&json!([1, 2])), canonical(&json!([2, 1])));
    }

    #[test]
    fn preview_folds_white_space_and_marks_the_cut() {
        assert_eq!(preview("one\n  two", 20), "one two");
        assert_eq!(preview("abcdef", 3), "abc…");
        assert_eq!(preview("abc", 3), "abc");
    }
}
