//! Maps that a form shows as rows of a name and a value, and schemas that it shows as rows of properties.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::Work;
use super::place::{self, shown_text};

/// Rows of names and values at a place, as the form shows them.
pub fn shown(work: &Work, pointer: &str) -> Vec<(String, String)> {
    if let Some(rows) = work.rows.get(pointer) {
        return rows.clone();
    }
    let entries = work.spec.pointer(pointer).and_then(Value::as_object).into_iter().flatten();
    entries.map(|(key, value)| (key.clone(), shown_text(value, value_place(pointer)))).collect()
}

/// Where in an entry its value stands: budgets are objects.
fn value_place(pointer: &str) -> &'static str {
    if pointer == "/toolBudgets" { "/maxCalls" } else { "" }
}

/// Takes up rows that are others than those that were shown. What the rows do not show of an entry is kept.
pub fn write(work: &mut Work, pointer: &str, mut rows: Vec<(String, String)>) {
    let before = shown(work, pointer);
    for (i, (key, value)) in rows.iter_mut().enumerate() {
        let was = before.get(i).cloned().unwrap_or_default();
        keep_if_same(key, was.0);
        keep_if_same(value, was.1);
    }
    let blank = |(key, value): &(String, String)| key.is_empty() && value.is_empty();
    // Also where an entry of the map is blank itself.
    if rows.starts_with(&before) && rows[before.len()..].iter().all(blank) {
        return;
    }
    rows.retain(|row| !blank(row));
    let old = work.spec.pointer(pointer).cloned().unwrap_or_default();
    let mut map = Map::new();
    for (i, (key, value)) in rows.iter().enumerate().filter(|(_, (key, _))| !key.is_empty()) {
        // A row that was renamed stays the entry that it was.
        let was = before.get(i).filter(|(was, _)| !rows.iter().any(|(key, _)| key == was));
        let was = was.and_then(|(was, _)| old.get(was));
        let mut entry = old.get(key).or(was).cloned().unwrap_or_else(|| empty_entry(pointer));
        if shown_text(&entry, value_place(pointer)) != *value {
            match value_place(pointer) {
                "" => entry = value.as_str().into(),
                inside => place::set(&mut entry, inside, number(value)),
            }
        }
        map.entry(key.clone()).or_insert(entry);
    }
    let keys: BTreeSet<&String> = rows.iter().map(|(key, _)| key).collect();
    if keys.len() == rows.len() && rows.iter().all(|(key, _)| !key.is_empty()) {
        work.rows.remove(pointer);
    } else {
        work.rows.insert(pointer.to_owned(), rows);
    }
    // No budgets at all are a choice of their own; other maps are left out when they are empty.
    if map.is_empty() && pointer != "/toolBudgets" {
        place::remove(&mut work.spec, pointer);
    } else {
        place::set(&mut work.spec, pointer, map.into());
    }
}

/// A name or value that nobody touched is what it was, to the letter; a new one has no spaces around it.
fn keep_if_same(sent: &mut String, shown: String) {
    *sent = if place::same(sent, &shown) { shown } else { sent.trim().to_owned() };
}

fn empty_entry(pointer: &str) -> Value {
    if pointer == "/toolBudgets" { json!({}) } else { "".into() }
}

/// A whole number as a number; anything else as it was written, for the check to complain about.
pub fn number(text: &str) -> Value {
    let text = text.trim();
    match (text.parse::<u64>(), text.parse::<i64>(), text.parse::<f64>()) {
        (Ok(n), _, _) => n.into(),
        (_, Ok(n), _) => n.into(),
        (_, _, Ok(n)) => serde_json::Number::from_f64(n).map_or_else(|| text.into(), Value::Number),
        _ => text.into(),
    }
}

/// A property of an object's schema, as far as a row shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Property {
    pub name: String,
    pub kind: String,
    pub description: String,
    pub required: bool,
    /// The whole of it, of which the row shows a part: it stays with its row while that has no name.
    pub schema: Value,
}

impl Property {
    /// The row that is there to add another one.
    pub fn blank() -> Self {
        Self { kind: "string".to_owned(), schema: json!({}), ..Self::default() }
    }

    fn is_blank(&self) -> bool {
        self.name.is_empty() && self.description.is_empty() && !self.required
    }
}

