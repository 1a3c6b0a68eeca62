//! Settings that are one of several shapes in a spec, and one choice in the form.

use protocol::spec::DEFAULT_TOOL_BUDGETS;
use serde_json::{Map, Value, json};

use super::place::{remove, set};

/// One such setting: where it stands, and how its shapes are named.
pub struct Setting {
    pub name: &'static str,
    pub pointer: &'static str,
    /// The name of the shape that the spec has.
    pub shown: fn(Option<&Value>) -> &'static str,
    /// The simplest value of a shape; `None` where the field is left out.
    pub made: fn(&str) -> Option<Value>,
}

pub const REASONING: Setting = Setting {
    name: "x:reasoning",
    pointer: "/reasoningLevel",
    shown: |value| match value {
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
    made: |choice| match choice {
        "" => None,
        "level" => Some(50.into()),
        word => Some(word.into()),
    },
};

pub const LOOPS: Setting = Setting {
    name: "x:loops",
    pointer: "/loopDetection",
    shown: |value| match value {
        None | Some(Value::Null) => "",
        Some(Value::Bool(false)) => "off",
        Some(_) => "custom",
    },
    made: |choice| match choice {
        "off" => Some(false.into()),
        "custom" => Some(json!({ "consecutiveThreshold": 3, "hardCutoffThreshold": 6 })),
        _ => None,
    },
};

pub const TOOL_BUDGETS: Setting = Setting {
    name: "x:tool-budgets",
    pointer: "/toolBudgets",
    shown: |value| match value {
        None | Some(Value::Null) => "",
        Some(_) => "custom",
    },
    made: |choice| {
        let row = |(tool, calls): (&str, u64)| (tool.to_owned(), json!({ "maxCalls": calls }));
        let defaults = || DEFAULT_TOOL_BUDGETS.into_iter().map(row).collect::<Map<_, _>>().into();
        (choice == "custom").then(defaults)
    },
};

pub const SUPERVISOR: Setting = Setting {
    name: "x:supervisor",
    pointer: "/supervisor",
    shown: |value| match value {
        None | Some(Value::Null) => "",
        Some(Value::Bool(true)) => "on",
        Some(Value::Bool(false)) => "off",
        Some(_) => "custom",
    },
    made: |choice| match choice {
        "on" => Some(true.into()),
        "off" => Some(false.into()),
        "custom" => Some(empty()),
        _ => None,
    },
};

pub const TRIGGER: Setting = Setting {
    name: "x:trigger",
    pointer: "/supervisor/reasoningTrigger",
    shown: |value| match value {
        None | Some(Value::Null) => "",
        Some(Value::Bool(false)) => "off",
        Some(_) => "custom",
    },
    made: |choice| match choice {
        "off" => Some(false.into()),
        "custom" => Some(empty()),
        _ => None,
    },
};

pub const PLAN: Setting = Setting {
    name: "x:plan",
    pointer: "/plan",
    shown: |value| match value {
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
    made: |choice| match choice {
        "" => None,
        "on" => Some(true.into()),
        "none" => Some(false.into()),
        "custom" => Some(json!({ "mode": "auto" })),
        word => Some(word.into()),
    },
};

pub const OUTPUT: Setting = Setting {
    name: "x:output",
    pointer: "/outputSchema",
    shown: |value| match value {
        None | Some(Value::Null) => "",
        Some(_) => "schema",
    },
    made: |choice| {
        let schema = || json!({ "name": "answer", "schema": { "type": "object", "properties": {} } });
        (choice == "schema").then(schema)
    },
};

pub const ALL: [Setting; 7] = [REASONING, LOOPS, TOOL_BUDGETS, SUPERVISOR, TRIGGER, PLAN, OUTPUT];

impl Setting {
    pub fn shown_in(&self, spec: &Value) -> &'static str {
        (self.shown)(spec.pointer(self.pointer))
    }

    /// Takes up a choice that is another than the one that was shown.
    pub fn choose(&self, spec: &mut Value, choice: &str) {
        if self.shown_in(spec) == choice {
            return;
        }
        match (self.made)(choice) {
            Some(value) => set(spec, self.pointer, value),
            None => {
                remove(spec, self.pointer);
            }
        }
    }
}

/// Whether the input is one prompt or a list of messages.
pub fn input_shown(spec: &Value) -> &'static str {
    if spec.get("messages").is_some_and(Value::is_array) { "messages" } else { "prompt" }
}

pub fn choose_input(spec: &mut Value, choice: &str) {
    if input_shown(spec) == choice {
        return;
    }
    if choice == "messages" {
        let text = remove(spec, "/prompt").unwrap_or_else(|| "".into());
        spec["messages"] = json!([{ "role": "user", "content": text }]);
    } else if let Some(messages) = remove(spec, "/messages") {
        let texts = messages.as_array().into_iter().flatten().filter(|message| message["role"] != "system");
        if let Some(last) = texts.filter_map(|message| message["content"].as_str()).next_back() {
            spec["prompt"] = last.into();
        }
    }
}

fn empty() -> Value {
    Value::Object(Map::new())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_that_a_choice_makes_is_shown_as_that_choice() {
        let choices: [(&Setting, &[&str]); 7] = [
            (&REASONING, &["", "off", "low", "medium", "high", "level"]),
            (&LOOPS, &["", "off", "custom"]),
            (&TOOL_BUDGETS, &["", "custom"]),
            (&SUPERVISOR, &["", "on", "off", "custom"]),
            (&TRIGGER, &["", "off", "custom"]),
            (&PLAN, &["", "on", "none", "off", "auto", "required", "custom"]),
            (&OUTPUT, &["", "schema"]),
        ];
        for (setting, words) in choices {
            for word in words {
                let mut spec = json!({ "supervisor": {} });
                setting.choose(&mut spec, word);
                assert_eq!(setting.shown_in(&spec), *word, "{}", setting.name);
            }
        }
    }

    #[test]
    fn budgets_of_ones_own_begin_with_every_default() {
        let mut spec = json!({});
        TOOL_BUDGETS.choose(&mut spec, "custom");
        assert_eq!(spec["toolBudgets"]["hive_search_deals"], json!({ "maxCalls": 5 }));
        assert_eq!(protocol::spec::tool_budgets(&spec), protocol::spec::tool_budgets(&json!({})));
        assert_eq!(spec["toolBudgets"].as_object().map(Map::len), Some(DEFAULT_TOOL_BUDGETS.len()));
    }

    #[test]
    fn a_choice_that_is_made_already_leaves_the_setting_as_it_is() {
        let mut spec = json!({ "loopDetection": { "consecutiveThreshold": 9, "later": 1 } });
        let before = spec.clone();
        LOOPS.choose(&mut spec, "custom");
        assert_eq!(spec, before);
    }

    #[test]
    fn a_prompt_becomes_the_first_message_and_the_last_one_a_prompt() {
        let mut spec = json!({ "prompt": "p" });
        choose_input(&mut spec, "messages");
        assert_eq!(spec, json!({ "messages": [{ "role": "user", "content": "p" }] }));
        choose_input(&mut spec, "prompt");
        assert_eq!(spec, json!({ "prompt": "p" }));
    }
}
