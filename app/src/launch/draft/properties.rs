//! Rows of properties for schemas.

use std::collections::BTreeSet;

use protocol::json_pointer;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::LaunchDraft;
use super::control_text::text_at;
use super::rows::keep_unchanged;

/// A property of an object's schema.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Property {
    pub name: String,
    pub kind: String,
    pub description: String,
    pub required: bool,
    /// Its whole schema, which the row keeps while the property has no name.
    pub schema: Value,
}

impl Property {
    /// The empty row at the end, which adds a property.
    pub fn blank() -> Self {
        Self { kind: "string".to_owned(), schema: json!({}), ..Self::default() }
    }

    fn is_blank(&self) -> bool {
        self.name.is_empty() && self.description.is_empty() && !self.required
    }
}

/// Returns the rows of a schema's properties.
pub fn properties_at(draft: &LaunchDraft, pointer: &str) -> Vec<Property> {
    match draft.unfinished.properties.get(pointer) {
        Some(rows) => rows.clone(),
        None => properties_of(draft.spec.pointer(pointer)),
    }
}

/// Writes changed rows into the schema. Parts of a property that its row doesn't show are preserved. An existing row is
/// kept also without a name, since the user may be about to type another one.
pub fn write_properties(draft: &mut LaunchDraft, pointer: &str, mut rows: Vec<Property>) {
    let before = properties_at(draft, pointer);
    for (i, row) in rows.iter_mut().enumerate() {
        let was = before.get(i).cloned().unwrap_or_else(Property::blank);
        keep_unchanged(&mut row.name, was.name);
        keep_unchanged(&mut row.kind, was.kind);
        keep_unchanged(&mut row.description, was.description);
        row.schema = was.schema;
    }
    let mut at = 0..;
    rows.retain(|row| at.next() < Some(before.len()) || !row.is_blank());
    save_properties(draft, pointer, &before, rows);
}

/// Removes the property of a row.
pub fn remove_property(draft: &mut LaunchDraft, pointer: &str, at: usize) {
    let before = properties_at(draft, pointer);
    let mut rows = before.clone();
    if at < rows.len() {
        rows.remove(at);
        save_properties(draft, pointer, &before, rows);
    }
}

fn save_properties(draft: &mut LaunchDraft, pointer: &str, before: &[Property], mut rows: Vec<Property>) {
    if rows == before {
        return;
    }
    rows.iter_mut().for_each(write_into_schema);
    let old = draft.spec.pointer(pointer);
    if old.is_some() || rows.iter().any(|row| !row.name.is_empty()) {
        let schema = with_properties(old, before, &rows);
        json_pointer::set(&mut draft.spec, pointer, schema);
    }
    let names: BTreeSet<&String> = rows.iter().map(|row| &row.name).filter(|name| !name.is_empty()).collect();
    if names.len() == rows.len() {
        draft.unfinished.properties.remove(pointer);
    } else {
        draft.unfinished.properties.insert(pointer.to_owned(), rows);
    }
}

fn properties_of(schema: Option<&Value>) -> Vec<Property> {
    let Some(schema) = schema else { return Vec::new() };
    let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let properties = schema["properties"].as_object().into_iter().flatten();
    let property = |(name, property): (&String, &Value)| Property {
        name: name.clone(),
        kind: text_at(property, "/type"),
        description: text_at(property, "/description"),
        required: required.contains(&name.as_str()),
        schema: property.clone(),
    };
    // A property with an empty name has no row and stays in the schema.
    properties.filter(|(name, _)| !name.is_empty()).map(property).collect()
}

/// A schema that is `true` or `false` becomes an object if its row has a type or description.
fn write_into_schema(row: &mut Property) {
    for (field, text) in [("type", &row.kind), ("description", &row.description)] {
        let place = format!("/{field}");
        if *text == text_at(&row.schema, &place) {
            continue;
        }
        if !row.schema.is_object() {
            row.schema = json!({});
        }
        if text.is_empty() {
            json_pointer::remove(&mut row.schema, &place);
        } else {
            row.schema[field] = text.as_str().into();
        }
    }
}

fn with_properties(schema: Option<&Value>, before: &[Property], rows: &[Property]) -> Value {
    let mut schema = schema.filter(|schema| schema.is_object()).cloned().unwrap_or_else(|| json!({ "type": "object" }));
    let mut properties = Map::new();
    for row in rows.iter().filter(|row| !row.name.is_empty()) {
        properties.entry(row.name.clone()).or_insert_with(|| row.schema.clone());
    }
    if let Some(nameless) = schema.pointer("/properties/") {
        properties.insert(String::new(), nameless.clone());
    }
    let was = schema["required"].as_array().cloned().unwrap_or_default();
    let required = required_names(&was, before, rows);
    if required.is_empty() && !was.is_empty() {
        json_pointer::remove(&mut schema, "/required");
    } else if required != was {
        schema["required"] = required.into();
    }
    schema["properties"] = properties.into();
    schema
}

