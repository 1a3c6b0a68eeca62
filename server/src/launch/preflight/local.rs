//! Checks of local agents and of local MCP catalogues.

use std::collections::BTreeSet;

use app::launch::{Check, CheckKind, CheckState};
use domain::{Answerer, McpTool};
use serde_json::Value;

use super::{PeerState, check, endpoint_key, peer_key};
use crate::launch::LaunchContent;

/// Checks the agent behind a card. None of these fails, since the `Answered` check does.
pub fn agent(tool: &Value, content: &LaunchContent, peers: &PeerState) -> Vec<Check> {
    let name = tool["name"].as_str().unwrap_or_default();
    let reachable = match content.answers.get(name) {
        Some(Answerer::A2a(peer)) if peer.card_url.is_none() => {
            check(CheckKind::Reachable, CheckState::Unknown, "Its card is given; the agent is asked when it is called.")
        }
        Some(Answerer::A2a(peer)) => match peers.cards.get(&peer_key(peer)) {
            Some(Ok(_)) => check(CheckKind::Reachable, CheckState::Passed, "The agent's card was fetched."),
            Some(Err(error)) => check(CheckKind::Reachable, CheckState::Warning, error.to_string()),
            None => super::not_queried(),
        },
        _ => check(CheckKind::Reachable, CheckState::Passed, "No agent has to be reached: it is answered here."),
    };
    let skills = tool["agentCard"]["skills"].as_array().map_or(0, Vec::len);
    let listed = if tool["agentCard"].is_object() {
        check(CheckKind::Listed, CheckState::Passed, format!("The model sees its card with {skills} skills."))
    } else {
        check(CheckKind::Listed, CheckState::Warning, "It has no card yet.").with_fix("Fetch, paste or upload it.")
    };
    vec![reachable, listed]
}

/// Checks the servers behind a catalogue.
pub fn catalogue(tool: &Value, content: &LaunchContent, peers: &PeerState) -> Vec<Check> {
    let listed: Vec<&str> =
        tool["tools"].as_array().into_iter().flatten().filter_map(|tool| tool["name"].as_str()).collect();
    let (mut servers, mut gone, mut missing) = (BTreeSet::new(), BTreeSet::new(), Vec::new());
    for name in &listed {
        let Some(Answerer::Mcp(McpTool { server, tool: own_name })) = content.answers.get(*name) else { continue };
        let key = endpoint_key(server);
        match peers.mcp.get(&key) {
            Some(Ok(found)) => {
                let own_name = own_name.as_deref().unwrap_or(name);
                if !found.truncated && !found.tools.iter().any(|tool| tool["name"] == own_name) {
                    missing.push(*name);
                }
            }
            Some(Err(_)) | None => {
                gone.insert(key.clone());
            }
        }
        servers.insert(key);
    }
    let reachable = match (servers.len(), gone.len()) {
        (0, _) => check(CheckKind::Reachable, CheckState::Passed, "No server has to be reached: it is answered here."),
        (_, 0) => check(CheckKind::Reachable, CheckState::Passed, "The MCP server that answers is there."),
        _ => check(CheckKind::Reachable, CheckState::Warning, "An MCP server that should answer is out of reach."),
    };
    let count = listed.len();
    let complete = if missing.is_empty() {
        check(CheckKind::Listed, CheckState::Passed, format!("The model sees {count} tools."))
    } else {
        let message = format!("Its server does not have {}.", missing.join(", "));
        check(CheckKind::Listed, CheckState::Warning, message).with_fix("Discover its tools again.")
    };
    vec![reachable, complete]
}
