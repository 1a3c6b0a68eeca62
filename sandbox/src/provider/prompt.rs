//! Queries on a conversation, for the simulated models.

use protocol::messages::Tokens;

use super::{Message, TurnRequest};

/// Returns the text of the last user message.
pub fn last_user_text(messages: &[Message]) -> &str {
    let last = messages.iter().rev().find_map(|message| match message {
        Message::User { text, .. } => Some(text.as_str()),
        _ => None,
    });
    last.unwrap_or("")
}

/// Returns the names of the files of the last user message.
pub fn last_user_files(messages: &[Message]) -> Vec<&str> {
    let last = messages.iter().rev().find_map(|message| match message {
        Message::User { attachments, .. } => Some(attachments),
        _ => None,
    });
    last.into_iter().flatten().filter_map(|file| file["filename"].as_str().or(file["url"].as_str())).collect()
}

/// Returns the number of turns since the last user message.
pub fn turns_taken(messages: &[Message]) -> usize {
    let since_user = messages.iter().rev().take_while(|message| !matches!(message, Message::User { .. }));
    since_user.filter(|message| matches!(message, Message::Assistant { .. })).count()
}

/// Returns the results of the last batch of calls, in order.
pub fn last_results(messages: &[Message]) -> Vec<(&str, bool, &str)> {
    let mut results: Vec<_> = messages
        .iter()
        .rev()
        .take_while(|message| matches!(message, Message::ToolResult { .. } | Message::Steering(_)))
        .filter_map(|message| match message {
            Message::ToolResult { name, ok, text, .. } => Some((name.as_str(), *ok, text.as_str())),
            _ => None,
        })
        .collect();
    results.reverse();
    results
}

/// Estimates the input tokens of a turn. All but the last exchange counts as cached.
pub fn input_usage(request: &TurnRequest<'_>) -> Tokens {
    let sizes: Vec<u64> = request.messages.iter().map(|message| message_tokens(message) + 4).collect();
    let tools: u64 = request
        .tools
        .iter()
        .map(|tool| {
            estimate_tokens(&tool.name)
                + estimate_tokens(&tool.description)
                + estimate_tokens(&tool.parameters.to_string())
        })
        .sum();
    let last_turn = request.messages.iter().rposition(|message| matches!(message, Message::Assistant { .. }));
    let seen_before: u64 = last_turn.map_or(0, |i| sizes[..i].iter().sum::<u64>() + tools);
    let input_tokens = sizes.iter().sum::<u64>() + tools;
    // Providers cache in blocks.
    Tokens { input_tokens, cached_tokens: seen_before / 64 * 64, ..Tokens::default() }
}

/// Estimates tokens: about four characters each.
pub fn estimate_tokens(text: &str) -> u64 {
    (text.chars().count() as u64).div_ceil(4)
}

fn message_tokens(message: &Message) -> u64 {
    match message {
        Message::System(text) | Message::User { text, .. } | Message::Steering(text) => estimate_tokens(text),
        Message::Assistant { text, calls } => {
            let calls = calls.iter().map(|call| estimate_tokens(&call.name) + estimate_tokens(&call.input.to_string()));
            estimate_tokens(text) + calls.sum::<u64>()
        }
        Message::ToolResult { name, text, .. } => estimate_tokens(name) + estimate_tokens(text),
    }
}
