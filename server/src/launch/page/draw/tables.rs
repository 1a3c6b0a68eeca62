//! Rows: names with values, and the properties of a schema.

use app::launch::sheet::{Control, Item, Tone};

use super::super::place::escape;
use super::super::rows;
use super::{Draw, button, dom_id, line, line_of, with_own};

impl Draw<'_> {
    /// Rows of a name and a value, and an empty one to add another.
    pub fn map(
        &self,
        pointer: &str,
        labels: (&str, &str),
        choices: (&str, impl Fn(&str) -> String),
        secret: bool,
    ) -> Vec<Item> {
        let mut rows = rows::shown(self.work, pointer);
        rows.push(Default::default());
        let row = |(i, (key, value)): (usize, &(String, String))| {
            let place = format!("{pointer}/{}", escape(key));
            let number = i + 1;
            let key_label = format!("{} {number}", labels.0);
            let name = self.field(
                format!("k{pointer}#{i}"),
                &format!("{pointer}#{i}"),
                &key_label,
                line_of(key.clone(), choices.0),
            );
            let control =
                Control::Line { value: value.clone(), placeholder: String::new(), choices: (choices.1)(key), secret };
            let value_label = format!("{} {number}", labels.1);
            let value = self.field(format!("v{pointer}#{i}"), &place, &value_label, control);
            Item::Row { items: vec![Item::Field(name), Item::Field(value)] }
        };
        rows.iter().enumerate().map(row).collect()
    }

    /// A small editor for the properties of an object's schema, with its whole JSON beside.
    pub fn schema(&self, pointer: &str, label: &str, help: &str) -> Vec<Item> {
        let shown = rows::shown_properties(self.work, pointer);
        let mut items = vec![Item::Note { tone: Tone::Info, text: format!("{label}: {help}") }];
        let blank = rows::Property::blank();
        for (i, property) in shown.iter().chain([&blank]).enumerate() {
            let number = i + 1;
            let part = |part: &str, what: &str, control: Control| {
                let name = format!("p{pointer}#{i}.{part}");
                let label = if part == "required" { what.to_owned() } else { format!("{what} {number}") };
                Item::Field(self.field(name, &format!("{pointer}#{i}.{part}"), &label, control))
            };
            let kinds = [
                ("string", "text"),
                ("number", "number"),
                ("integer", "whole number"),
                ("boolean", "yes or no"),
                ("array", "list"),
                ("object", "object"),
                ("", "anything"),
            ];
            let kind = property.kind.clone();
            let mut row = vec![
                part("name", "Property", line(property.name.clone())),
                part("type", "Type", Control::Select { options: with_own(&kind, &kinds), value: kind }),
                part("description", "What it is", line(property.description.clone())),
                part("required", "required", Control::Tick { value: "true".to_owned(), ticked: property.required }),
            ];
            if i < shown.len() {
                let about = if property.name.is_empty() { format!("property {number}") } else { property.name.clone() };
                let remove = button(format!("drop-property:{pointer}#{i}"), "Remove", &about);
                row.push(Item::Buttons { buttons: vec![remove] });
            }
            items.push(Item::Row { items: row });
        }
        let open = self.error_inside(pointer).is_some();
        items.push(Item::Fold {
            id: dom_id(&format!("fold{pointer}")),
            title: format!("{label} as JSON Schema"),
            open,
            items: vec![self.json(pointer, &format!("{label}, JSON Schema"), "", 8)],
        });
        items
    }
}
