//! Rows of names with values: the entries of a map, or the properties of a schema.

use std::collections::BTreeSet;

use protocol::fields::{Control, FieldTable, MapControl};
use protocol::json_pointer;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::LaunchDraft;
use super::control_text::{is_unchanged, text_at};

/// Tables with more rows are edited as JSON.
pub const MAX_ROWS: usize = 300;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Row {
    pub name: String,
    /// The whole entry or property, which the row keeps while it has no name.
    pub entry: Value,
    /// Whether the schema requires the property.
    pub required: bool,
}

#[derive(Clone, Copy)]
pub enum Table {
    Map(&'static MapControl),
    Schema,
}

impl Table {
    /// Returns the table whose rows the form has for a pointer.
    pub fn at(fields: FieldTable, spec: &Value, pointer: &str) -> Option<Self> {
        fields.find(spec, pointer, |field| Self::of(field.control))
    }

    fn of(control: Control) -> Option<Self> {
        match control {
            Control::Map(map) => Some(Self::Map(map)),
            Control::Schema => Some(Self::Schema),
            _ => None,
        }
    }

    /// Returns the parts of a row's control names. The first one has the name.
    pub fn parts(self) -> &'static [&'static str] {
        match self {
            Self::Map(_) => &["key", "value"],
            Self::Schema => &["name", "type", "description", "required"],
        }
    }

    /// Returns the texts of a row's controls, in the order of the parts.
    pub fn texts(self, row: &Row) -> Vec<String> {
        let name = row.name.clone();
        match self {
            Self::Map(map) => vec![name, text_at(&row.entry, map.inner)],
            Self::Schema => {
                let required = if row.required { "true" } else { "" };
                vec![name, text_at(&row.entry, "/type"), text_at(&row.entry, "/description"), required.to_owned()]
            }
        }
    }

    fn set_text(self, row: &mut Row, part: &str, text: &str) {
        match (self, part) {
            (_, "key" | "name") => row.name = text.to_owned(),
            (Self::Map(map), _) if map.inner.is_empty() => row.entry = text.into(),
            (Self::Map(map), _) => json_pointer::set(&mut row.entry, map.inner, parse_number(text)),
            (Self::Schema, "required") => row.required = text == "true",
            (Self::Schema, _) if text.is_empty() => drop(json_pointer::remove(&mut row.entry, &format!("/{part}"))),
            (Self::Schema, _) => {
                // A schema that is `true` or `false` becomes an object.
                if !row.entry.is_object() {
                    row.entry = json!({});
                }
                json_pointer::set(&mut row.entry, &format!("/{part}"), text.into());
            }
        }
    }

    /// Returns the empty row at the end, which adds an entry.
    pub fn blank(self) -> Row {
        let entry = match self {
            Self::Map(map) if map.inner.is_empty() => "".into(),
            Self::Map(_) => json!({}),
            Self::Schema => json!({ "type": "string" }),
        };
        Row { entry, ..Row::default() }
    }

    /// A row with nothing but the type of a property adds none.
    fn is_blank(self, row: &Row) -> bool {
        self.texts(row).iter().zip(self.parts()).all(|(text, part)| text.is_empty() || *part == "type")
    }

    pub fn rows(self, draft: &LaunchDraft, pointer: &str) -> Vec<Row> {
        if let Some(rows) = draft.unfinished.rows.get(pointer) {
            return rows.clone();
        }
        let Some(value) = draft.spec.pointer(pointer) else { return Vec::new() };
        let (entries, required) = match self {
            Self::Map(_) => (value, None),
            Self::Schema => (&value["properties"], value["required"].as_array()),
        };
        let row = |(name, entry): (&String, &Value)| {
            let required = required.is_some_and(|names| names.iter().any(|other| other == name));
            Row { name: name.clone(), entry: entry.clone(), required }
        };
        // A property with an empty name has no row and stays in the schema.
        let has_row = |(name, _): &(&String, &Value)| matches!(self, Self::Map(_)) || !name.is_empty();
        entries.as_object().into_iter().flatten().filter(has_row).map(row).collect()
    }

