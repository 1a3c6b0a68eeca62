//! Compares two specs.

use protocol::json_pointer;
use serde_json::Value;

/// A difference; `None` is a missing value.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// A JSON Pointer.
    pub path: String,
    pub before: Option<Value>,
    pub after: Option<Value>,
}

/// Returns the differences in the order of the specs. Lists of different lengths count as one difference.
pub fn diff(before: &Value, after: &Value) -> Vec<Change> {
    let mut changes = Vec::new();
    compare(String::new(), Some(before), Some(after), &mut changes);
    changes
}

fn compare(path: String, before: Option<&Value>, after: Option<&Value>, changes: &mut Vec<Change>) {
    match (before, after) {
        (Some(Value::Object(old)), Some(Value::Object(new))) => {
            for key in old.keys().chain(new.keys().filter(|key| !old.contains_key(*key))) {
                let path = json_pointer::join(&path, key);
                compare(path, old.get(key), new.get(key), changes);
            }
        }
        (Some(Value::Array(old)), Some(Value::Array(new))) if old.len() == new.len() => {
            for (i, (old, new)) in old.iter().zip(new).enumerate() {
                compare(format!("{path}/{i}"), Some(old), Some(new), changes);
            }
        }
        (before, after) if before != after => {
            changes.push(Change { path, before: before.cloned(), after: after.cloned() });
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_difference_is_listed_once() {
        let before = json!({ "prompt": "a", "tools": [{ "name": "x", "n": 1 }], "gone": 1, "same": [1, 2] });
        let after = json!({ "prompt": "b", "tools": [{ "name": "x", "n": 2 }], "same": [1, 2], "a/b": null });
        let changes = diff(&before, &after);
        let paths: Vec<&str> = changes.iter().map(|change| change.path.as_str()).collect();
        assert_eq!(paths, ["/prompt", "/tools/0/n", "/gone", "/a~1b"]);
        assert_eq!((&changes[2].before, &changes[2].after), (&Some(json!(1)), &None));
        assert_eq!((&changes[3].before, &changes[3].after), (&None, &Some(Value::Null)));
        assert!(diff(&before, &before).is_empty());
    }
}
