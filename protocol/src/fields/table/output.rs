//! The output schema.

use crate::fields::shapes::OUTPUT;
use crate::fields::{Control, Field, Rule, Section};
use crate::ids::is_schema_name;
use crate::validate::output_schema;

pub const FIELDS: &[Field] = &[
    field("/outputSchema", "Output format", Control::Shapes(&OUTPUT))
        .rule(Rule::Check(output_schema::check_output_schema)),
    field("/outputSchema/name", "Name", Control::Line).help("Letters, digits, _ and -, at most 64.").rule(
        Rule::formatted(
            false,
            is_schema_name,
            "pattern",
            "The name may use letters, digits, _ and -, at most 64. Rename it.",
        ),
    ),
    field(
        "/outputSchema/enforcement",
        "Enforced",
        Control::Select(&[("", "Default"), ("best_effort", "Best effort"), ("strict", "Strictly")]),
    )
    .rule(Rule::Choice(&["best_effort", "strict"]))
    .beside(),
    field("/outputSchema/schema", "Properties", Control::Schema)
        .help("the fields that the answer must have.")
        .rule(Rule::Schema(Some("Enter a JSON Schema that describes the answer."))),
];

const fn field(pointer: &'static str, label: &'static str, control: Control) -> Field {
    Field::new(pointer, Section::Output, label, control)
}
