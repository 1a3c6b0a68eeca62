//! Discovers MCP tools and agent cards, and writes them into the draft.

use std::collections::BTreeSet;

use app::launch::draft::cards::{answer_by, answer_by_card, fill_from_card, set_default_name};
use app::launch::draft::control_text::text_at;
use app::launch::draft::validation::field_error;
use app::launch::draft::{DiscoveredTool, LaunchDraft, json_error};
use app::launch::{ControlName, local_tools};
use domain::{A2aPeer, Answerer, Headers, McpEndpoint, McpTool};
use protocol::ids::is_tool_name;
use protocol::json_pointer::set;
use remote_tools::a2a::FoundCard;
use serde_json::Value;

use super::UploadedFile;
use crate::peers::Peers;

/// Lists the tools of an MCP server. Those of a remote server are offered as checkboxes; those of a local one become its
/// catalogue, and the server answers them.
pub async fn discover(peers: &Peers, draft: &mut LaunchDraft, place: &str) {
    let local = draft.spec.pointer(place).is_some_and(|tool| tool["kind"] == "mcp_local");
    let (endpoint, field) = if local { local_endpoint(draft, place) } else { remote_endpoint(draft, place) };
    draft.last_action.reported_errors.retain(|error| !error.path.starts_with(place));
    let found = match peers.discover_mcp(&endpoint).await {
        Ok(found) => found,
        Err(error) => return draft.last_action.reported_errors.push(field_error(field, "peer", error.to_string())),
    };
    let before = draft.spec.clone();
    let text = |tool: &Value, field: &str| text_at(tool, field);
    if local {
        let (tools, names) = with_valid_names(&found.tools, names_elsewhere(&draft.spec, place));
        set(&mut draft.spec, &format!("{place}/tools"), tools.into());
        set(&mut draft.spec, &format!("{place}/serverInfo"), found.server_info.clone());
        set_default_name(draft, place, &text(&found.server_info, "/name"));
        draft.after_spec_change(&before);
        for (name, original) in names {
            draft.answers.insert(name, Answerer::Mcp(McpTool { server: endpoint.clone(), tool: Some(original) }));
        }
    } else {
        set_default_name(draft, place, &text(&found.server_info, "/name"));
        draft.after_spec_change(&before);
        let tools = found
            .tools
            .iter()
            .map(|tool| DiscoveredTool { name: text(tool, "/name"), description: text(tool, "/description") });
        draft.last_action.discovered_tools.insert(place.to_owned(), tools.collect());
    }
    let more = if found.truncated { " It has more than were read." } else { "" };
    draft.last_action.success = Some(format!("The server has {} tools.{more}", found.tools.len()));
}

/// Gives each tool a valid and unique name. Returns the tools, and their new and original names.
pub fn with_valid_names(tools: &[Value], mut taken: BTreeSet<String>) -> (Vec<Value>, Vec<(String, String)>) {
    let mut names = Vec::new();
    let rename = |tool: &Value| {
        let mut tool = tool.clone();
        let original = text_at(&tool, "/name");
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

/// Returns the names of the tools elsewhere in the spec.
fn names_elsewhere(spec: &Value, place: &str) -> BTreeSet<String> {
    let inside = |path: &str| path.strip_prefix(place).is_some_and(|rest| rest.starts_with('/'));
    let local = local_tools(spec).into_iter().filter(|(_, path)| !inside(path)).map(|(name, _)| name);
    let tools = spec["tools"].as_array().into_iter().flatten();
    let agents = tools.filter(|tool| tool["kind"] == "a2a").map(|tool| text_at(tool, "/name"));
    local.chain(agents).collect()
}

/// Fetches the card of an agent, or uses the uploaded one.
pub async fn load_card(peers: &Peers, draft: &mut LaunchDraft, place: &str, uploaded: Option<&UploadedFile>) {
    let local = draft.spec.pointer(place).is_some_and(|tool| tool["kind"] == "a2a_local");
    draft.last_action.reported_errors.retain(|error| !error.path.starts_with(place));
    if let Some(file) = uploaded.filter(|_| local) {
        match json_error::parse(&String::from_utf8_lossy(&file.bytes)) {
            Ok(card) => {
                save_card(draft, place, card.clone());
                answer_by_card(draft, place, card);
            }
            Err(error) => {
                let message = format!("{}: {error}", file.file_name);
                draft.last_action.reported_errors.push(field_error(format!("{place}/agentCard"), "json", message));
            }
        }
        return;
    }
    let (url, headers, field) = if local {
        let source = draft.unfinished.sources.get(place).cloned().unwrap_or_default();
        let headers = source.headers();
        (source.url, headers, format!("{place}#source"))
    } else {
        let url = text_at(&draft.spec, &format!("{place}/agentCardUrl"));
        (url, headers(&draft.spec, place), format!("{place}/agentCardUrl"))
    };
    let peer = A2aPeer { card_url: Some(url), card: None, headers };
    match peers.fetch_card(&peer).await {
        Err(error) => draft.last_action.reported_errors.push(field_error(field, "peer", error.to_string())),
        Ok(FoundCard { card, .. }) if local => {
            save_card(draft, place, card);
            answer_by(draft, place, peer);
        }
        Ok(FoundCard { card, elsewhere }) => {
            let before = draft.spec.clone();
            // MANTYX looks only at this address.
            if let Some(address) = elsewhere {
                set(&mut draft.spec, &format!("{place}/agentCardUrl"), address.into());
            }
            fill_from_card(draft, place, &card);
            draft.after_spec_change(&before);
            draft.last_action.fetched_cards.insert(place.to_owned(), card);
        }
    }
}

fn save_card(draft: &mut LaunchDraft, place: &str, card: Value) {
    let before = draft.spec.clone();
    fill_from_card(draft, place, &card);
    draft.unfinished.texts.remove(&ControlName::field(&format!("{place}/agentCard")).to_string());
    set(&mut draft.spec, &format!("{place}/agentCard"), card);
    draft.after_spec_change(&before);
}

fn remote_endpoint(draft: &LaunchDraft, place: &str) -> (McpEndpoint, String) {
    let url = text_at(&draft.spec, &format!("{place}/url"));
    (McpEndpoint::Http { url, headers: headers(&draft.spec, place) }, format!("{place}/url"))
}

/// Returns the command, if there is one, or the address.
fn local_endpoint(draft: &LaunchDraft, place: &str) -> (McpEndpoint, String) {
    let source = draft.unfinished.sources.get(place).cloned().unwrap_or_default();
    if source.command.is_empty() {
        let headers = source.headers();
        (McpEndpoint::Http { url: source.url, headers }, format!("{place}#url"))
    } else {
        (McpEndpoint::Stdio { command: source.command }, format!("{place}#command"))
    }
}

fn headers(spec: &Value, place: &str) -> Headers {
    let headers = spec.pointer(&format!("{place}/headers")).and_then(Value::as_object).into_iter().flatten();
    headers.map(|(name, value)| (name.clone(), text_at(value, ""))).collect()
}
