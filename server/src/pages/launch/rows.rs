//! Rows of names and values, and of a schema's properties.

use app::launch::control_name::dom_id;
use app::launch::draft::{properties, rows};
use app::launch::{ControlName, Verb, local_tools};
use app::model::launch::{Control, Item};
use protocol::fields::{MapControl, Suggestions};
use protocol::json_pointer::join;
use protocol::spec::DEFAULT_TOOL_BUDGETS;

use super::controls::{
    PageBuilder, button, buttons, checkbox, fold, line, line_with_datalist, note, secret_line, select,
};

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
    /// Rows of names and values, and an empty row that adds one.
    pub fn map(&self, pointer: &str, map: &MapControl, help: &str) -> Vec<Item> {
        let mut rows = rows::rows_at(self.draft, pointer, map);
        if rows.len() > rows::MAX_ROWS {
            let text = format!("{} entries. Edit them in the JSON.", rows.len());
            return std::iter::once(note(text)).chain(self.error_note(pointer)).collect();
        }
        rows.push(Default::default());
        let mut items = self.suggestions(map.suggestions, &rows);
        if !help.is_empty() {
            items.insert(0, note(help));
        }
        let keys = match map.suggestions {
            Suggestions::None => "",
            Suggestions::Metadata => "metadata-keys",
            Suggestions::Tools => "tool-names",
        };
        for (i, (key, value)) in rows.iter().enumerate() {
            let number = i + 1;
            let label = format!("{} {number}", map.key_label);
            let key_control = line_with_datalist(key, keys);
            let name = self.field(&ControlName::row(pointer, i, "key"), &format!("{pointer}#{i}"), &label, key_control);
            let control = match self.position_in_use(key).filter(|_| map.suggestions == Suggestions::Metadata) {
                _ if map.secret => secret_line(value),
                Some(at) => line_with_datalist(value, &format!("metadata-{at}")),
                None => line(value),
            };
            let label = format!("{} {number}", map.value_label);
            let value = self.field(&ControlName::row(pointer, i, "value"), &join(pointer, key), &label, control);
            items.push(Item::Row { items: vec![Item::Field(name), Item::Field(value)] });
        }
        items.extend(self.error_note(pointer));
        items
    }

    /// Returns the lists that complete names and values.
    fn suggestions(&self, suggestions: Suggestions, rows: &[(String, String)]) -> Vec<Item> {
        let list = |id: String, values: Vec<String>| Item::Datalist {
            id,
            values: values.into_iter().map(|value| (value, String::new())).collect(),
        };
        match suggestions {
            Suggestions::None => Vec::new(),
            Suggestions::Tools => vec![list("tool-names".to_owned(), self.tool_names())],
            Suggestions::Metadata => {
                let in_use = &self.catalogue.metadata;
                let keys = list("metadata-keys".to_owned(), in_use.iter().map(|entry| entry.key.clone()).collect());
                let is_shown = |key: &String| rows.iter().any(|(shown, _)| shown == key);
                let shown = in_use.iter().enumerate().filter(|(_, entry)| is_shown(&entry.key));
                let values = shown.map(|(i, entry)| list(format!("metadata-{i}"), entry.values.clone()));
                std::iter::once(keys).chain(values).collect()
            }
        }
    }

    fn position_in_use(&self, key: &str) -> Option<usize> {
        self.catalogue.metadata.iter().position(|entry| entry.key == key)
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

    /// An editor for the properties of an object's schema, with the JSON of the schema.
    pub fn schema(&self, pointer: &str, label: &str, help: &str) -> Vec<Item> {
        let all = properties::properties_at(self.draft, pointer);
        // A large schema is edited as JSON.
        let shown = if all.len() > rows::MAX_ROWS { &[] } else { all.as_slice() };
        let mut items = vec![note(format!("{label}: {help}"))];
        let blank = properties::Property::blank();
        for (i, property) in shown.iter().chain([&blank]).enumerate() {
            let number = i + 1;
            let part = |part: &str, label: &str, control: Control| {
                let place = format!("{pointer}#{i}.{part}");
                Item::Field(self.field(&ControlName::row(pointer, i, part), &place, label, control))
            };
            let mut row = vec![
                part("name", &format!("Property {number}"), line(&property.name)),
                part("type", &format!("Type {number}"), select(&property.kind, &PROPERTY_TYPES)),
                part("description", &format!("Description {number}"), line(&property.description)),
                part("required", "required", checkbox(property.required)),
            ];
            if i < shown.len() {
                let about = if property.name.is_empty() { format!("property {number}") } else { property.name.clone() };
                let remove = Verb::Remove.of(format!("{pointer}#{i}"));
                row.push(buttons(button(remove, "Remove", &about)));
            }
            items.push(Item::Row { items: row });
        }
        let json = self.json(pointer, &format!("{label}, JSON Schema"), "", 8);
        let open = self.error_inside(pointer).is_some();
        items.push(fold(dom_id(&format!("fold{pointer}")), format!("{label} as JSON Schema"), open, vec![json]));
        items
    }
}
