//! Lists the fields of a spec that no control shows.

use serde_json::Value;

use super::{Control, Field, FieldTable, Format};
use crate::json_pointer::join;

impl FieldTable {
    /// Returns the pointers and values of fields without a control, and of fields whose control can't show their value.
    pub fn other_fields(self, spec: &Value) -> Vec<(String, &Value)> {
        let mut found = Vec::new();
        self.walk("", "", None, spec, &mut found);
        found
    }

    fn walk<'a>(
        self,
        pattern: &str,
        pointer: &str,
        kind: Option<&str>,
        object: &'a Value,
        found: &mut Vec<(String, &'a Value)>,
    ) {
        for (name, value) in object.as_object().into_iter().flatten() {
            let (pattern, pointer) = (format!("{pattern}/{name}"), join(pointer, name));
            let mut fields = self.all().filter(|field| field.pointer == pattern && field.is_of_kind(kind));
            // The kind of a tool is in the title of its group.
            let is_kind = pattern == "/tools/*/kind" && value.is_string();
            if !is_kind && !fields.any(|field| field.can_show(value)) {
                found.push((pointer, value));
                continue;
            }
            let is_list = self.all().any(|field| field.pointer.strip_prefix(&pattern) == Some("/*"));
            match value {
                Value::Object(entries) if is_list => {
                    for (name, entry) in entries {
                        self.walk(&format!("{pattern}/*"), &join(&pointer, name), kind, entry, found);
                    }
                }
                Value::Array(items) if is_list => {
                    for (i, item) in items.iter().enumerate() {
                        let (pattern, pointer) = (format!("{pattern}/*"), format!("{pointer}/{i}"));
                        match item {
                            Value::Object(_) if matches!(pattern.as_str(), "/tools/*" | "/messages/*") => {
                                self.walk(&pattern, &pointer, item["kind"].as_str(), item, found);
                            }
                            // The list of a local MCP server is shown as JSON too.
                            Value::Object(_) => {}
                            _ => found.push((pointer, item)),
                        }
                    }
                }
                Value::Object(_) if self.fields_of(&pattern).next().is_some() => {
                    self.walk(&pattern, &pointer, kind, value, found);
                }
                _ => {}
            }
        }
    }
}

impl Field {
    fn can_show(&self, value: &Value) -> bool {
        let is_text_list = |value: &Value| value.as_array().is_some_and(|items| items.iter().all(Value::is_string));
        match (&self.control, self.control.format()) {
            (_, Some(Format::Text)) => value.is_string(),
            // A negative number and a text are shown with an error.
            (_, Some(Format::Number)) => value.is_u64() || value.is_i64() || value.is_string(),
            (_, Some(Format::Lines)) => is_text_list(value),
            (_, Some(Format::Json)) => !value.is_null(),
            (_, Some(Format::Flag)) => value.is_boolean(),
            (Control::Shapes(shapes), None) => shapes.can_show(value),
            (Control::Map(map), None) if map.inner.is_empty() => {
                value.as_object().is_some_and(|entries| entries.values().all(Value::is_string))
            }
            (Control::Map(_), None) => value.as_object().is_some_and(|entries| entries.values().all(Value::is_object)),
            (Control::Attachments, None) => !value.is_null(),
            (Control::Messages | Control::Tools, None) => value.is_array(),
            (_, None) => value.is_object(),
        }
    }
}
