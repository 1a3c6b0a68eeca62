//! What MCP servers and agents say of themselves, taken into the work.

use std::collections::BTreeSet;

use app::launch::local_tools;
use domain::{A2aPeer, Answerer, Headers, McpEndpoint, McpTool};
use protocol::ids::is_tool_name;
use remote_tools::a2a::FoundCard;
use serde_json::Value;

use super::Upload;
use super::cards::{answer_by, answer_by_card, introduce, name_after};
use super::faults::fault;
use super::place::{set, shown_text};
use super::work::{FoundTool, Work};
use crate::state::AppState;

/// Asks the server of a tool what it has. A remote one's tools can be ticked then; a local one's become its catalogue, and
/// the server is who answers them.
pub async fn discover(state: &AppState, work: &mut Work, place: &str) {
    let local = work.spec.pointer(place).is_some_and(|tool| tool["kind"] == "mcp_local");
    let (endpoint, field) = if local { source(work, place) } else { remote(work, place) };
    work.refused.retain(|fault| !fault.path.starts_with(place));
    let found = match state.peers.discover_mcp(&endpoint).await {
        Ok(found) => found,
        Err(error) => return work.refused.push(fault(field, "peer", error.to_string())),
    };
    let before = work.spec.clone();
    let text = |tool: &Value, field: &str| shown_text(tool, field);
    if local {
        let (tools, names) = renamed(&found.tools, names_elsewhere(&work.spec, place));
        set(&mut work.spec, &format!("{place}/tools"), tools.into());
        set(&mut work.spec, &format!("{place}/serverInfo"), found.server_info.clone());
        name_after(work, place, &text(&found.server_info, "/name"));
        work.spec_changed(&before);
        for (name, original) in names {
            work.answers.insert(name, Answerer::Mcp(McpTool { server: endpoint.clone(), tool: Some(original) }));
        }
    } else {
        name_after(work, place, &text(&found.server_info, "/name"));
        work.spec_changed(&before);
        let tools = found
            .tools
            .iter()
            .map(|tool| FoundTool { name: text(tool, "/name"), description: text(tool, "/description") });
        work.found.insert(place.to_owned(), tools.collect());
    }
    let more = if found.truncated { " It has more than were read." } else { "" };
    work.done = Some(format!("The server has {} tools.{more}", found.tools.len()));
}

/// Tools that the model can call: each with a name of its own that fits, and what its server calls it.
pub fn renamed(tools: &[Value], mut taken: BTreeSet<String>) -> (Vec<Value>, Vec<(String, String)>) {
    let mut names = Vec::new();
    let rename = |tool: &Value| {
        let mut tool = tool.clone();
        let original = shown_text(&tool, "/name");
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        let base: String = original.chars().map(plain).take(60).collect();
        let numbered = (1_u32..).map(|n| if n == 1 { base.clone() } else { format!("{base}_{n}") });
        let name = numbered.into_iter().find(|name| is_tool_name(name) && !taken.contains(name));
        if let Some(name) = name.filter(|_| !original.is_empty()) {
            set(&mut tool, "/name", name.as_str().into());
            taken.insert(name.clone());
            names.push((name, original));
        }
        tool
    };
    (tools.iter().map(rename).collect(), names)
}

/// What the model calls the tools that stand elsewhere in the spec.
fn names_elsewhere(spec: &Value, place: &str) -> BTreeSet<String> {
    let inside = |path: &str| path.strip_prefix(place).is_some_and(|rest| rest.starts_with('/'));
    let local = local_tools(spec).into_iter().filter(|(_, path)| !inside(path)).map(|(name, _)| name);
    let tools = spec["tools"].as_array().into_iter().flatten();
    let agents = tools.filter(|tool| tool["kind"] == "a2a").map(|tool| shown_text(tool, "/name"));
    local.chain(agents).collect()
}

/// Fetches the card of an agent, or takes the one that was uploaded.
pub async fn take_card(state: &AppState, work: &mut Work, place: &str, uploaded: Option<&Upload>) {
    let local = work.spec.pointer(place).is_some_and(|tool| tool["kind"] == "a2a_local");
    work.refused.retain(|fault| !fault.path.starts_with(place));
    if let Some(file) = uploaded.filter(|_| local) {
        match serde_json::from_slice::<Value>(&file.bytes) {
            Ok(card) => {
                keep_card(work, place, card.clone());
                answer_by_card(work, place, card);
            }
            Err(error) => {
                let message = format!("{} is not JSON: {error}.", file.file_name);
                work.refused.push(fault(format!("{place}/agentCard"), "json", message));
            }
        }
        return;
    }
    let (url, headers, field) = if local {
        let source = work.sources.get(place).cloned().unwrap_or_default();
        let headers = source.headers();
        (source.url, headers, format!("{place}#source"))
    } else {
        let url = shown_text(&work.spec, &format!("{place}/agentCardUrl"));
        (url, headers(&work.spec, place), format!("{place}/agentCardUrl"))
    };
    let peer = A2aPeer { card_url: Some(url), card: None, headers };
    match state.peers.fetch_card(&peer).await {
        Err(error) => work.refused.push(fault(field, "peer", error.to_string())),
        Ok(FoundCard { card, .. }) if local => {
            keep_card(work, place, card);
            answer_by(work, place, peer);
        }
        Ok(FoundCard { card, elsewhere }) => {
            let before = work.spec.clone();
            // MANTYX looks nowhere else.
            if let Some(address) = elsewhere {
                set(&mut work.spec, &format!("{place}/agentCardUrl"), address.into());
            }
            introduce(work, place, &card);
            work.spec_changed(&before);
            work.cards.insert(place.to_owned(), card);
        }
    }
}

fn keep_card(work: &mut Work, place: &str, card: Value) {
    let before = work.spec.clone();
    introduce(work, place, &card);
    work.texts.remove(&format!("j{place}/agentCard"));
    set(&mut work.spec, &format!("{place}/agentCard"), card);
    work.spec_changed(&before);
}

fn remote(work: &Work, place: &str) -> (McpEndpoint, String) {
    let url = shown_text(&work.spec, &format!("{place}/url"));
    (McpEndpoint::Http { url, headers: headers(&work.spec, place) }, format!("{place}/url"))
}

/// A command, where one is chosen; else an address.
fn source(work: &Work, place: &str) -> (McpEndpoint, String) {
    let source = work.sources.get(place).cloned().unwrap_or_default();
    if source.command.is_empty() {
        let headers = source.headers();
        (McpEndpoint::Http { url: source.url, headers }, format!("{place}#url"))
    } else {
        (McpEndpoint::Stdio { command: source.command }, format!("{place}#command"))
    }
}

fn headers(spec: &Value, place: &str) -> Headers {
    let headers = spec.pointer(&format!("{place}/headers")).and_then(Value::as_object).into_iter().flatten();
    headers.map(|(name, value)| (name.clone(), shown_text(value, ""))).collect()
}
