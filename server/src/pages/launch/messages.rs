//! The messages of the input, with their files.

use app::launch::control_name::dom_id;
use app::launch::{ControlName, Verb};
use app::model::launch::{Control, Item, Tone};
use serde_json::Value;

use super::controls::{PageBuilder, button, buttons, fold, line, note};

impl PageBuilder<'_> {
    pub fn messages(&self) -> Vec<Item> {
        let count = self.spec()["messages"].as_array().map_or(0, Vec::len);
        let add = buttons(button(Verb::AddMessage, "Add a message", ""));
        (0..count).map(|i| self.message(i)).chain([add]).collect()
    }

    fn message(&self, index: usize) -> Item {
        let place = format!("/messages/{index}");
        let mut items = self.items(self.fields.fields_of("/messages/*"), &place);
        let remove = Verb::Remove.of(&place);
        items.push(buttons(button(remove, "Remove", &about(index))));
        Item::Group {
            id: self.anchor(&place, &place),
            title: format!("Message {}", index + 1),
            hint: String::new(),
            checks: Vec::new(),
            items,
        }
    }

    /// The files of a message, and controls that attach another one.
    pub fn attachments(&self, list: &str) -> Item {
        let message = list.trim_end_matches("/attachments");
        let attached = self.spec().pointer(list).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let mut items = Vec::new();
        for (index, file) in attached.iter().enumerate() {
            let name = file["filename"].as_str().or(file["url"].as_str()).unwrap_or("file");
            items.push(match self.error_inside(&format!("{list}/{index}")) {
                Some(error) => Item::Note { tone: Tone::Error, text: format!("{name}: {error}") },
                None => note(format!("{name} is attached.")),
            });
            let remove = Verb::Remove.of(format!("{list}/{index}"));
            items.push(buttons(button(remove, "Remove", name)));
        }
        let upload = self.field(
            &ControlName::File(list.to_owned()),
            list,
            "A file of yours, at most 5 MB in all",
            Control::File { accept: String::new() },
        );
        let typed = self.draft.unfinished.file_urls.get(list);
        let url = self.field(
            &ControlName::FileUrl(list.to_owned()),
            &format!("{message}#url"),
            "Or its https address",
            line(typed.cloned().unwrap_or_default()),
        );
        let index = message.rsplit('/').next().and_then(|index| index.parse().ok()).unwrap_or(0);
        items.extend([
            Item::Row { items: vec![Item::Field(upload), Item::Field(url)] },
            buttons(button(Verb::Attach.of(message), "Attach", &about(index))),
        ]);
        fold(dom_id(&format!("fold{message}")), "Files", !attached.is_empty() || typed.is_some(), items)
    }
}

fn about(index: usize) -> String {
    format!("message {}", index + 1)
}