/// Names without a row stay required.
fn required_names(was: &[Value], before: &[Property], rows: &[Property]) -> Vec<Value> {
    let names: Vec<&str> =
        rows.iter().filter(|row| row.required && !row.name.is_empty()).map(|row| row.name.as_str()).collect();
    let is_row = |name: &Value| before.iter().any(|row| *name == row.name.as_str());
    let mut required: Vec<Value> =
        was.iter().filter(|name| !is_row(name) || names.iter().any(|row| *name == row)).cloned().collect();
    for name in names {
        if !required.iter().any(|there| there == name) {
            required.push(name.into());
        }
    }
    required
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_keep_parts_that_rows_do_not_show() {
        let schema = json!({ "type": "object", "title": "T", "required": ["a"],
            "properties": { "a": { "type": "string", "enum": ["x"] }, "b": { "type": ["null", "string"] } } });
        let mut draft = LaunchDraft::from_spec(json!({ "outputSchema": schema }));
        let mut rows = properties_at(&draft, "/outputSchema");
        write_properties(&mut draft, "/outputSchema", rows.clone());
        assert_eq!(draft.spec["outputSchema"], schema);
        rows[0].name = "c".to_owned();
        rows[1].required = true;
        write_properties(&mut draft, "/outputSchema", rows.clone());
        let expected = json!({ "type": "object", "title": "T", "required": ["c", "b"],
            "properties": { "c": { "type": "string", "enum": ["x"] }, "b": { "type": ["null", "string"] } } });
        assert_eq!(draft.spec["outputSchema"], expected);
        rows[0].name = "b".to_owned();
        write_properties(&mut draft, "/outputSchema", rows.clone());
        assert_eq!(properties_at(&draft, "/outputSchema"), rows);
        write_properties(&mut draft, "/nowhere", vec![Property::blank()]);
        assert_eq!(draft.spec.pointer("/nowhere"), None);
    }

    #[test]
    fn a_property_keeps_its_schema_while_its_name_is_cleared() {
        let whole = json!({ "type": "object", "properties": { "deep": { "type": "string" } } });
        let schema = json!({ "type": "object", "required": ["a"], "properties": { "a": whole, "b": { "enum": [1] } } });
        let mut draft = LaunchDraft::from_spec(json!({ "outputSchema": schema }));
        let name = |draft: &mut LaunchDraft, name: &str| {
            let mut rows = properties_at(draft, "/outputSchema");
            rows[0].name = name.to_owned();
            write_properties(draft, "/outputSchema", rows);
        };
        name(&mut draft, "");
        assert_eq!(draft.spec["outputSchema"]["properties"], json!({ "b": { "enum": [1] } }));
        let kept: Vec<String> = properties_at(&draft, "/outputSchema").into_iter().map(|row| row.name).collect();
        assert_eq!(kept, ["", "b"]);
        let mut draft: LaunchDraft =
            serde_json::from_value(serde_json::to_value(&draft).expect("JSON")).expect("the draft");
        name(&mut draft, "address");
        let expected = json!({ "type": "object", "required": ["address"],
            "properties": { "address": whole, "b": { "enum": [1] } } });
        assert_eq!((&draft.spec["outputSchema"], draft.unfinished.properties.len()), (&expected, 0));
        remove_property(&mut draft, "/outputSchema", 0);
        assert_eq!(draft.spec["outputSchema"], json!({ "type": "object", "properties": { "b": { "enum": [1] } } }));
    }

    #[test]
    fn editing_a_property_leaves_others_and_the_required_list_unchanged() {
        let schema = json!({ "required": ["ghost", "a"], "properties": { "a": {}, "no": false, "any": true } });
        let mut draft = LaunchDraft::from_spec(json!({ "outputSchema": schema }));
        let mut rows = properties_at(&draft, "/outputSchema");
        rows[0].description = "said".to_owned();
        write_properties(&mut draft, "/outputSchema", rows);
        let expected = json!({ "required": ["ghost", "a"],
            "properties": { "a": { "description": "said" }, "no": false, "any": true } });
        assert_eq!(draft.spec["outputSchema"], expected);
    }
}
