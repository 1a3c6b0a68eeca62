//! A sample answer, to try the output schema with.

use app::launch::ControlKind;
use app::launch::draft::json_error;
use app::model::launch::Tone;

use super::controls::{PageBuilder, button, buttons, code_area, fold};
use super::items::Item;
use crate::launch::form::Verb;

impl PageBuilder<'_> {
    pub fn sample(&self) -> Item {
        let name = ControlKind::Other.at("sample");
        let text = self.draft.unfinished.text(&name);
        let control = code_area(text, 3, "{ }");
        let mut field = self.field(name, "A sample answer", "", control);
        let mut outcome = None;
        match json_error::parse(text) {
            _ if text.trim().is_empty() => {}
            Err(message) => field.error = Some(message),
            Ok(value) => {
                let problems = protocol::schema::check(&self.spec()["outputSchema"]["schema"], &value);
                let lines = problems.iter().take(5).map(|problem| format!("{} {}", problem.path, problem.message));
                let lines: Vec<String> = lines.collect();
                let (tone, text) = match lines.as_slice() {
                    [] => (Tone::Success, "The sample fits the schema.".to_owned()),
                    lines => (Tone::Warning, format!("The sample does not fit: {}", lines.join(" · "))),
                };
                outcome = Some(Item::Note { tone, text });
            }
        }
        let check = buttons(button(Verb::Update, "Check the sample", ""));
        let items = [Item::Field(field)].into_iter().chain(outcome).chain([check]).collect();
        fold("fold-sample", "Try the schema with a sample", !text.is_empty(), items)
    }
}
