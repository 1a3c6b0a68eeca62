//! Rows of names and values, and of a schema's properties.

use app::launch::draft::error_placement::dom_id;
use app::launch::draft::rows;
use app::model::launch::{Control, Item, Tone};
use protocol::json_pointer::escape;

use super::controls::{PageBuilder, button, line, line_with_datalist, options_with};

impl PageBuilder<'_> {
    /// Rows of names and values, and an empty row that adds one.
    pub fn map(
        &self,
        pointer: &str,
        labels: (&str, &str),
        datalist: (&str, impl Fn(&str) -> String),
        secret: bool,
    ) -> Vec<Item> {
        let mut rows = rows::rows_at(self.draft, pointer);
        rows.push(Default::default());
        let row = |(i, (key, value)): (usize, &(String, String))| {
            let place = format!("{pointer}/{}", escape(key));
            let number = i + 1;
            let key_label = format!("{} {number}", labels.0);
            let name = self.field(
                format!("k{pointer}#{i}"),
                &format!("{pointer}#{i}"),
                &key_label,
                line_with_datalist(key.clone(), datalist.0),
            );
            let control = Control::TextLine {
                value: value.clone(),
                placeholder: String::new(),
                datalist: (datalist.1)(key),
                secret,
            };
            let value_label = format!("{} {number}", labels.1);
            let value = self.field(format!("v{pointer}#{i}"), &place, &value_label, control);
            Item::Row { items: vec![Item::Field(name), Item::Field(value)] }
        };
        rows.iter().enumerate().map(row).collect()
    }

    /// An editor for the properties of an object's schema, with the JSON of the schema.
    pub fn schema(&self, pointer: &str, label: &str, help: &str) -> Vec<Item> {
        let shown = rows::properties_at(self.draft, pointer);
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
                part("type", "Type", Control::Select { options: options_with(&kind, &kinds), value: kind }),
                part("description", "What it is", line(property.description.clone())),
                part(
                    "required",
                    "required",
                    Control::Checkbox { value: "true".to_owned(), checked: property.required },
                ),
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
