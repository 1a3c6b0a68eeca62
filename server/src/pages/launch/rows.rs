//! Tables of names and values, and of a schema's properties.

use app::launch::control_name::dom_id;
use app::launch::draft::control_text::text_at;
use app::launch::draft::rows::{MAX_ROWS, Row, Table};
use app::launch::{ControlName, local_tools};
use protocol::fields::{MapControl, Suggestions};
use protocol::spec::DEFAULT_TOOL_BUDGETS;

use super::controls::{PageBuilder, button, buttons, checkbox, fold, line, line_with, note, secret_line, select};
use super::items::{Control, Item};
use crate::launch::form::Verb;
use crate::masking::is_redacted;

const PROPERTY_TYPES: [(&str, &str); 7] = [
    ("string", "text"),
    ("number", "number"),
    ("integer", "whole number"),
    ("boolean", "yes or no"),
    ("array", "list"),
    ("object", "object"),
    ("", "anything"),
];

impl PageBuilder<'_> {
    /// Names and values, and an empty row that adds one.
    pub fn map(&self, pointer: &str, map: &'static MapControl, help: &str) -> Vec<Item> {
        let table = Table::Map(map);
        let mut rows = table.rows(self.draft, pointer);
        if rows.len() > MAX_ROWS {
            let text = format!("{} entries. Edit them in the JSON.", rows.len());
            return std::iter::once(note(text)).chain(self.error_note(pointer)).collect();
        }
        rows.push(table.blank());
        let keys = match map.suggestions {
            Suggestions::None => "",
            Suggestions::Metadata => "metadata-keys",
            Suggestions::Tools => "tool-names",
        };
        let row = |(i, row): (usize, &Row)| {
            let (key, value) = (&row.name, &table.texts(row)[1]);
            let known = self.catalogue.metadata.iter().position(|(known, _)| known == key);
            let control = match known.filter(|_| map.suggestions == Suggestions::Metadata) {
                _ if map.secret => secret_line(value),
                Some(at) => line_with(value, "", &format!("metadata-{at}")),
                None => line(value),
            };
            let part = |part: &str, head: &str, control: Control| {
                self.control(ControlName::row(pointer, i, part), &format!("{head} {}", i + 1), "", control)
            };
            vec![part("key", map.key_label, line_with(key, "", keys)), part("value", map.value_label, control)]
        };
        let mut items: Vec<Item> = (!help.is_empty()).then(|| note(help)).into_iter().collect();
        items.extend(self.suggestions(map.suggestions, &rows));
        let heads = [map.key_label, map.value_label].map(str::to_owned).to_vec();
        items.push(Item::Table { heads, rows: rows.iter().enumerate().map(row).collect() });
        items.extend(self.error_note(pointer));
        items
    }

    /// Returns the lists that complete names and values.
    fn suggestions(&self, suggestions: Suggestions, rows: &[Row]) -> Vec<Item> {
        let list = |id: String, values: Vec<String>| Item::Datalist { id, values };
        match suggestions {
            Suggestions::None => Vec::new(),
            Suggestions::Tools => vec![list("tool-names".to_owned(), self.tool_names())],
            Suggestions::Metadata => {
                let in_use = &self.catalogue.metadata;
                let unmasked =
                    |texts: Vec<&String>| texts.into_iter().filter(|text| !is_redacted(text)).cloned().collect();
                let keys = list("metadata-keys".to_owned(), unmasked(in_use.iter().map(|(key, _)| key).collect()));
                let is_shown = |key: &String| rows.iter().any(|row| row.name == *key);
                let shown = in_use.iter().enumerate().filter(|(_, (key, _))| is_shown(key));
                let values =
                    shown.map(|(i, (_, values))| list(format!("metadata-{i}"), unmasked(values.iter().collect())));
                std::iter::once(keys).chain(values).collect()
            }
        }
    }

    fn tool_names(&self) -> Vec<String> {
        let mut names: Vec<String> = local_tools(self.spec()).into_iter().map(|(name, _)| name).collect();
        for (i, tool) in self.spec()["tools"].as_array().into_iter().flatten().enumerate() {
            let text = |field: &str| tool[field].as_str().unwrap_or_default();
            match text("kind") {
                // The model sees the name of a workspace's tool, not its id.
                "mantyx" => {
                    let chosen = self.catalogue.tools.items.iter().find(|choice| choice.id == text("id"));
                    names.extend(chosen.map(|choice| choice.name.clone()));
                }
                "mcp" => {
                    let found = self.draft.last_action.discovered_tools.get(&format!("/tools/{i}"));
                    names.extend(found.into_iter().flatten().map(|found| format!("{}_{}", text("name"), found.name)));
                }
                _ => names.push(text("name").to_owned()),
            }
        }
        names.retain(|name| !name.is_empty());
        names.extend(DEFAULT_TOOL_BUDGETS.map(|(tool, _)| tool.to_owned()));
        names.sort();
        names.dedup();
        names
    }

    /// The properties of an object's schema, and the schema as JSON.
    pub fn schema(&self, pointer: &str, label: &str, help: &str) -> Vec<Item> {
        let mut all = Table::Schema.rows(self.draft, pointer);
        // A large schema is edited as JSON.
        all.truncate(if all.len() > MAX_ROWS { 0 } else { MAX_ROWS });
        let count = all.len();
        all.push(Table::Schema.blank());
        let row = |(i, row): (usize, &Row)| {
            let number = i + 1;
            let part = |part: &str, label: &str, control: Control| {
                self.control(ControlName::row(pointer, i, part), label, "", control)
            };
            let mut controls = vec![
                part("name", &format!("Property {number}"), line(&row.name)),
                part("type", &format!("Type {number}"), select(text_at(&row.entry, "/type"), PROPERTY_TYPES)),
                part("description", &format!("Description {number}"), line(text_at(&row.entry, "/description"))),
                part("required", "required", checkbox(row.required)),
            ];
            if i < count {
                let about = if row.name.is_empty() { format!("property {number}") } else { row.name.clone() };
                controls.push(buttons(button(Verb::Remove.of(format!("{pointer}#{i}")), "Remove", &about)));
            }
            controls
        };
        let heads = ["Property", "Type", "Description", "", ""].map(str::to_owned).to_vec();
        let json = self.json(pointer, &format!("{label}, JSON Schema"), "", 8);
        let open = self.error_inside(pointer).is_some();
        vec![
            note(format!("{label}: {help}")),
            Item::Table { heads, rows: all.iter().enumerate().map(row).collect() },
            fold(dom_id(&format!("fold{pointer}")), format!("{label} as JSON Schema"), open, vec![json]),
        ]
    }
}
