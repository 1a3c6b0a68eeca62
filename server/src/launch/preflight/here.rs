//! Tools that are answered from here by a server or an agent: is it there, and does it have what the model is told of?

use std::collections::BTreeSet;

use app::launch::{LaunchContent, Light, LightState, Question};
use domain::{Answerer, McpTool};
use serde_json::Value;

use super::{Seen, endpoint_key, light, peer_key};

/// The agent behind a card. Whether somebody answers at all is told by another light, which may be red; these are not.
pub fn agent(tool: &Value, content: &LaunchContent, seen: &Seen) -> Vec<Light> {
    let name = tool["name"].as_str().unwrap_or_default();
    let reachable = match content.answers.get(name) {
        Some(Answerer::A2a(peer)) if peer.card_url.is_none() => {
            light(Question::Reachable, LightState::Unknown, "Its card is given; the agent is asked when it is called.")
        }
        Some(Answerer::A2a(peer)) => match seen.cards.get(&peer_key(peer)) {
            Some(Ok(_)) => light(Question::Reachable, LightState::Good, "The agent's card was fetched."),
            Some(Err(error)) => light(Question::Reachable, LightState::Warning, error.to_string()),
            None => super::not_looked_at(),
        },
        _ => light(Question::Reachable, LightState::Good, "No agent has to be reached: it is answered here."),
    };
    let skills = tool["agentCard"]["skills"].as_array().map_or(0, Vec::len);
    let listed = if tool["agentCard"].is_object() {
        light(Question::Listed, LightState::Good, format!("The model sees its card with {skills} skills."))
    } else {
        light(Question::Listed, LightState::Warning, "It has no card yet.").with_fix("Fetch, paste or upload it.")
    };
    vec![reachable, listed]
}

/// The servers behind a catalogue.
pub fn catalogue(tool: &Value, content: &LaunchContent, seen: &Seen) -> Vec<Light> {
    let listed: Vec<&str> =
        tool["tools"].as_array().into_iter().flatten().filter_map(|tool| tool["name"].as_str()).collect();
    let (mut servers, mut gone, mut missing) = (BTreeSet::new(), BTreeSet::new(), Vec::new());
    for name in &listed {
        let Some(Answerer::Mcp(McpTool { server, tool: own_name })) = content.answers.get(*name) else { continue };
        let key = endpoint_key(server);
        match seen.mcp.get(&key) {
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
        (0, _) => light(Question::Reachable, LightState::Good, "No server has to be reached: it is answered here."),
        (_, 0) => light(Question::Reachable, LightState::Good, "The MCP server that answers is there."),
        _ => light(Question::Reachable, LightState::Warning, "An MCP server that should answer is out of reach."),
    };
    let count = listed.len();
    let complete = if missing.is_empty() {
        light(Question::Listed, LightState::Good, format!("The model sees {count} tools."))
    } else {
        let message = format!("Its server does not have {}.", missing.join(", "));
        light(Question::Listed, LightState::Warning, message).with_fix("Discover its tools again.")
    };
    vec![reachable, complete]
}