/// Rows of a schema's properties, as the form shows them.
pub fn shown_properties(work: &Work, pointer: &str) -> Vec<Property> {
    match work.properties.get(pointer) {
        Some(rows) => rows.clone(),
        None => properties_of(work.spec.pointer(pointer)),
    }
}

/// Takes up rows that are others than those that were shown. What the rows do not show of a property is kept, and a row that
/// was there stays until it is taken out: whoever clears a name is about to write another.
pub fn write_properties(work: &mut Work, pointer: &str, mut rows: Vec<Property>) {
    let before = shown_properties(work, pointer);
    for (i, row) in rows.iter_mut().enumerate() {
        let was = before.get(i).cloned().unwrap_or_else(Property::blank);
        keep_if_same(&mut row.name, was.name);
        keep_if_same(&mut row.kind, was.kind);
        keep_if_same(&mut row.description, was.description);
        row.schema = was.schema;
    }
    let mut at = 0..;
    rows.retain(|row| at.next() < Some(before.len()) || !row.is_blank());
    keep_properties(work, pointer, &before, rows);
}

/// Takes a property out, by the row that shows it.
pub fn drop_property(work: &mut Work, pointer: &str, at: usize) {
    let before = shown_properties(work, pointer);
    let mut rows = before.clone();
    if at < rows.len() {
        rows.remove(at);
        keep_properties(work, pointer, &before, rows);
    }
}

fn keep_properties(work: &mut Work, pointer: &str, before: &[Property], mut rows: Vec<Property>) {
    if rows == before {
        return;
    }
    rows.iter_mut().for_each(write_into_schema);
    let old = work.spec.pointer(pointer);
    if old.is_some() || rows.iter().any(|row| !row.name.is_empty()) {
        let schema = with_properties(old, before, &rows);
        place::set(&mut work.spec, pointer, schema);
    }
    let names: BTreeSet<&String> = rows.iter().map(|row| &row.name).filter(|name| !name.is_empty()).collect();
    if names.len() == rows.len() {
        work.properties.remove(pointer);
    } else {
        work.properties.insert(pointer.to_owned(), rows);
    }
}

fn properties_of(schema: Option<&Value>) -> Vec<Property> {
    let Some(schema) = schema else { return Vec::new() };
    let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let properties = schema["properties"].as_object().into_iter().flatten();
    let property = |(name, property): (&String, &Value)| Property {
        name: name.clone(),
        kind: shown_text(property, "/type"),
        description: shown_text(property, "/description"),
        required: required.contains(&name.as_str()),
        schema: property.clone(),
    };
    // A property without a name cannot be a row; it stays in the schema.
    properties.filter(|(name, _)| !name.is_empty()).map(property).collect()
}

