//! The request body of a chat completion.

use serde_json::{Value, json};

use super::attachments;
use crate::provider::{Message, TurnRequest};

pub fn body(model: &str, request: &TurnRequest<'_>) -> Value {
    let messages: Vec<Value> = request.messages.iter().map(message).collect();
    let mut body = json!({
        "model": model, "messages": messages, "stream": true, "stream_options": { "include_usage": true },
    });
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| {
            json!({ "type": "function", "function": {
                "name": tool.name, "description": tool.description, "parameters": parameters(&tool.parameters),
            } })
        });
        body["tools"] = tools.collect();
        // A final turn keeps the tools, because the conversation may have calls of them.
        if !request.tools_enabled {
            body["tool_choice"] = "none".into();
        }
    }
    if let Some(schema) = request.output_schema {
        let name = schema["name"].as_str().unwrap_or("output");
        body["response_format"] = json!({
            "type": "json_schema", "json_schema": { "name": name, "schema": schema["schema"], "strict": true },
        });
    }
    let effort = match request.reasoning_level {
        0 => None,
        1..=35 => Some("low"),
        36..=65 => Some("medium"),
        _ => Some("high"),
    };
    if let Some(effort) = effort {
        body["reasoning_effort"] = effort.into();
    }
    body
}

fn message(message: &Message) -> Value {
    match message {
        Message::System(text) => json!({ "role": "system", "content": text }),
        Message::Steering(text) => json!({ "role": "user", "content": text }),
        Message::User { text, attachments } if attachments.is_empty() => json!({ "role": "user", "content": text }),
        Message::User { text, attachments } => {
            let text = json!({ "type": "text", "text": text });
            let parts: Vec<Value> = std::iter::once(text).chain(attachments.iter().map(attachments::part)).collect();
            json!({ "role": "user", "content": parts })
        }
        Message::Assistant { text, calls } if calls.is_empty() => json!({ "role": "assistant", "content": text }),
        Message::Assistant { text, calls } => {
            let calls: Vec<Value> = calls
                .iter()
                .map(|call| {
                    let function = json!({ "name": call.name, "arguments": arguments(&call.input) });
                    json!({ "id": call.id, "type": "function", "function": function })
                })
                .collect();
            let content = if text.is_empty() { Value::Null } else { text.as_str().into() };
            json!({ "role": "assistant", "content": content, "tool_calls": calls })
        }
        Message::ToolResult { call_id, text, .. } => {
            json!({ "role": "tool", "tool_call_id": call_id, "content": text })
        }
    }
}

/// Returns the arguments as the model sent them, also if they are not JSON.
fn arguments(input: &Value) -> String {
    match input {
        Value::String(raw) => raw.clone(),
        input => input.to_string(),
    }
}

/// The API requires an object schema; a tool without one gets an empty one.
fn parameters(schema: &Value) -> Value {
    match schema["type"] == "object" {
        true => schema.clone(),
        false => json!({ "type": "object", "properties": {} }),
    }
}