    /// Writes the texts of changed rows into the spec. Parts of an entry that its row doesn't show are preserved. An emptied
    /// row of a map is removed; one of a schema is kept, since the user may be about to type another name.
    pub fn write(self, draft: &mut LaunchDraft, pointer: &str, sent: &[Vec<&str>]) {
        let before = self.rows(draft, pointer);
        let row = |(i, texts): (usize, &Vec<&str>)| {
            let mut row = before.get(i).cloned().unwrap_or_else(|| self.blank());
            for ((part, text), given) in self.parts().iter().zip(texts).zip(self.texts(&row)) {
                // The exact text of an unchanged control is kept.
                if !is_unchanged(text, &given) {
                    self.set_text(&mut row, part, text.trim());
                }
            }
            row
        };
        let mut rows: Vec<Row> = sent.iter().enumerate().map(row).collect();
        let mut at = 0..;
        rows.retain(|row| at.next() < Some(before.len()) || !self.is_blank(row));
        if rows != before {
            rows.retain(|row| matches!(self, Self::Schema) || !self.is_blank(row));
            self.save(draft, pointer, &before, rows);
        }
    }

    pub fn remove(self, draft: &mut LaunchDraft, pointer: &str, at: usize) {
        let before = self.rows(draft, pointer);
        let mut rows = before.clone();
        if at < rows.len() {
            rows.remove(at);
            self.save(draft, pointer, &before, rows);
        }
    }

    /// Rows without a name, and those whose name is used twice, stay in the draft.
    fn save(self, draft: &mut LaunchDraft, pointer: &str, before: &[Row], rows: Vec<Row>) {
        let mut entries = Map::new();
        for row in rows.iter().filter(|row| !row.name.is_empty()) {
            entries.entry(row.name.clone()).or_insert_with(|| row.entry.clone());
        }
        let old = draft.spec.pointer(pointer);
        let value = match self {
            Self::Map(map) => (!entries.is_empty() || map.keeps_empty).then(|| entries.into()),
            Self::Schema if old.is_none() && entries.is_empty() => None,
            Self::Schema => Some(with_properties(old, entries, before, &rows)),
        };
        match value {
            Some(value) => json_pointer::set(&mut draft.spec, pointer, value),
            None => drop(json_pointer::remove(&mut draft.spec, pointer)),
        }
        let names: BTreeSet<&String> = rows.iter().map(|row| &row.name).filter(|name| !name.is_empty()).collect();
        if names.len() == rows.len() {
            draft.unfinished.rows.remove(pointer);
        } else {
            draft.unfinished.rows.insert(pointer.to_owned(), rows);
        }
    }
}

fn with_properties(schema: Option<&Value>, mut properties: Map<String, Value>, before: &[Row], rows: &[Row]) -> Value {
    let mut schema = schema.filter(|schema| schema.is_object()).cloned().unwrap_or_else(|| json!({ "type": "object" }));
    if let Some(nameless) = schema.pointer("/properties/") {
        properties.insert(String::new(), nameless.clone());
    }
    schema["properties"] = properties.into();
    let was = schema["required"].as_array().cloned().unwrap_or_default();
    let is_required = |row: &&Row| row.required && !row.name.is_empty();
    let names: Vec<&str> = rows.iter().filter(is_required).map(|row| row.name.as_str()).collect();
    // Names without a row stay required.
    let has_row = |name: &Value| before.iter().any(|row| *name == row.name.as_str());
    let mut required = was.clone();
    required.retain(|name| !has_row(name) || names.iter().any(|row| name == row));
    for name in names {
        if !required.iter().any(|other| other == name) {
            required.push(name.into());
        }
    }
    if required.is_empty() && !was.is_empty() {
        json_pointer::remove(&mut schema, "/required");
    } else if required != was {
        schema["required"] = required.into();
    }
    schema
}

