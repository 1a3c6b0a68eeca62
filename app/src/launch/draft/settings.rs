//! Settings that have several shapes in a spec and one select in the form.

use protocol::json_pointer::{remove, set};
use protocol::spec::DEFAULT_TOOL_BUDGETS;
use serde_json::{Map, Value, json};

use super::LaunchDraft;

pub struct Setting {
    pub name: &'static str,
    pub pointer: &'static str,
    /// Returns the choice that stands for a value.
    choice_of: fn(Option<&Value>) -> &'static str,
    /// Returns the default value of a choice; `None` leaves the field out.
    default_value: fn(&str) -> Option<Value>,
}

pub const REASONING: Setting = Setting {
    name: "x:reasoning",
    pointer: "/reasoningLevel",
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

pub const LOOPS: Setting = Setting {
    name: "x:loops",
    pointer: "/loopDetection",
    choice_of: |value| match value {
        None | Some(Value::Null) => "",
        Some(Value::Bool(false)) => "off",
        Some(_) => "custom",
    },
    default_value: |choice| match choice {
        "off" => Some(false.into()),
        "custom" => Some(json!({ "consecutiveThreshold": 3, "hardCutoffThreshold": 6 })),
        _ => None,
    },
};

pub const TOOL_BUDGETS: Setting = Setting {
    name: "x:tool-budgets",
    pointer: "/toolBudgets",
    choice_of: |value| match value {
        None | Some(Value::Null) => "",
        Some(_) => "custom",
    },
    default_value: |choice| {
        let row = |(tool, calls): (&str, u64)| (tool.to_owned(), json!({ "maxCalls": calls }));
        let defaults = || DEFAULT_TOOL_BUDGETS.into_iter().map(row).collect::<Map<_, _>>().into();
        (choice == "custom").then(defaults)
    },
};

pub const SUPERVISOR: Setting = Setting {
    name: "x:supervisor",
    pointer: "/supervisor",
    choice_of: |value| match value {
        None | Some(Value::Null) => "",
        Some(Value::Bool(true)) => "on",
        Some(Value::Bool(false)) => "off",
        Some(_) => "custom",
    },
    default_value: |choice| match choice {
        "on" => Some(true.into()),
        "off" => Some(false.into()),
        "custom" => Some(empty()),
        _ => None,
    },
};

pub const TRIGGER: Setting = Setting {
    name: "x:trigger",
    pointer: "/supervisor/reasoningTrigger",
    choice_of: |value| match value {
        None | Some(Value::Null) => "",
        Some(Value::Bool(false)) => "off",
        Some(_) => "custom",
    },
    default_value: |choice| match choice {
        "off" => Some(false.into()),
        "custom" => Some(empty()),
        _ => None,
    },
};

pub const PLAN: Setting = Setting {
    name: "x:plan",
    pointer: "/plan",
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

pub const OUTPUT: Setting = Setting {
    name: "x:output",
    pointer: "/outputSchema",
    choice_of: |value| match value {
        None | Some(Value::Null) => "",
        Some(_) => "schema",
    },
    default_value: |choice| {
        let schema = || json!({ "name": "answer", "schema": { "type": "object", "properties": {} } });
        (choice == "schema").then(schema)
    },
};

pub const ALL: [Setting; 7] = [REASONING, LOOPS, TOOL_BUDGETS, SUPERVISOR, TRIGGER, PLAN, OUTPUT];

impl Setting {
    pub fn choice_in(&self, spec: &Value) -> &'static str {
        (self.choice_of)(spec.pointer(self.pointer))
    }

    /// Writes a changed choice into the spec, and sets the old value aside.
    pub fn choose(&self, draft: &mut LaunchDraft, choice: &str) {
        let shown = self.choice_in(&draft.spec);
        if shown == choice {
            return;
        }
        draft.stash(self.name, shown, self.pointer);
        match draft.restore(self.name, choice).or_else(|| (self.default_value)(choice)) {
            Some(value) => set(&mut draft.spec, self.pointer, value),
            None => {
                remove(&mut draft.spec, self.pointer);
            }
        }
    }
}

/// Returns `prompt` or `messages`.
pub fn input_choice(spec: &Value) -> &'static str {
    if spec.get("messages").is_some_and(Value::is_array) { "messages" } else { "prompt" }
}

const INPUT: &str = "x:input";

/// Switches between a prompt and messages. A prompt is the same as a single user message, so its text moves along; other
/// messages are set aside.
pub fn choose_input(draft: &mut LaunchDraft, choice: &str) {
    if input_choice(&draft.spec) == choice {
        return;
    }
    if choice == "messages" {
        let messages = draft.restore(INPUT, "messages");
        if messages.is_some() {
            draft.stash(INPUT, "prompt", "/prompt");
        }
        let text = remove(&mut draft.spec, "/prompt").unwrap_or_else(|| "".into());
        draft.spec["messages"] = messages.unwrap_or_else(|| json!([{ "role": "user", "content": text }]));
        return;
    }
    let prompt = match prompt_of(&draft.spec["messages"]) {
        Some(text) => Some(text.into()),
        None => {
            draft.stash(INPUT, "messages", "/messages");
            draft.restore(INPUT, "prompt").or_else(|| last_text(&draft.spec["messages"]))
        }
    };
    remove(&mut draft.spec, "/messages");
    if let Some(prompt) = prompt {
        draft.spec["prompt"] = prompt;
    }
}

