//! What MCP servers and agents say of themselves, taken into the work.

use app::launch::{A2aPeer, Answerer, Headers, McpEndpoint, McpTool, Upload};
use protocol::ids::is_tool_name;
use serde_json::Value;

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
        set(&mut work.spec, &format!("{place}/tools"), found.tools.clone().into());
        set(&mut work.spec, &format!("{place}/serverInfo"), found.server_info.clone());
        name_after(work, place, &text(&found.server_info, "/name"));
        work.spec_changed(&before);
        for name in found.tools.iter().map(|tool| text(tool, "/name")).filter(|name| is_tool_name(name)) {
            work.answers.insert(name, Answerer::Mcp(McpTool { server: endpoint.clone(), tool: None }));
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
    let more = if found.cut { " It has more than were read." } else { "" };
    work.done = Some(format!("The server has {} tools.{more}", found.tools.len()));
}

/// Fetches the card of an agent, or takes the one that was uploaded.
pub async fn take_card(state: &AppState, work: &mut Work, place: &str, uploaded: Option<&Upload>) {
    let local = work.spec.pointer(place).is_some_and(|tool| tool["kind"] == "a2a_local");
    work.refused.retain(|fault| !fault.path.starts_with(place));
    if let Some(file) = uploaded.filter(|_| local) {
        match serde_json::from_slice::<Value>(&file.bytes) {
            Ok(card) => keep_card(work, place, card),
            Err(error) => {
                let message = format!("{} is not JSON: {error}.", file.file_name);
                work.refused.push(fault(format!("{place}/agentCard"), "json", message));
            }
        }
        return;
    }
    let (url, field) = if local {
        (work.sources.get(place).map(|source| source.url.clone()).unwrap_or_default(), format!("{place}#source"))
    } else {
        (shown_text(&work.spec, &format!("{place}/agentCardUrl")), format!("{place}/agentCardUrl"))
    };
    let peer = A2aPeer { card_url: Some(url), card: None, headers: headers(&work.spec, place) };
    match state.peers.fetch_card(&peer).await {
        Err(error) => work.refused.push(fault(field, "peer", error.to_string())),
        Ok(card) if local => {
            keep_card(work, place, card);
            let name = shown_text(&work.spec, &format!("{place}/name"));
            if is_tool_name(&name) && work.answers.get(&name).is_none_or(|answerer| *answerer == Answerer::Hand) {
                work.answers.insert(name, Answerer::A2a(peer));
            }
        }
        Ok(card) => {
            let before = work.spec.clone();
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

/// Gives a tool without name and description those of its agent.
fn introduce(work: &mut Work, place: &str, card: &Value) {
    name_after(work, place, &shown_text(card, "/name"));
    let description = shown_text(card, "/description");
    if shown_text(&work.spec, &format!("{place}/description")).is_empty() && !description.is_empty() {
        set(&mut work.spec, &format!("{place}/description"), description.into());
    }
}

fn name_after(work: &mut Work, place: &str, name: &str) {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
    let name: String = name.chars().map(plain).take(64).collect();
    if shown_text(&work.spec, &format!("{place}/name")).is_empty() && is_tool_name(&name) {
        set(&mut work.spec, &format!("{place}/name"), name.into());
    }
}

fn remote(work: &Work, place: &str) -> (McpEndpoint, String) {
    let url = shown_text(&work.spec, &format!("{place}/url"));
    (McpEndpoint::Http { url, headers: headers(&work.spec, place) }, format!("{place}/url"))
}

/// A command, where one is chosen; else an address.
fn source(work: &Work, place: &str) -> (McpEndpoint, String) {
    let source = work.sources.get(place).cloned().unwrap_or_default();
    if source.command.is_empty() {
        (McpEndpoint::Http { url: source.url, headers: Headers::new() }, format!("{place}#url"))
    } else {
        (McpEndpoint::Stdio { command: source.command }, format!("{place}#command"))
    }
}

fn headers(spec: &Value, place: &str) -> Headers {
    let headers = spec.pointer(&format!("{place}/headers")).and_then(Value::as_object).into_iter().flatten();
    headers.map(|(name, value)| (name.clone(), shown_text(value, ""))).collect()
}
