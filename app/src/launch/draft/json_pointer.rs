//! Changes a JSON document at a JSON Pointer.

use serde_json::{Map, Value};

/// Escapes a key for use as one step of a pointer.
pub fn escape(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

fn unescape(step: &str) -> String {
    step.replace("~1", "/").replace("~0", "~")
}

/// Writes a value, and creates the objects on the way to it. An item of a list must exist.
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

/// Removes a field from its object, or an item from its list, and returns it.
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn objects_are_created_on_the_way_to_a_value_and_values_are_removed() {
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
}