/// Returns the text of messages that are equivalent to a prompt.
fn prompt_of(messages: &Value) -> Option<String> {
    let [Value::Object(message)] = messages.as_array()?.as_slice() else { return None };
    let plain = message.len() == 2 && message.get("role").is_some_and(|role| role == "user");
    message.get("content").filter(|_| plain)?.as_str().map(str::to_owned)
}

fn last_text(messages: &Value) -> Option<Value> {
    let texts = messages.as_array().into_iter().flatten().filter(|message| message["role"] != "system");
    texts.map(|message| &message["content"]).rfind(|text| text.is_string()).cloned()
}

fn empty() -> Value {
    Value::Object(Map::new())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_value_of_a_choice_is_shown_as_that_choice() {
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
                let mut draft = LaunchDraft::from_spec(json!({ "supervisor": {} }));
                setting.choose(&mut draft, word);
                assert_eq!(setting.choice_in(&draft.spec), *word, "{}", setting.name);
            }
        }
    }

    #[test]
    fn custom_budgets_start_with_every_default() {
        let mut draft = LaunchDraft::from_spec(json!({}));
        TOOL_BUDGETS.choose(&mut draft, "custom");
        assert_eq!(draft.spec["toolBudgets"]["hive_search_deals"], json!({ "maxCalls": 5 }));
        assert_eq!(protocol::spec::tool_budgets(&draft.spec), protocol::spec::tool_budgets(&json!({})));
        assert_eq!(draft.spec["toolBudgets"].as_object().map(Map::len), Some(DEFAULT_TOOL_BUDGETS.len()));
    }

    #[test]
    fn making_the_same_choice_again_changes_nothing() {
        let mut draft = LaunchDraft::from_spec(json!({ "loopDetection": { "consecutiveThreshold": 9, "later": 1 } }));
        let before = draft.spec.clone();
        LOOPS.choose(&mut draft, "custom");
        assert_eq!(draft.spec, before);
    }

    #[test]
    fn a_value_is_restored_with_its_choice_also_from_a_saved_draft() {
        let spec = json!({ "reasoningLevel": 70, "loopDetection": { "consecutiveThreshold": 9 },
            "toolBudgets": { "recall": { "maxCalls": 1 } }, "supervisor": { "interval": 4 }, "plan": { "brief": "b" },
            "outputSchema": { "name": "o", "schema": { "properties": { "a": {} } } } });
        for setting in ALL.iter().filter(|setting| setting.name != TRIGGER.name) {
            let mut draft = LaunchDraft::from_spec(spec.clone());
            let text = format!("j{}/schema", setting.pointer);
            draft.invalid_texts.insert(text.clone(), "{ not yet".to_owned());
            let shown = setting.choice_in(&draft.spec);
            setting.choose(&mut draft, "");
            assert_eq!((draft.spec.pointer(setting.pointer), draft.invalid_texts.len()), (None, 0), "{}", setting.name);
            let draft = serde_json::to_string(&draft).expect("JSON");
            let mut draft: LaunchDraft = serde_json::from_str(&draft).expect("the draft");
            setting.choose(&mut draft, shown);
            assert_eq!((&draft.spec, draft.invalid_texts.contains_key(&text)), (&spec, true), "{}", setting.name);
        }
    }

    #[test]
    fn a_prompt_becomes_the_first_message_and_a_single_message_the_prompt() {
        let mut draft = LaunchDraft::from_spec(json!({ "prompt": "p" }));
        choose_input(&mut draft, "messages");
        assert_eq!(draft.spec, json!({ "messages": [{ "role": "user", "content": "p" }] }));
        draft.spec["messages"][0]["content"] = "q".into();
        choose_input(&mut draft, "prompt");
        assert_eq!(draft.spec, json!({ "prompt": "q" }));
    }

    #[test]
    fn other_messages_and_the_prompt_are_both_restored() {
        let messages = json!([{ "role": "user", "content": "a", "attachments": [{ "data": "QQ==" }] },
            { "role": "assistant", "content": "b" }, { "role": "user", "content": "c" }]);
        let mut draft = LaunchDraft::from_spec(json!({ "messages": messages }));
        choose_input(&mut draft, "prompt");
        assert_eq!(draft.spec, json!({ "prompt": "c" }));
        draft.spec["prompt"] = "mine".into();
        choose_input(&mut draft, "messages");
        assert_eq!(draft.spec, json!({ "messages": messages }));
        choose_input(&mut draft, "prompt");
        assert_eq!(draft.spec, json!({ "prompt": "mine" }));
    }
}