/// Parses a number. Anything else stays text, which validation reports.
pub fn parse_number(text: &str) -> Value {
    let text = text.trim();
    match (text.parse::<u64>(), text.parse::<i64>(), text.parse::<f64>()) {
        (Ok(n), _, _) => n.into(),
        (_, Ok(n), _) => n.into(),
        (_, _, Ok(n)) => serde_json::Number::from_f64(n).map_or_else(|| text.into(), Value::Number),
        _ => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use protocol::fields::SPEC_FIELDS;

    use super::*;

    fn table(pointer: &str) -> Table {
        let mut tables = SPEC_FIELDS.all().filter(|field| field.pointer == pointer);
        tables.find_map(|field| Table::of(field.control)).expect("a table")
    }

    /// Writes rows as a form sends them: names and texts.
    fn write(draft: &mut LaunchDraft, pointer: &str, rows: &[&[&str]]) {
        let rows: Vec<Vec<&str>> = rows.iter().map(|texts| texts.to_vec()).collect();
        table(pointer).write(draft, pointer, &rows);
    }

    fn names(draft: &LaunchDraft, pointer: &str) -> Vec<String> {
        table(pointer).rows(draft, pointer).into_iter().map(|row| row.name).collect()
    }

    #[test]
    fn valid_rows_become_the_map_and_invalid_rows_are_kept() {
        let mut draft = LaunchDraft::from_spec(json!({ "metadata": { "env": "test", "n": 3 } }));
        write(&mut draft, "/metadata", &[&["env", "prod"], &["n", "3"], &["", ""]]);
        assert_eq!(draft.spec, json!({ "metadata": { "env": "prod", "n": 3 } }));
        write(&mut draft, "/metadata", &[&["env", "prod"], &["env", "twice"], &["", "nameless"]]);
        assert_eq!(draft.spec, json!({ "metadata": { "env": "prod" } }));
        assert_eq!(names(&draft, "/metadata"), ["env", "env", ""]);
        write(&mut draft, "/metadata", &[&["", ""], &["", ""]]);
        assert_eq!((&draft.spec, draft.unfinished.rows.len()), (&json!({}), 0));
    }

    #[test]
    fn a_renamed_row_keeps_what_it_does_not_show() {
        let mut draft = LaunchDraft::from_spec(json!({ "toolBudgets": { "a": { "maxCalls": 1, "later": true } } }));
        write(&mut draft, "/toolBudgets", &[&["b", "2"], &["c", "many"]]);
        let expected = json!({ "toolBudgets": { "b": { "maxCalls": 2, "later": true }, "c": { "maxCalls": "many" } } });
        assert_eq!(draft.spec, expected);
        write(&mut draft, "/toolBudgets", &[]);
        assert_eq!(draft.spec, json!({ "toolBudgets": {} }));

        let schema = json!({ "type": "object", "title": "T", "required": ["a"],
            "properties": { "a": { "type": "string", "enum": ["x"] }, "b": { "type": ["null", "string"] } } });
        let mut draft = LaunchDraft::from_spec(json!({ "outputSchema": { "schema": schema } }));
        let rows: &[&[&str]] = &[&["c", "string", "", "true"], &["b", "[\"null\",\"string\"]", "", "true"]];
        write(&mut draft, "/outputSchema/schema", rows);
        let expected = json!({ "type": "object", "title": "T", "required": ["c", "b"],
            "properties": { "c": { "type": "string", "enum": ["x"] }, "b": { "type": ["null", "string"] } } });
        assert_eq!(draft.spec["outputSchema"]["schema"], expected);
        let before = draft.clone();
        write(&mut draft, "/outputSchema/schema", &[rows[0], rows[1], &["", "string", "", ""]]);
        assert_eq!(draft, before);
    }

    #[test]
    fn a_property_keeps_its_schema_while_its_name_is_cleared() {
        let whole = json!({ "type": "object", "properties": { "deep": { "type": "string" } } });
        let schema = json!({ "type": "object", "required": ["a"], "properties": { "a": whole, "b": { "enum": [1] } } });
        let mut draft = LaunchDraft::from_spec(json!({ "outputSchema": { "schema": schema } }));
        let pointer = "/outputSchema/schema";
        write(&mut draft, pointer, &[&["", "object", "", "true"], &["b", "", "", ""]]);
        assert_eq!(draft.spec["outputSchema"]["schema"]["properties"], json!({ "b": { "enum": [1] } }));
        assert_eq!(names(&draft, pointer), ["", "b"]);
        let saved = serde_json::to_value(&draft).expect("JSON");
        let mut draft: LaunchDraft = serde_json::from_value(saved).expect("the draft");
        write(&mut draft, pointer, &[&["address", "object", "", "true"], &["b", "", "", ""]]);
        let expected = json!({ "type": "object", "required": ["address"],
            "properties": { "address": whole, "b": { "enum": [1] } } });
        assert_eq!((&draft.spec["outputSchema"]["schema"], draft.unfinished.rows.len()), (&expected, 0));
        Table::Schema.remove(&mut draft, pointer, 0);
        let left = json!({ "type": "object", "properties": { "b": { "enum": [1] } } });
        assert_eq!(draft.spec["outputSchema"]["schema"], left);
    }

    #[test]
    fn editing_a_property_leaves_others_and_the_required_list_unchanged() {
        let schema = json!({ "required": ["ghost", "a"], "properties": { "a": {}, "no": false, "any": true } });
        let mut draft = LaunchDraft::from_spec(json!({ "outputSchema": { "schema": schema } }));
        let rows: &[&[&str]] = &[&["a", "", "said", "true"], &["no", "", "", ""], &["any", "", "", ""]];
        write(&mut draft, "/outputSchema/schema", rows);
        let expected = json!({ "required": ["ghost", "a"],
            "properties": { "a": { "description": "said" }, "no": false, "any": true } });
        assert_eq!(draft.spec["outputSchema"]["schema"], expected);
    }
}
