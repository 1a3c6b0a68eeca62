//! Settings that have several shapes in a spec, and one select in the form.

use serde_json::{Map, Value, json};

use crate::spec::DEFAULT_TOOL_BUDGETS;

pub struct Shapes {
    /// Choices and labels.
    pub options: &'static [(&'static str, &'static str)],
    /// Returns the choice that stands for a value.
    pub choice_of: fn(Option<&Value>) -> &'static str,
    /// Returns the default value of a choice; `None` leaves the field out.
    pub default_value: fn(&str) -> Option<Value>,
}

impl Shapes {
    /// The settings of a `custom` choice have controls if they are an object, or a number.
    pub(super) fn can_show(&self, value: &Value) -> bool {
        match (self.choice_of)(Some(value)) {
            "" => false,
            "custom" | "schema" => value.is_object(),
            "level" => value.is_u64(),
            _ => true,
        }
    }
}

const CUSTOM: (&str, &str) = ("custom", "Custom");

pub static REASONING: Shapes = Shapes {
    options: &[
        ("", "Model default"),
        ("off", "Off"),
        ("low", "Low"),
        ("medium", "Medium"),
        ("high", "High"),
        ("level", "A level from 0 to 100"),
    ],
    choice_of: |value| match value {
        None | Some(Value::Null) => "",
        Some(Value::String(word)) => match word.as_str() {
            "off" => "off",
            "low" => "low",
            "medium" => "medium",
            "high" => "high",
            _ => "level",
        },
        Some(_) => "level",
    },
    default_value: |choice| match choice {
        "" => None,
        "level" => Some(50.into()),
        word => Some(word.into()),
    },
};

pub static LOOPS: Shapes = Shapes {
    options: &[("", "Default: nudge after 3 identical steps, give up after 6"), ("off", "Off"), CUSTOM],
    choice_of: off_or_custom,
    default_value: |choice| match choice {
        "off" => Some(false.into()),
        "custom" => Some(json!({ "consecutiveThreshold": 3, "hardCutoffThreshold": 6 })),
        _ => None,
    },
};

pub static TOOL_BUDGETS: Shapes = Shapes {
    options: &[("", "Default"), ("custom", "Custom, over the defaults (none listed: no limits)")],
    choice_of: |value| if value.is_none_or(Value::is_null) { "" } else { "custom" },
    default_value: |choice| {
        let row = |(tool, calls): (&str, u64)| (tool.to_owned(), json!({ "maxCalls": calls }));
        let defaults = || DEFAULT_TOOL_BUDGETS.into_iter().map(row).collect::<Map<_, _>>().into();
        (choice == "custom").then(defaults)
    },
};

pub static SUPERVISOR: Shapes = Shapes {
    options: &[("", "Default"), ("on", "On"), ("off", "Off"), CUSTOM],
    choice_of: |value| match value {
        None | Some(Value::Null) => "",
        Some(Value::Bool(true)) => "on",
        Some(Value::Bool(false)) => "off",
        Some(_) => "custom",
    },
    default_value: |choice| match choice {
        "on" => Some(true.into()),
        "off" => Some(false.into()),
        "custom" => Some(json!({})),
        _ => None,
    },
};

pub static TRIGGER: Shapes = Shapes {
    options: &[("", "Default"), ("off", "Off"), CUSTOM],
    choice_of: off_or_custom,
    default_value: |choice| match choice {
        "off" => Some(false.into()),
        "custom" => Some(json!({})),
        _ => None,
    },
};

pub static PLAN: Shapes = Shapes {
    options: &[("", "Default"), ("off", "Off"), ("auto", "When it helps"), ("required", "Always"), CUSTOM],
    choice_of: |value| match value {
        None | Some(Value::Null) => "",
        Some(Value::Bool(true)) => "on",
        Some(Value::Bool(false)) => "none",
        Some(Value::String(word)) => match word.as_str() {
            "off" => "off",
            "auto" => "auto",
            "required" => "required",
            _ => "custom",
        },
        Some(_) => "custom",
    },
    default_value: |choice| match choice {
        "" => None,
        "on" => Some(true.into()),
        "none" => Some(false.into()),
        "custom" => Some(json!({ "mode": "auto" })),
        word => Some(word.into()),
    },
};

pub static OUTPUT: Shapes = Shapes {
    options: &[("", "Free text"), ("schema", "JSON that fits a schema")],
    choice_of: |value| if value.is_none_or(Value::is_null) { "" } else { "schema" },
    default_value: |choice| {
        let schema = || json!({ "name": "answer", "schema": { "type": "object", "properties": {} } });
        (choice == "schema").then(schema)
    },
};

fn off_or_custom(value: Option<&Value>) -> &'static str {
    match value {
        None | Some(Value::Null) => "",
        Some(Value::Bool(false)) => "off",
        Some(_) => "custom",
    }
}
