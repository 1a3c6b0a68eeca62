//! Settings that have several shapes in a spec, and one select in the form.

use serde_json::{Map, Value, json};

use crate::spec::DEFAULT_TOOL_BUDGETS;

/// Choices, their labels and the values that they stand for. A choice without a label is shown only while it is chosen.
pub struct Shapes(&'static [(&'static str, &'static str, Shape)]);

pub enum Shape {
    /// The field is left out.
    Absent,
    /// The choice itself.
    Word,
    Flag(bool),
    /// Any other value, with its default. It has controls if it is a number.
    Number(u64),
    /// Any other value, with its default. It has controls if it is an object.
    Object(fn() -> Value),
}

impl Shapes {
    pub fn options(&self) -> Vec<(&'static str, &'static str)> {
        let labelled = self.0.iter().filter(|(_, label, _)| !label.is_empty());
        labelled.map(|(choice, label, _)| (*choice, *label)).collect()
    }

    /// Returns the choice that stands for a value.
    pub fn choice_of(&self, value: Option<&Value>) -> &'static str {
        let value = value.unwrap_or(&Value::Null);
        let stands_for = |choice: &str, shape: &Shape| match shape {
            Shape::Absent => value.is_null(),
            Shape::Word => value == choice,
            Shape::Flag(on) => value == on,
            Shape::Number(_) | Shape::Object(_) => true,
        };
        self.0.iter().find(|(choice, _, shape)| stands_for(choice, shape)).map_or("", |(choice, _, _)| choice)
    }

    /// Returns the default value of a choice; `None` leaves the field out.
    pub fn default_value(&self, choice: &str) -> Option<Value> {
        match self.shape(choice)? {
            Shape::Absent => None,
            Shape::Word => Some(choice.into()),
            Shape::Flag(on) => Some((*on).into()),
            Shape::Number(number) => Some((*number).into()),
            Shape::Object(default) => Some(default()),
        }
    }

    pub(super) fn can_show(&self, value: &Value) -> bool {
        match self.shape(self.choice_of(Some(value))) {
            None | Some(Shape::Absent) => false,
            Some(Shape::Number(_)) => value.is_u64(),
            Some(Shape::Object(_)) => value.is_object(),
            Some(Shape::Word | Shape::Flag(_)) => true,
        }
    }

    fn shape(&self, choice: &str) -> Option<&Shape> {
        self.0.iter().find(|(other, _, _)| *other == choice).map(|(_, _, shape)| shape)
    }
}

const DEFAULT: (&str, &str, Shape) = ("", "Default", Shape::Absent);
const OFF: (&str, &str, Shape) = ("off", "Off", Shape::Flag(false));

pub static REASONING: Shapes = Shapes(&[
    ("", "Model default", Shape::Absent),
    ("off", "Off", Shape::Word),
    ("low", "Low", Shape::Word),
    ("medium", "Medium", Shape::Word),
    ("high", "High", Shape::Word),
    ("level", "A level from 0 to 100", Shape::Number(50)),
]);

pub static LOOPS: Shapes = Shapes(&[
    ("", "Default: nudge after 3 identical steps, give up after 6", Shape::Absent),
    OFF,
    ("custom", "Custom", Shape::Object(|| json!({ "consecutiveThreshold": 3, "hardCutoffThreshold": 6 }))),
]);

pub static TOOL_BUDGETS: Shapes = Shapes(&[
    DEFAULT,
    ("custom", "Custom, over the defaults (none listed: no limits)", Shape::Object(default_tool_budgets)),
]);

pub static SUPERVISOR: Shapes =
    Shapes(&[DEFAULT, ("on", "On", Shape::Flag(true)), OFF, ("custom", "Custom", Shape::Object(|| json!({})))]);

pub static TRIGGER: Shapes = Shapes(&[DEFAULT, OFF, ("custom", "Custom", Shape::Object(|| json!({})))]);

pub static PLAN: Shapes = Shapes(&[
    DEFAULT,
    ("on", "", Shape::Flag(true)),
    ("none", "", Shape::Flag(false)),
    ("off", "Off", Shape::Word),
    ("auto", "When it helps", Shape::Word),
    ("required", "Always", Shape::Word),
    ("custom", "Custom", Shape::Object(|| json!({ "mode": "auto" }))),
]);

pub static OUTPUT: Shapes = Shapes(&[
    ("", "Free text", Shape::Absent),
    (
        "schema",
        "JSON that fits a schema",
        Shape::Object(|| json!({ "name": "answer", "schema": { "type": "object", "properties": {} } })),
    ),
]);

fn default_tool_budgets() -> Value {
    let row = |(tool, calls): (&str, u64)| (tool.to_owned(), json!({ "maxCalls": calls }));
    DEFAULT_TOOL_BUDGETS.into_iter().map(row).collect::<Map<_, _>>().into()
}
