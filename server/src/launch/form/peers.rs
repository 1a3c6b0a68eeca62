//! Discovers MCP tools and agent cards, and writes them into the draft.

use std::collections::BTreeSet;

use app::launch::draft::cards::{answer_by, fill_from_card, set_default_name};
use app::launch::draft::control_text::text_at;
use app::launch::draft::{DiscoveredTool, LaunchDraft, json_error};
use app::launch::{ControlName, local_tools};
use domain::{A2aPeer, Answerer, Headers, McpEndpoint};
use protocol::ids::is_tool_name;
use protocol::json_pointer::{is_inside, set};
use protocol::validate::FieldError;
use remote_tools::a2a::FoundCard;
use serde_json::Value;

use super::super::preflight::headers_of;
use super::UploadedFile;
use crate::peers::Peers;

/// Lists the tools of an MCP server. Those of a remote server are offered as checkboxes; those of a local one become its
/// catalogue, and the server answers them.
pub async fn discover(peers: &Peers, draft: &mut LaunchDraft, place: &str) {
    let local = is_kind(draft, place, "mcp_local");
    let command = draft.source(place, "command").to_owned();
    let (endpoint, field) = if local && !command.is_empty() {
        (McpEndpoint::Stdio { command }, format!("{place}#command"))
    } else {
        let Address { url, headers, field } = address(draft, place, if local { "#url" } else { "/url" });
        (McpEndpoint::Http { url, headers }, field)
    };
    let found = match peers.discover_mcp(&endpoint).await {
        Ok(found) => found,
        Err(error) => {
            return draft.last_action.report(place, Some(FieldError::new(field, "peer", error.to_string())));
        }
    };
    draft.last_action.report(place, None);
    let before = draft.spec.clone();
    if local {
        let (tools, names) = with_valid_names(&found.tools, names_elsewhere(&draft.spec, place));
        set(&mut draft.spec, &format!("{place}/tools"), tools.into());
        set(&mut draft.spec, &format!("{place}/serverInfo"), found.server_info.clone());
        set_default_name(draft, place, &text_at(&found.server_info, "/name"));
        draft.after_spec_change(&before);
        for (name, original) in names {
            draft.answers.insert(name, Answerer::Mcp { server: endpoint.clone(), tool: Some(original) });
        }
    } else {
        set_default_name(draft, place, &text_at(&found.server_info, "/name"));
        draft.after_spec_change(&before);
        let listed = |tool| DiscoveredTool { name: text_at(tool, "/name"), description: text_at(tool, "/description") };
        draft.last_action.discovered_tools.insert(place.to_owned(), found.tools.iter().map(listed).collect());
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
    let local = local_tools(spec).into_iter().filter(|(_, path)| !is_inside(path, place)).map(|(name, _)| name);
    let tools = spec["tools"].as_array().into_iter().flatten();
    let agents = tools.filter(|tool| tool["kind"] == "a2a").map(|tool| text_at(tool, "/name"));
    local.chain(agents).collect()
}

/// Fetches the card of an agent, or uses the uploaded one.
pub async fn load_card(peers: &Peers, draft: &mut LaunchDraft, place: &str, uploaded: Option<&UploadedFile>) {
    let local = is_kind(draft, place, "a2a_local");
    let found = match uploaded.filter(|_| local) {
        Some(file) => read_card(file).map_err(|error| FieldError::new(format!("{place}/agentCard"), "json", error)),
        None => fetch_card(peers, address(draft, place, if local { "#url" } else { "/agentCardUrl" })).await,
    };
    let (peer, FoundCard { card, elsewhere }) = match found {
        Ok(found) => found,
        Err(error) => return draft.last_action.report(place, Some(error)),
    };
    draft.last_action.report(place, None);
    let before = draft.spec.clone();
    fill_from_card(draft, place, &card);
    if local {
        draft.unfinished.texts.remove(&ControlName::field(&format!("{place}/agentCard")).to_string());
        set(&mut draft.spec, &format!("{place}/agentCard"), card);
        draft.after_spec_change(&before);
        answer_by(draft, place, peer);
    } else {
        // MANTYX looks only at this address.
        if let Some(address) = elsewhere {
            set(&mut draft.spec, &format!("{place}/agentCardUrl"), address.into());
        }
        draft.after_spec_change(&before);
        draft.last_action.fetched_cards.insert(place.to_owned(), card);
    }
}

/// Returns an uploaded card, and the agent that answers with it.
fn read_card(file: &UploadedFile) -> Result<(A2aPeer, FoundCard), String> {
    let card = json_error::parse(&String::from_utf8_lossy(&file.bytes));
    let card = card.map_err(|error| format!("{}: {error}", file.file_name))?;
    let peer = A2aPeer { card: Some(card.clone()), ..A2aPeer::default() };
    Ok((peer, FoundCard { card, elsewhere: None }))
}

async fn fetch_card(peers: &Peers, address: Address) -> Result<(A2aPeer, FoundCard), FieldError> {
    let Address { url, headers, field } = address;
    let peer = A2aPeer { card_url: Some(url), card: None, headers };
    let found = peers.fetch_card(&peer).await.map_err(|error| FieldError::new(field, "peer", error.to_string()))?;
    Ok((peer, found))
}

/// Where a peer is, and the place of errors about that.
struct Address {
    url: String,
    headers: Headers,
    field: String,
}

/// Returns the address in a field of a remote tool, or, as `#url`, the one that a local tool's list or card comes from.
fn address(draft: &LaunchDraft, place: &str, field: &str) -> Address {
    let pointer = format!("{place}{field}");
    if field.starts_with('#') {
        let part = |part: &str| draft.source(place, part).to_owned();
        let header = Some(part("header")).filter(|name| !name.is_empty());
        let headers = header.map(|name| (name, part("value"))).into_iter().collect();
        return Address { url: part("url"), headers, field: pointer };
    }
    let headers = draft.spec.pointer(place).map(headers_of).unwrap_or_default();
    Address { url: text_at(&draft.spec, &pointer), headers, field: pointer }
}

fn is_kind(draft: &LaunchDraft, place: &str, kind: &str) -> bool {
    draft.spec.pointer(place).is_some_and(|tool| tool["kind"] == kind)
}
