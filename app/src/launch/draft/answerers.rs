//! The controls that say who answers each local tool.

use crate::launch::local_tools;
use domain::{A2aPeer, Answerer, CannedReply, Headers, McpEndpoint, McpTool};
use protocol::ids::is_tool_name;
use serde_json::Value;

use super::LaunchDraft;
use super::apply::SubmittedFields;
use super::control_text::is_unchanged;
use crate::launch::ControlName;

/// Returns the local tools that have a valid name.
pub fn answerable_tools(draft: &LaunchDraft) -> Vec<String> {
    let mut names: Vec<String> = local_tools(&draft.spec).into_iter().map(|(name, _)| name).collect();
    names.extend(session_only_tools(draft));
    names.retain(|name| is_tool_name(name));
    names
}

/// Returns the local tools that are in the session's spec and not in the draft's.
pub fn session_only_tools(draft: &LaunchDraft) -> Vec<String> {
    let own = local_tools(&draft.spec);
    let of_session = draft.session_spec().map(local_tools).unwrap_or_default().into_iter().map(|(name, _)| name);
    of_session.filter(|name| is_tool_name(name) && !own.iter().any(|(other, _)| other == name)).collect()
}

/// Returns the option of the select that stands for an answerer.
pub fn choice_of(answerer: &Answerer) -> &'static str {
    match answerer {
        Answerer::Hand => "hand",
        Answerer::Canned(_) => "canned",
        Answerer::Mcp(McpTool { server: McpEndpoint::Http { .. }, .. }) => "mcp",
        Answerer::Mcp(McpTool { server: McpEndpoint::Stdio { .. }, .. }) => "command",
        Answerer::A2a(_) => "a2a",
    }
}

pub fn apply(draft: &mut LaunchDraft, sent: &SubmittedFields) {
    draft.unfinished.texts.retain(|name, _| !name.starts_with("answerer:"));
    for tool in answerable_tools(draft) {
        let part = |part: &str| sent.get(&ControlName::answerer(&tool, part));
        let Some(by) = part("by") else { continue };
        let card = card_of(&draft.spec, &tool);
        let answerer = draft.answers.entry(tool.clone()).or_default();
        let text = |name: &str, field: &mut String| {
            if let Some(text) = part(name).filter(|text| !is_unchanged(text, field)) {
                text.clone_into(field);
            }
        };
        match answerer {
            Answerer::Hand => {}
            Answerer::Canned(reply) => {
                text("text", &mut reply.text);
                reply.failed = part("failed") == Some("true");
                let delay = part("delay").map(str::trim).unwrap_or_default();
                match if delay.is_empty() { Ok(0) } else { delay.parse() } {
                    Ok(delay_ms) => reply.delay_ms = delay_ms,
                    Err(_) => drop(draft.unfinished.texts.insert(delay_name(&tool), delay.to_owned())),
                }
            }
            Answerer::Mcp(McpTool { server, tool: own_name }) => {
                *own_name = part("tool").map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned);
                match server {
                    McpEndpoint::Http { url, headers } => {
                        text("url", url);
                        read_headers(headers, part);
                    }
                    McpEndpoint::Stdio { command } => text("command", command),
                }
            }
            Answerer::A2a(peer) => {
                if let Some(url) = part("url").map(str::trim) {
                    peer.card_url = Some(url.to_owned()).filter(|url| !url.is_empty());
                }
                read_headers(&mut peer.headers, part);
            }
        }
        // The other fields belong to the answerer that the form showed.
        if by != choice_of(answerer) {
            let old = std::mem::take(answerer);
            draft.unfinished.texts.remove(&delay_name(&tool));
            draft.stash_answerer(&tool, choice_of(&old), old);
            let new = draft.restore_answerer(&tool, by).unwrap_or_else(|| default_answerer(by, card));
            draft.answers.insert(tool, new);
        }
    }
}

/// The name of the control for the delay of a canned reply.
pub fn delay_name(tool: &str) -> String {
    ControlName::answerer(tool, "delay").to_string()
}

/// The choice under which the answerer of a tool without a valid name is set aside.
const UNNAMED: &str = "unnamed";

/// Gives a renamed tool the answerer of its old name. A name that another tool had before is no rename: the tools were
/// reordered. The answerer of a tool without a valid name is set aside until the tool has one.
pub fn follow_renames(draft: &mut LaunchDraft, before: &Value) {
    let (earlier, now) = (local_tools(before), local_tools(&draft.spec));
    let has = |tools: &[(String, String)], name: &String| tools.iter().any(|(other, _)| other == name);
    for (old, place) in &earlier {
        let new = now.iter().find(|(_, other)| other == place).map(|(name, _)| name);
        let Some(answerer) = draft.answers.get(old).cloned() else { continue };
        let answerer = with_original_name(answerer, old);
        if let Some(new) = new.filter(|new| !has(&earlier, new)) {
            draft.answers.insert(new.clone(), answerer);
            if !has(&now, old) {
                draft.answers.remove(old);
                draft.move_set_aside(old, new);
            }
        } else if !has(&now, old) && draft.spec.pointer(place).is_some_and(Value::is_object) {
            draft.move_set_aside(old, place);
            draft.stash_answerer(place, UNNAMED, answerer);
        }
    }
    for (name, place) in now.iter().filter(|(name, _)| !has(&earlier, name)) {
        if let Some(answerer) = draft.restore_answerer(place, UNNAMED) {
            draft.answers.insert(name.clone(), answerer);
            draft.move_set_aside(place, name);
        }
    }
}

/// An MCP server knows a renamed tool by its original name.
fn with_original_name(answerer: Answerer, old: &str) -> Answerer {
    match answerer {
        Answerer::Mcp(McpTool { server, tool: None }) => Answerer::Mcp(McpTool { server, tool: Some(old.to_owned()) }),
        other => other,
    }
}

/// The form offers one header, for the peer's credential.
fn read_headers<'a>(headers: &mut Headers, part: impl Fn(&str) -> Option<&'a str>) {
    let (Some(name), Some(value)) = (part("header"), part("value")) else { return };
    let old = headers.keys().next().cloned();
    if let Some(old) = old {
        headers.remove(&old);
    }
    if !name.trim().is_empty() {
        headers.insert(name.trim().to_owned(), value.to_owned());
    }
}

/// Returns the card of a local agent.
pub fn card_of(spec: &Value, tool: &str) -> Option<Value> {
    let tools = spec["tools"].as_array()?;
    let agent = tools.iter().find(|agent| agent["kind"] == "a2a_local" && agent["name"] == tool)?;
    agent.get("agentCard").filter(|card| card.is_object()).cloned()
}

fn default_answerer(by: &str, card: Option<Value>) -> Answerer {
    match by {
        "canned" => Answerer::Canned(CannedReply::default()),
        "mcp" => Answerer::Mcp(McpTool {
            server: McpEndpoint::Http { url: String::new(), headers: Headers::new() },
            tool: None,
        }),
        "command" => Answerer::Mcp(McpTool { server: McpEndpoint::Stdio { command: String::new() }, tool: None }),
        "a2a" => Answerer::A2a(A2aPeer { card, ..A2aPeer::default() }),
        _ => Answerer::Hand,
    }
}
