//! The prompt or the messages, and the identity of the agent.

use serde_json::{Map, Value};

use super::attachments;
use super::report::{Report, is_longer, present};
use crate::fields::{Body, Context};

const MAX_MESSAGES: usize = 200;
const MAX_CHARS: usize = 200_000;

pub(crate) fn check_prompt(context: &Context<'_>, report: &mut Report) -> bool {
    let has_messages = present(context.object, "messages").is_some();
    match context.value {
        _ if context.body == Body::Session => check_absent(context, "prompt", report),
        None if !has_messages => report.add("required", "Enter a prompt."),
        // A conflict is reported at the messages.
        Some(prompt) if !has_messages => check_text(prompt, true, report),
        _ => {}
    }
    false
}

/// Checks the list; the table has the rules for each message.
pub(crate) fn check_messages(context: &Context<'_>, report: &mut Report) -> bool {
    if context.body == Body::Session {
        check_absent(context, "messages", report);
        return false;
    }
    let Some(messages) = context.value else { return false };
    if present(context.object, "prompt").is_some() {
        return report.refuse("conflict", "Give either a prompt or messages, not both.");
    }
    let Some(messages) = messages.as_array() else { return report.refuse("type", "Messages are a list.") };
    if messages.is_empty() {
        return report.refuse("too_few", "Add at least one message.");
    }
    if messages.len() > MAX_MESSAGES {
        report.add("too_many", format!("A run may have at most {MAX_MESSAGES} messages. Leave out the oldest ones."));
    }
    let last = messages.iter().rposition(|message| message["role"] != "system");
    if !last.is_some_and(|i| messages[i]["role"] == "user") {
        let i = last.unwrap_or(messages.len() - 1);
        let message = "The last message must come from the user. Add one at the end.";
        report.at(i, |report| report.add_at("role", "last_role", message));
    }
    attachments::check_total(messages, report);
    true
}

/// A message with files may have no text.
pub(crate) fn check_content(context: &Context<'_>, report: &mut Report) -> bool {
    let required = present(context.object, "attachments").is_none();
    check_text(context.value.unwrap_or(&Value::Null), required, report);
    false
}

/// Checks the system prompt, and that the agent has an identity.
pub(crate) fn check_identity(context: &Context<'_>, report: &mut Report) -> bool {
    if context.value.is_some_and(|value| !value.is_string()) {
        report.add("type", "Enter a text.");
    }
    if context.body != Body::Message && !has_identity(context.spec) {
        let message = "Add a system prompt, a saved agent or a system message.";
        report.add("required", message);
    }
    false
}

fn has_identity(spec: &Map<String, Value>) -> bool {
    let filled = |value: Option<&Value>| value.and_then(Value::as_str).is_some_and(|text| !text.trim().is_empty());
    let messages = spec.get("messages").and_then(Value::as_array).into_iter().flatten();
    let mut system_messages = messages.filter(|message| message["role"] == "system");
    filled(spec.get("systemPrompt"))
        || filled(spec.get("agentId"))
        || system_messages.any(|message| filled(message.get("content")))
}

fn check_absent(context: &Context<'_>, field: &str, report: &mut Report) {
    if context.object.contains_key(field) {
        let message = "A session starts without a message. Send this as the session's first message instead.";
        report.add("not_allowed", message);
    }
}

fn check_text(value: &Value, required: bool, report: &mut Report) {
    match value.as_str() {
        None => report.add("type", "Enter a text."),
        Some("") if required => report.add("required", "Enter a text."),
        Some(text) if is_longer(text, MAX_CHARS) => {
            report
                .add("too_long", "This text may have at most 200,000 characters. Shorten it, or attach it as a file.");
        }
        Some(_) => {}
    }
}
