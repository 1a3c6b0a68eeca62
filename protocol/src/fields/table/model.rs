//! The model, its fallback and its reasoning.

use crate::fields::shapes::REASONING;
use crate::fields::{Control, DefaultModel, Field, Rule, Section, Shown};
use crate::validate::settings;

pub const FIELDS: &[Field] = &[
    field("/modelId", "Model", Control::Model(DefaultModel::Workspace)),
    field("/fallbackModelId", "Fallback", Control::Model(DefaultModel::None))
        .help("Takes over when the first is not available.")
        .rule(Rule::Check(settings::check_fallback)),
    field("/reasoningLevel", "Reasoning", Control::Shapes(&REASONING))
        .help("How much the model thinks before it answers.")
        .rule(Rule::Is(
            |level| {
                matches!(level.as_str(), Some("off" | "low" | "medium" | "high"))
                    || level.as_u64().is_some_and(|level| level <= 100)
            },
            "choice",
            "Choose off, low, medium or high, or a whole number from 0 to 100.",
        ))
        .beside(),
    field("/reasoningLevel", "Level of reasoning", Control::Number { placeholder: "" })
        .help("0 to 100.")
        .shown(Shown::When(|spec| REASONING.choice_of(spec.get("reasoningLevel")) == "level")),
];

const fn field(pointer: &'static str, label: &'static str, control: Control) -> Field {
    Field::new(pointer, Section::Model, label, control)
}
