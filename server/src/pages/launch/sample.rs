//! A sample answer, to try the output schema with.

use app::launch::draft::json_error;
use app::launch::{ControlName, Verb};
use app::model::launch::{Item, Tone};

use super::controls::{PageBuilder, button, buttons, code_area, fold};

impl PageBuilder<'_> {
    pub fn sample(&self) -> Item {
        let text = &self.draft.unfinished.sample;
        let control = code_area(text, 3, "{ }");
        let mut field = self.field(&ControlName::Other("sample"), "/sample", "A sample answer", "", control);
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
