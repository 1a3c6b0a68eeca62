//! The prompt or the messages, and the identity of the agent.

use serde_json::{Map, Value};

use super::attachments;
use super::report::{Report, is_longer, present};

const MAX_MESSAGES: usize = 200;
const MAX_CHARS: usize = 200_000;

pub(super) fn check(spec: &Map<String, Value>, report: &mut Report) {
    match (present(spec, "prompt"), present(spec, "messages")) {
        (Some(_), Some(_)) => {
            report.add_at("messages", "conflict", "Give either a prompt or messages, not both.");
        }
        (None, None) => report.add_at("prompt", "required", "Say what the run should do: write a prompt."),
        (Some(prompt), None) => report.at("prompt", |report| text(prompt, true, report)),
        (None, Some(messages)) => report.at("messages", |report| check_messages(messages, report)),
    }
}

/// A session starts without a message.
pub(super) fn check_absent(spec: &Map<String, Value>, report: &mut Report) {
    for field in ["prompt", "messages"] {
        if spec.contains_key(field) {
            let message = "A session starts without a message. Send this as the session's first message instead.";
            report.add_at(field, "not_allowed", message);
        }
    }
}

pub(super) fn check_identity(spec: &Map<String, Value>, report: &mut Report) {
    let filled = |value: Option<&Value>| value.and_then(Value::as_str).is_some_and(|text| !text.trim().is_empty());
    let messages = spec.get("messages").and_then(Value::as_array).into_iter().flatten();
    let mut system_messages = messages.filter(|message| message["role"] == "system");
    let has_identity = filled(spec.get("systemPrompt"))
        || filled(spec.get("agentId"))
        || system_messages.any(|message| filled(message.get("content")));
    if !has_identity {
        let message = "Say who the agent is: write a system prompt, choose a saved agent, or add a system message.";
        report.add_at("systemPrompt", "required", message);
    }
}

fn check_messages(messages: &Value, report: &mut Report) {
    let Some(messages) = messages.as_array() else {
        return report.add("type", "Messages are a list.");
    };
    if messages.is_empty() {
        return report.add("too_few", "Add at least one message.");
    }
    if messages.len() > MAX_MESSAGES {
        report.add("too_many", format!("A run may have at most {MAX_MESSAGES} messages. Leave out the oldest ones."));
    }
    let mut inline = attachments::Inline::default();
    for (i, message) in messages.iter().enumerate() {
        report.at(i, |report| match message.as_object() {
            Some(message) => check_message(message, &mut inline, report),
            None => report.add("type", "A message has a role and a content."),
        });
    }
    let last = messages.iter().rposition(|message| message["role"] != "system");
    if !last.is_some_and(|i| messages[i]["role"] == "user") {
        let i = last.unwrap_or(messages.len() - 1);
        let message = "The last message must come from the user. Add one at the end.";
        report.at(i, |report| report.add_at("role", "last_role", message));
    }
}

fn check_message(message: &Map<String, Value>, inline: &mut attachments::Inline, report: &mut Report) {
    if !matches!(message.get("role").and_then(Value::as_str), Some("user" | "assistant" | "system")) {
        report.add_at("role", "choice", "Choose who speaks: user, assistant or system.");
    }
    let attached = present(message, "attachments");
    let content = message.get("content").unwrap_or(&Value::Null);
    report.at("content", |report| text(content, attached.is_none(), report));
    if let Some(attached) = attached {
        report.at("attachments", |report| attachments::check(attached, inline, report));
    }
}

fn text(value: &Value, required: bool, report: &mut Report) {
    match value.as_str() {
        None => report.add("type", "Write a text here."),
        Some("") if required => report.add("required", "Write a text here."),
        Some(text) if is_longer(text, MAX_CHARS) => {
            report
                .add("too_long", "This text may have at most 200,000 characters. Shorten it, or attach it as a file.");
        }
        Some(_) => {}
    }
}
