//! Switches a setting between its shapes, and the input between a prompt and messages.

use protocol::fields::Shapes;
use protocol::json_pointer::{remove, set};
use serde_json::{Value, json};

use super::LaunchDraft;

/// Writes a changed choice into the spec, and sets the old value aside.
pub fn choose(draft: &mut LaunchDraft, pointer: &str, shapes: &Shapes, choice: &str) {
    let shown = shapes.choice_of(draft.spec.pointer(pointer));
    if shown == choice {
        return;
    }
    draft.stash(pointer, shown, pointer);
    match draft.restore(pointer, choice).or_else(|| shapes.default_value(choice)) {
        Some(value) => set(&mut draft.spec, pointer, value),
        None => drop(remove(&mut draft.spec, pointer)),
    }
}

/// Returns `prompt` or `messages`.
pub fn input_choice(spec: &Value) -> &'static str {
    if spec.get("messages").is_some_and(Value::is_array) { "messages" } else { "prompt" }
}

const INPUT: &str = "input";

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

#[cfg(test)]
mod tests {
    use protocol::fields::{Control, SPEC_FIELDS};
    use serde_json::Map;

    use super::*;

    fn all() -> impl Iterator<Item = (&'static str, &'static Shapes)> {
        SPEC_FIELDS.all().filter_map(|field| match field.control {
            Control::Shapes(shapes) => Some((field.pointer, shapes)),
            _ => None,
        })
    }

    #[test]
    fn the_default_value_of_a_choice_is_shown_as_that_choice() {
        assert_eq!(all().count(), 7);
        for (pointer, shapes) in all() {
            for (choice, _) in shapes.options() {
                let mut draft = LaunchDraft::from_spec(json!({ "supervisor": {} }));
                choose(&mut draft, pointer, shapes, choice);
                assert_eq!(shapes.choice_of(draft.spec.pointer(pointer)), choice, "{pointer}");
                let before = draft.spec.clone();
                choose(&mut draft, pointer, shapes, choice);
                assert_eq!(draft.spec, before, "the same choice again changes nothing");
                if (pointer, choice) == ("/toolBudgets", "custom") {
                    assert_eq!(protocol::spec::tool_budgets(&draft.spec), protocol::spec::tool_budgets(&json!({})));
                    assert_eq!(draft.spec["toolBudgets"].as_object().map(Map::len), Some(12));
                }
            }
        }
    }

    #[test]
    fn a_value_is_restored_with_its_choice_also_from_a_saved_draft() {
        let spec = json!({ "reasoningLevel": 70, "loopDetection": { "consecutiveThreshold": 9 },
            "toolBudgets": { "recall": { "maxCalls": 1 } }, "supervisor": { "interval": 4 }, "plan": { "brief": "b" },
            "outputSchema": { "name": "o", "schema": { "properties": { "a": {} } } } });
        for (pointer, shapes) in all().filter(|(pointer, _)| spec.pointer(pointer).is_some()) {
            let mut draft = LaunchDraft::from_spec(spec.clone());
            let text = format!("field:{pointer}/schema");
            draft.unfinished.texts.insert(text.clone(), "{ not yet".to_owned());
            let shown = shapes.choice_of(draft.spec.pointer(pointer));
            choose(&mut draft, pointer, shapes, "");
            assert_eq!((draft.spec.pointer(pointer), draft.unfinished.texts.len()), (None, 0), "{pointer}");
            let draft = serde_json::to_string(&draft).expect("JSON");
            let mut draft: LaunchDraft = serde_json::from_str(&draft).expect("the draft");
            choose(&mut draft, pointer, shapes, shown);
            assert_eq!((&draft.spec, draft.unfinished.texts.contains_key(&text)), (&spec, true), "{pointer}");
        }
    }

    #[test]
    fn prompt_and_messages_are_both_restored() {
        let mut draft = LaunchDraft::from_spec(json!({ "prompt": "p" }));
        choose_input(&mut draft, "messages");
        assert_eq!(draft.spec, json!({ "messages": [{ "role": "user", "content": "p" }] }));
        draft.spec["messages"][0]["content"] = "q".into();
        choose_input(&mut draft, "prompt");
        assert_eq!(draft.spec, json!({ "prompt": "q" }));

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
