//! Sections that are folded, with a summary of what is set in them.

use protocol::fields::{Control, Field, Section};
use protocol::json::preview;
use serde_json::Value;

use super::controls::PageBuilder;

/// Characters of one value in a summary.
const VALUE_CHARS: usize = 40;

impl PageBuilder<'_> {
    /// Returns what is set, and whether the section is open. The prompt, the model and the tools always are.
    pub fn section_fold(&self, section: Section) -> Option<(String, bool)> {
        let nothing_set = match section {
            Section::Input | Section::Model | Section::Tools => return None,
            Section::Limits => "Defaults",
            Section::Output => "Free text",
            Section::Metadata => "None",
        };
        let is_shown = |field: &&Field| self.fields.is_shown(field, self.spec(), field.pointer);
        let fields: Vec<&Field> = self.fields.in_section(section).filter(is_shown).collect();
        let values: Vec<String> = fields.iter().filter_map(|field| self.summary_of(field)).collect();
        let summary = if values.is_empty() { nothing_set.to_owned() } else { values.join(" · ") };
        Some((summary, fields.iter().any(|field| self.error_inside(field.pointer).is_some())))
    }

    fn summary_of(&self, field: &Field) -> Option<String> {
        let value = self.spec().pointer(field.pointer).filter(|value| !value.is_null())?;
        match (field.control, value) {
            // Their fields have controls of their own.
            (Control::Parts, _) | (Control::Shapes(_), Value::Object(_)) => None,
            (Control::Map(map), Value::Object(entries)) => {
                let pairs = entries.iter().map(|(key, value)| labelled(key, value.pointer(map.inner)));
                Some(pairs.collect::<Vec<_>>().join(" · ")).filter(|pairs| !pairs.is_empty())
            }
            _ => Some(labelled(field.label, Some(value))),
        }
    }
}

fn labelled(label: &str, value: Option<&Value>) -> String {
    match value {
        Some(Value::Bool(on)) => format!("{label}: {}", if *on { "on" } else { "off" }),
        Some(Value::String(text)) => format!("{label}: {}", preview(text, VALUE_CHARS)),
        Some(Value::Number(number)) => format!("{label}: {number}"),
        _ => label.to_owned(),
    }
}
