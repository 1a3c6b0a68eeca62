//! The messages of the input, with their files.

use app::launch::ControlKind;
use app::launch::control_name::dom_id;
use app::model::launch::Tone;
use serde_json::Value;

use super::controls::{PageBuilder, button, buttons, fold, line, note};
use super::items::{Control, Group, GroupRole, Item};
use crate::launch::form::Verb;

impl PageBuilder<'_> {
    pub fn messages(&self) -> Vec<Item> {
        let count = self.spec()["messages"].as_array().map_or(0, Vec::len);
        let add = buttons(button(Verb::AddMessage, "Add a message", ""));
        (0..count).map(|i| self.message(i)).chain([add]).collect()
    }

    fn message(&self, index: usize) -> Item {
        let place = format!("/messages/{index}");
        let title = format!("Message {}", index + 1);
        let mut items = self.items(self.fields.fields_of("/messages/*"), &place);
        items.push(buttons(button(Verb::Remove.of(&place), "Remove", &title.to_lowercase())));
        Item::Group(Group { id: dom_id(&place), role: GroupRole::Card, title, items, ..Group::default() })
    }

    /// The files of a message, and controls that attach another one.
    pub fn attachments(&self, list: &str) -> Item {
        let message = list.trim_end_matches("/attachments");
        let attached = self.spec().pointer(list).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let mut items = Vec::new();
        for (index, file) in attached.iter().enumerate() {
            let place = format!("{list}/{index}");
            let name = file["filename"].as_str().or(file["url"].as_str()).unwrap_or("file");
            items.push(match self.error_inside(&place) {
                Some(error) => Item::Note { tone: Tone::Error, text: format!("{name}: {error}") },
                None => note(format!("{name} is attached.")),
            });
            items.push(buttons(button(Verb::Remove.of(place), "Remove", name)));
        }
        let file = Control::File { accept: String::new() };
        let (file_name, url_name) = (ControlKind::File.at(list), ControlKind::FileUrl.at(list));
        let typed = self.draft.unfinished.text(&url_name);
        let index = message.rsplit('/').next().and_then(|index| index.parse::<usize>().ok()).unwrap_or(0);
        items.extend([
            Item::Row(vec![
                self.control(file_name, "Your file, at most 5 MB in total", "", file),
                self.control(url_name, "Or its https address", "", line(typed)),
            ]),
            buttons(button(Verb::Attach.of(message), "Attach", &format!("message {}", index + 1))),
        ]);
        fold(dom_id(&format!("fold{message}")), "Files", !attached.is_empty() || !typed.is_empty(), items)
    }
}
