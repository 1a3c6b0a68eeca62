//! JSON Pointers (RFC 6901): written, and used to change a document.
//!
//! To read at a pointer, use [`Value::pointer`].

use std::borrow::Cow;
use std::fmt::Write;

use serde_json::{Map, Value};

/// Escapes a field's name for use as one step of a pointer.
pub fn escape(name: &str) -> Cow<'_, str> {
    match name.contains(['~', '/']) {
        true => name.replace('~', "~0").replace('/', "~1").into(),
        false => name.into(),
    }
}

fn unescape(step: &str) -> String {
    step.replace("~1", "/").replace("~0", "~")
}

/// Returns the pointer to the field `name` of the object at `parent`.
pub fn join(parent: &str, name: &str) -> String {
    format!("{parent}/{}", escape(name))
}

/// Returns whether a pointer is another one or inside it.
pub fn is_inside(pointer: &str, other: &str) -> bool {
    pointer.strip_prefix(other).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
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

/// A pointer that grows and shrinks while a document is walked.
#[derive(Clone, Debug, Default)]
pub(crate) struct Path(String);

impl Path {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Goes one step down. [`Path::leave`] takes the returned length to go back up.
    #[must_use]
    pub fn enter(&mut self, step: impl Step) -> usize {
        let before = self.0.len();
        self.0.push('/');
        step.write(&mut self.0);
        before
    }

    pub fn leave(&mut self, before: usize) {
        self.0.truncate(before);
    }
}

/// A field's name, or an item's position.
pub(crate) trait Step {
    fn write(self, out: &mut String);
}

impl Step for &str {
    fn write(self, out: &mut String) {
        out.push_str(&escape(self));
    }
}

impl Step for usize {
    fn write(self, out: &mut String) {
        // Writing to a String cannot fail.
        let _ = write!(out, "{self}");
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn steps_are_escaped_and_removed_again() {
        let mut path = Path::default();
        let root = path.enter("a/b~c");
        let field = path.enter(3);
        assert_eq!(path.as_str(), "/a~1b~0c/3");
        path.leave(field);
        assert_eq!(path.as_str(), join("", "a/b~c"));
        path.leave(root);
        assert_eq!(path.as_str(), "");
    }

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
