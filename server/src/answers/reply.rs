//! Gets the reply to a call from its answerer.

use std::time::Duration;

use domain::{Answerer, McpEndpoint};
use serde_json::Value;
use url::Url;

use super::canned;
use crate::peers::{Peers, ToolReply};

/// MANTYX's limits.
const MAX_RESULT_BYTES: usize = 2 * 1024 * 1024;
const MAX_ERROR_BYTES: usize = 8 * 1024;

/// Asks the answerer. A failure is a reply too, which the model can act on. Returns `None` when a person answers.
pub async fn get(peers: &Peers, answerer: &Answerer, tool: &str, args: &Value, timeout: Duration) -> Option<ToolReply> {
    let reply = match answerer {
        Answerer::Hand => return None,
        Answerer::Canned(reply) => {
            tokio::time::sleep(Duration::from_millis(reply.delay_ms)).await;
            let text = canned::render(&reply.text, args);
            if reply.failed { Err(text) } else { Ok(text) }
        }
        Answerer::Mcp { server, tool: remote_name } => {
            let name = remote_name.as_deref().unwrap_or(tool);
            let args = args.as_object().cloned().unwrap_or_default();
            let called = peers.call_mcp(server, name, args, timeout).await;
            called.unwrap_or_else(|error| Err(format!("The MCP server could not be used. {error}")))
        }
        Answerer::A2a(peer) => {
            // A delegation has the argument `message`. The arguments of any other tool are sent as JSON.
            let text = args["message"].as_str().map_or_else(|| args.to_string(), str::to_owned);
            let sent = peers.send_to_a2a(peer, &text, timeout).await;
            sent.unwrap_or_else(|error| Err(format!("The agent could not be used. {error}")))
        }
    };
    Some(limit_size(reply))
}

/// Returns where an answer comes from, in words that fit after «answered by».
pub fn describe(answerer: &Answerer) -> String {
    let host = |url: &str| Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default();
    match answerer {
        Answerer::Hand => "a person".to_owned(),
        Answerer::Canned(reply) if reply.failed => "a canned error".to_owned(),
        Answerer::Canned(_) => "a canned reply".to_owned(),
        Answerer::Mcp { server: McpEndpoint::Http { url, .. }, .. } => format!("the MCP server {}", host(url)),
        Answerer::Mcp { server: McpEndpoint::Stdio { command }, .. } => {
            format!("the MCP server {}", command.split_whitespace().next().unwrap_or_default())
        }
        Answerer::A2a(peer) => match (&peer.card_url, &peer.card) {
            (Some(url), _) => format!("the agent {}", host(url)),
            (None, card) => format!("the agent {}", card.as_ref().and_then(|card| card["name"].as_str()).unwrap_or("")),
        },
    }
}

fn limit_size(reply: ToolReply) -> ToolReply {
    match reply {
        Ok(text) if text.len() > MAX_RESULT_BYTES => {
            Err(format!("The tool's result has {} KB, and at most 2048 KB can be sent.", text.len() / 1024))
        }
        Err(mut text) if text.len() > MAX_ERROR_BYTES => {
            let end = (0..=MAX_ERROR_BYTES).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
            text.truncate(end);
            Err(text)
        }
        // MANTYX rejects an empty error.
        Err(text) if text.trim().is_empty() => Err("The tool failed without saying why.".to_owned()),
        other => other,
    }
}