/// A schema may also be `true` or `false`: it becomes an object where its row says something.
fn write_into_schema(row: &mut Property) {
    for (field, text) in [("type", &row.kind), ("description", &row.description)] {
        let place = format!("/{field}");
        if *text == shown_text(&row.schema, &place) {
            continue;
        }
        if !row.schema.is_object() {
            row.schema = json!({});
        }
        if text.is_empty() {
            place::remove(&mut row.schema, &place);
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
    let required = required_now(&was, before, rows);
    if required.is_empty() && !was.is_empty() {
        place::remove(&mut schema, "/required");
    } else if required != was {
        schema["required"] = required.into();
    }
    schema["properties"] = properties.into();
    schema
}

/// What is required although no row shows it stays so.
fn required_now(was: &[Value], before: &[Property], rows: &[Property]) -> Vec<Value> {
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

    fn pairs(rows: &[(&str, &str)]) -> Vec<(String, String)> {
        rows.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn rows_become_the_map_and_what_is_no_map_yet_stays_in_the_rows() {
        let mut work = Work::of(json!({ "metadata": { "env": "test", "n": 3 } }));
        assert_eq!(shown(&work, "/metadata"), pairs(&[("env", "test"), ("n", "3")]));
        write(&mut work, "/metadata", pairs(&[("env", "prod"), ("n", "3"), ("", "")]));
        assert_eq!(work.spec, json!({ "metadata": { "env": "prod", "n": 3 } }));
        write(&mut work, "/metadata", pairs(&[("env", "prod"), ("env", "twice"), ("", "nameless")]));
        assert_eq!(work.spec, json!({ "metadata": { "env": "prod" } }));
        assert_eq!(shown(&work, "/metadata"), pairs(&[("env", "prod"), ("env", "twice"), ("", "nameless")]));
        write(&mut work, "/metadata", pairs(&[("", ""), ("", "")]));
        assert_eq!((&work.spec, work.rows.len()), (&json!({}), 0));
    }

    #[test]
    fn a_budget_that_is_renamed_keeps_what_its_row_does_not_show() {
        let mut work = Work::of(json!({ "toolBudgets": { "a": { "maxCalls": 1, "later": true } } }));
        write(&mut work, "/toolBudgets", pairs(&[("b", "2"), ("c", "many")]));
        let expected = json!({ "toolBudgets": { "b": { "maxCalls": 2, "later": true }, "c": { "maxCalls": "many" } } });
        assert_eq!(work.spec, expected);
        write(&mut work, "/toolBudgets", Vec::new());
        assert_eq!(work.spec, json!({ "toolBudgets": {} }));
    }

    #[test]
    fn properties_keep_what_rows_do_not_show() {
        let schema = json!({ "type": "object", "title": "T", "required": ["a"],
            "properties": { "a": { "type": "string", "enum": ["x"] }, "b": { "type": ["null", "string"] } } });
        let mut work = Work::of(json!({ "outputSchema": schema }));
        let mut rows = shown_properties(&work, "/outputSchema");
        write_properties(&mut work, "/outputSchema", rows.clone());
        assert_eq!(work.spec["outputSchema"], schema);
        rows[0].name = "c".to_owned();
        rows[1].required = true;
        write_properties(&mut work, "/outputSchema", rows.clone());
        let expected = json!({ "type": "object", "title": "T", "required": ["c", "b"],
            "properties": { "c": { "type": "string", "enum": ["x"] }, "b": { "type": ["null", "string"] } } });
        assert_eq!(work.spec["outputSchema"], expected);
        rows[0].name = "b".to_owned();
        write_properties(&mut work, "/outputSchema", rows.clone());
        assert_eq!(shown_properties(&work, "/outputSchema"), rows);
        write_properties(&mut work, "/nowhere", vec![Property::blank()]);
        assert_eq!(work.spec.pointer("/nowhere"), None);
    }

    #[test]
    fn a_property_whose_name_is_cleared_stays_with_all_it_has_until_it_has_another() {
        let whole = json!({ "type": "object", "properties": { "deep": { "type": "string" } } });
        let schema = json!({ "type": "object", "required": ["a"], "properties": { "a": whole, "b": { "enum": [1] } } });
        let mut work = Work::of(json!({ "outputSchema": schema }));
        let name = |work: &mut Work, name: &str| {
            let mut rows = shown_properties(work, "/outputSchema");
            rows[0].name = name.to_owned();
            write_properties(work, "/outputSchema", rows);
        };
        name(&mut work, "");
        assert_eq!(work.spec["outputSchema"]["properties"], json!({ "b": { "enum": [1] } }));
        let kept: Vec<String> = shown_properties(&work, "/outputSchema").into_iter().map(|row| row.name).collect();
        assert_eq!(kept, ["", "b"]);
        let mut work: Work = serde_json::from_value(serde_json::to_value(&work).expect("JSON")).expect("the draft");
        name(&mut work, "address");
        let expected = json!({ "type": "object", "required": ["address"],
            "properties": { "address": whole, "b": { "enum": [1] } } });
        assert_eq!((&work.spec["outputSchema"], work.properties.len()), (&expected, 0));
        drop_property(&mut work, "/outputSchema", 0);
        assert_eq!(work.spec["outputSchema"], json!({ "type": "object", "properties": { "b": { "enum": [1] } } }));
    }

    #[test]
    fn editing_one_property_leaves_the_others_and_what_is_required_as_they_are() {
        let schema = json!({ "required": ["ghost", "a"], "properties": { "a": {}, "no": false, "any": true } });
        let mut work = Work::of(json!({ "outputSchema": schema }));
        let mut rows = shown_properties(&work, "/outputSchema");
        rows[0].description = "said".to_owned();
        write_properties(&mut work, "/outputSchema", rows);
        let expected = json!({ "required": ["ghost", "a"],
            "properties": { "a": { "description": "said" }, "no": false, "any": true } });
        assert_eq!(work.spec["outputSchema"], expected);
    }
}
