//! A sample answer, to try the output schema with.

use app::launch::draft::json_error;
use app::launch::{ControlName, Verb};
use app::model::launch::{Item, Tone};
use serde_json::Value;

use super::controls::{PageBuilder, button, buttons, code_area, fold};

impl PageBuilder<'_> {
    /// A sample answer, checked against the output schema.
    pub fn sample(&self) -> Item {
        let text = &self.draft.unfinished.sample;
        let control = code_area(text, 3, "{ }");
        let mut field = self.field(&ControlName::Other("sample"), "/sample", "A sample answer", control);
        let outcome = match json_error::parse(text) {
            _ if text.trim().is_empty() => None,
            Err(message) => {
                field.error = Some(message);
                None
            }
            Ok(value) => Some(sample_outcome(&self.spec()["outputSchema"]["schema"], &value)),
        };
        let mut items = vec![Item::Field(field)];
        items.extend(outcome);
        items.push(buttons(button(Verb::Update, "Check the sample", "")));
        fold("fold-sample".to_owned(), "Try the schema with a sample", !text.is_empty(), items)
    }
}

fn sample_outcome(schema: &Value, value: &Value) -> Item {
    let problems = protocol::schema::check(schema, value);
    if problems.is_empty() {
        return Item::Note { tone: Tone::Success, text: "The sample fits the schema.".to_owned() };
    }
    let lines: Vec<String> =
        problems.iter().take(5).map(|problem| format!("{} {}", problem.path, problem.message)).collect();
    Item::Note { tone: Tone::Warning, text: format!("The sample does not fit: {}", lines.join(" · ")) }
}
