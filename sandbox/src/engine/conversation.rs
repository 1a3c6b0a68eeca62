//! The first messages of a run, and the messages that its session keeps.

use serde_json::Value;

use crate::provider::Message;
use crate::store::NewMessage;

/// Returns the system prompts, the history and the new messages.
pub fn initial_messages(spec: &Value, history: Vec<Message>) -> Vec<Message> {
    let mut messages = Vec::new();
    if let Some(text) = spec["systemPrompt"].as_str() {
        messages.push(Message::System(text.to_owned()));
    }
    let given = spec["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let text = |message: &Value| message["content"].as_str().unwrap_or("").to_owned();
    let (system, others): (Vec<_>, Vec<_>) = given.iter().partition(|message| message["role"] == "system");
    messages.extend(system.into_iter().map(|message| Message::System(text(message))));
    messages.extend(history);
    let last = others.len().saturating_sub(1);
    messages.extend(others.into_iter().enumerate().map(|(i, message)| match message["role"] == "assistant" {
        true => Message::assistant(text(message)),
        // The model gets the attachments of the newest message only.
        false if i == last => {
            let attachments = message["attachments"].as_array().cloned().unwrap_or_default();
            Message::User { text: text(message), attachments }
        }
        false => Message::user(text(message)),
    }));
    messages.extend(spec["prompt"].as_str().map(Message::user));
    messages
}

/// Returns the messages of the spec that the session keeps.
pub fn session_messages(spec: &Value) -> Vec<NewMessage> {
    let message = |role: &str, content: &Value, attachments: Option<Value>| NewMessage {
        role: role.to_owned(),
        content: content.as_str().unwrap_or("").to_owned(),
        attachments,
    };
    if spec["prompt"].is_string() {
        return vec![message("user", &spec["prompt"], None)];
    }
    let given = spec["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let spoken = given.iter().filter(|message| message["role"] != "system");
    spoken
        .map(|given| message(given["role"].as_str().unwrap_or("user"), &given["content"], attachments(given)))
        .collect()
}

/// Returns the attachments without their data.
fn attachments(message: &Value) -> Option<Value> {
    let attachments = message["attachments"].as_array()?.iter().map(|attachment| {
        let mut kept = attachment.clone();
        if let Some(fields) = kept.as_object_mut()
            && let Some(data) = fields.remove("data")
        {
            fields.insert("size".to_owned(), data.as_str().map_or(0, remote_tools::decoded_size).into());
        }
        kept
    });
    Some(attachments.collect())
}
