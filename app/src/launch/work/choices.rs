//! Settings that are one of several shapes in a spec, and one choice in the form.

use protocol::spec::DEFAULT_TOOL_BUDGETS;
use serde_json::{Map, Value, json};

use super::Work;
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

    /// Takes up a choice that is another than the one that was shown. What was there comes back with its own choice.
    pub fn choose(&self, work: &mut Work, choice: &str) {
        let shown = self.shown_in(&work.spec);
        if shown == choice {
            return;
        }
        work.leave(self.name, shown, self.pointer);
        match work.take_up(self.name, choice).or_else(|| (self.made)(choice)) {
            Some(value) => set(&mut work.spec, self.pointer, value),
            None => {
                remove(&mut work.spec, self.pointer);
            }
        }
    }
}

/// Whether the input is one prompt or a list of messages.
pub fn input_shown(spec: &Value) -> &'static str {
    if spec.get("messages").is_some_and(Value::is_array) { "messages" } else { "prompt" }
}

const INPUT: &str = "x:input";

/// A prompt is the same as one message of a person: the text goes along then. What says more comes back with its own choice.
pub fn choose_input(work: &mut Work, choice: &str) {
    if input_shown(&work.spec) == choice {
        return;
    }
    if choice == "messages" {
        let messages = work.take_up(INPUT, "messages");
        if messages.is_some() {
            work.leave(INPUT, "prompt", "/prompt");
        }
        let text = remove(&mut work.spec, "/prompt").unwrap_or_else(|| "".into());
        work.spec["messages"] = messages.unwrap_or_else(|| json!([{ "role": "user", "content": text }]));
        return;
    }
    let prompt = match prompt_of(&work.spec["messages"]) {
        Some(text) => Some(text.into()),
        None => {
            work.leave(INPUT, "messages", "/messages");
            work.take_up(INPUT, "prompt").or_else(|| last_text(&work.spec["messages"]))
        }
    };
    remove(&mut work.spec, "/messages");
    if let Some(prompt) = prompt {
        work.spec["prompt"] = prompt;
    }
}

/// The text of messages that say no more than a prompt does.
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
                let mut work = Work::of(json!({ "supervisor": {} }));
                setting.choose(&mut work, word);
                assert_eq!(setting.shown_in(&work.spec), *word, "{}", setting.name);
            }
        }
    }

    #[test]
    fn budgets_of_ones_own_begin_with_every_default() {
        let mut work = Work::of(json!({}));
        TOOL_BUDGETS.choose(&mut work, "custom");
        assert_eq!(work.spec["toolBudgets"]["hive_search_deals"], json!({ "maxCalls": 5 }));
        assert_eq!(protocol::spec::tool_budgets(&work.spec), protocol::spec::tool_budgets(&json!({})));
        assert_eq!(work.spec["toolBudgets"].as_object().map(Map::len), Some(DEFAULT_TOOL_BUDGETS.len()));
    }

    #[test]
    fn a_choice_that_is_made_already_leaves_the_setting_as_it_is() {
        let mut work = Work::of(json!({ "loopDetection": { "consecutiveThreshold": 9, "later": 1 } }));
        let before = work.spec.clone();
        LOOPS.choose(&mut work, "custom");
        assert_eq!(work.spec, before);
    }

    #[test]
    fn what_a_choice_leaves_behind_comes_back_with_it_also_from_a_draft() {
        let spec = json!({ "reasoningLevel": 70, "loopDetection": { "consecutiveThreshold": 9 },
            "toolBudgets": { "recall": { "maxCalls": 1 } }, "supervisor": { "interval": 4 }, "plan": { "brief": "b" },
            "outputSchema": { "name": "o", "schema": { "properties": { "a": {} } } } });
        for setting in ALL.iter().filter(|setting| setting.name != TRIGGER.name) {
            let mut work = Work::of(spec.clone());
            let text = format!("j{}/schema", setting.pointer);
            work.texts.insert(text.clone(), "{ not yet".to_owned());
            let shown = setting.shown_in(&work.spec);
            setting.choose(&mut work, "");
            assert_eq!((work.spec.pointer(setting.pointer), work.texts.len()), (None, 0), "{}", setting.name);
            let draft = serde_json::to_string(&work).expect("JSON");
            let mut work: Work = serde_json::from_str(&draft).expect("the draft");
            setting.choose(&mut work, shown);
            assert_eq!((&work.spec, work.texts.contains_key(&text)), (&spec, true), "{}", setting.name);
        }
    }

    #[test]
    fn a_prompt_becomes_the_first_message_and_the_only_one_a_prompt() {
        let mut work = Work::of(json!({ "prompt": "p" }));
        choose_input(&mut work, "messages");
        assert_eq!(work.spec, json!({ "messages": [{ "role": "user", "content": "p" }] }));
        work.spec["messages"][0]["content"] = "q".into();
        choose_input(&mut work, "prompt");
        assert_eq!(work.spec, json!({ "prompt": "q" }));
    }

    #[test]
    fn messages_that_are_more_than_a_prompt_come_back_and_so_does_the_prompt() {
        let messages = json!([{ "role": "user", "content": "a", "attachments": [{ "data": "QQ==" }] },
            { "role": "assistant", "content": "b" }, { "role": "user", "content": "c" }]);
        let mut work = Work::of(json!({ "messages": messages }));
        choose_input(&mut work, "prompt");
        assert_eq!(work.spec, json!({ "prompt": "c" }));
        work.spec["prompt"] = "mine".into();
        choose_input(&mut work, "messages");
        assert_eq!(work.spec, json!({ "messages": messages }));
        choose_input(&mut work, "prompt");
        assert_eq!(work.spec, json!({ "prompt": "mine" }));
    }
}
