//! A tool call and its answer as one row.

use std::sync::Arc;

use leptos::prelude::*;
use protocol::json::preview;
use protocol::timeline::{CallKind, ToolCall};
use serde_json::Value;

use super::icon::{Icon, IconView};

/// Characters of an answer shown in full; the rest is said to be cut.
const MAX_SHOWN_CHARS: usize = 20_000;

#[component]
pub fn CallView(call: Arc<ToolCall>) -> impl IntoView {
    let (outcome, word) = match &call.answer {
        Some(answer) if answer.ok => ("ok", "answered"),
        Some(_) => ("error", "error"),
        None if call.kind.is_local() => ("waiting", "waiting"),
        None => ("waiting", "no answer yet"),
    };
    let answer_text = call.answer.as_ref().map(|answer| answer.text());
    let resolver = match &call.kind {
        CallKind::Server => None,
        CallKind::Local => Some("local tool".to_owned()),
        CallKind::A2aLocal { agent, .. } => Some(format!("local A2A agent {agent}")),
        CallKind::McpLocal { server, .. } => Some(format!("local MCP server {server}")),
    };
    let icon = if call.kind.is_local() { Icon::Hand } else { Icon::Tool };
    let files: Vec<&str> = call.files.iter().map(|file| file.filename.as_deref().unwrap_or("a file")).collect();
    let files = files.join(", ");
    let answer_seq = call.answer.as_ref().map(|answer| answer.seq);
    view! {
        <details class="call" data-outcome=outcome id=call.made.then(|| format!("e{}", call.seq))>
            <summary>
                <IconView icon />
                <span class="call-name">{call.name.clone()}</span>
                <span class="call-args">{preview(&call.input.to_string(), 120)}</span>
                <span class="call-answer">{answer_text.as_deref().map(|text| preview(text, 120))}</span>
                <span class="call-outcome">{word}</span>
                <span class="event-link">{format!("#{}", call.seq)}</span>
            </summary>
            <div class="call-body">
                {resolver.map(|resolver| view! { <p class="hint">"Answered by a " {resolver}</p> })}
                <h4>"Arguments"</h4>
                <pre class="code">{pretty(&call.input)}</pre>
                {(!files.is_empty()).then(|| view! { <h4>"Files"</h4><p>{files}</p> })}
                {answer_text.map(|text| view! {
                    <h4 id=answer_seq.map(|seq| format!("e{seq}"))>"Answer " <span class="hint">{answer_seq.map(|seq| format!("#{seq}"))}</span></h4>
                    <pre class="code">{shortened(text)}</pre>
                })}
            </div>
        </details>
    }
}

fn pretty(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_else(|_| value.to_string())
}

fn shortened(text: String) -> String {
    match text.char_indices().nth(MAX_SHOWN_CHARS) {
        Some((end, _)) => format!("{}\n… {} more bytes are not shown here", &text[..end], text.len() - end),
        None => text,
    }
}
