//! What the model is asked, and who it is told to be.

use serde_json::{Map, Value};

use super::attachments;
use super::faults::{Faults, is_longer, present};

const MAX_MESSAGES: usize = 200;
const MAX_CHARS: usize = 200_000;

pub(super) fn check(spec: &Map<String, Value>, faults: &mut Faults) {
    match (present(spec, "prompt"), present(spec, "messages")) {
        (Some(_), Some(_)) => {
            faults.add_at("messages", "conflict", "Give either a prompt or messages, not both.");
        }
        (None, None) => faults.add_at("prompt", "required", "Say what the run should do: write a prompt."),
        (Some(prompt), None) => faults.at("prompt", |faults| text(prompt, true, faults)),
        (None, Some(messages)) => faults.at("messages", |faults| check_messages(messages, faults)),
    }
}

/// A session starts silent.
pub(super) fn check_absent(spec: &Map<String, Value>, faults: &mut Faults) {
    for field in ["prompt", "messages"] {
        if spec.contains_key(field) {
            let message = "A session starts without a message. Send this as the session's first message instead.";
            faults.add_at(field, "not_allowed", message);
        }
    }
}

pub(super) fn check_identity(spec: &Map<String, Value>, faults: &mut Faults) {
    let filled = |value: Option<&Value>| value.and_then(Value::as_str).is_some_and(|text| !text.trim().is_empty());
    let messages = spec.get("messages").and_then(Value::as_array).into_iter().flatten();
    let mut system_messages = messages.filter(|message| message["role"] == "system");
    let is_somebody = filled(spec.get("systemPrompt"))
        || filled(spec.get("agentId"))
        || system_messages.any(|message| filled(message.get("content")));
    if !is_somebody {
        let message = "Say who the agent is: write a system prompt, choose a saved agent, or add a system message.";
        faults.add_at("systemPrompt", "required", message);
    }
}

fn check_messages(messages: &Value, faults: &mut Faults) {
    let Some(messages) = messages.as_array() else {
        return faults.add("type", "Messages are a list.");
    };
    if messages.is_empty() {
        return faults.add("too_few", "Add at least one message.");
    }
    if messages.len() > MAX_MESSAGES {
        faults.add("too_many", format!("A run may have at most {MAX_MESSAGES} messages. Leave out the oldest ones."));
    }
    let mut inline = attachments::Inline::default();
    for (i, message) in messages.iter().enumerate() {
        faults.at(i, |faults| match message.as_object() {
            Some(message) => check_message(message, &mut inline, faults),
            None => faults.add("type", "A message has a role and a content."),
        });
    }
    let last = messages.iter().rposition(|message| message["role"] != "system");
    if !last.is_some_and(|i| messages[i]["role"] == "user") {
        let i = last.unwrap_or(messages.len() - 1);
        let message = "The last message must come from the user. Add one at the end.";
        faults.at(i, |faults| faults.add_at("role", "last_role", message));
    }
}

fn check_message(message: &Map<String, Value>, inline: &mut attachments::Inline, faults: &mut Faults) {
    if !matches!(message.get("role").and_then(Value::as_str), Some("user" | "assistant" | "system")) {
        faults.add_at("role", "choice", "Choose who speaks: user, assistant or system.");
    }
    let attached = present(message, "attachments");
    let content = message.get("content").unwrap_or(&Value::Null);
    faults.at("content", |faults| text(content, attached.is_none(), faults));
    if let Some(attached) = attached {
        faults.at("attachments", |faults| attachments::check(attached, inline, faults));
    }
}

fn text(value: &Value, is_needed: bool, faults: &mut Faults) {
    match value.as_str() {
        None => faults.add("type", "Write a text here."),
        Some("") if is_needed => faults.add("required", "Write a text here."),
        Some(text) if is_longer(text, MAX_CHARS) => {
            faults
                .add("too_long", "This text may have at most 200,000 characters. Shorten it, or attach it as a file.");
        }
        Some(_) => {}
    }
}
