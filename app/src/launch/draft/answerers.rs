//! The controls that say who answers each local tool.

use crate::launch::local_tools;
use domain::{Answerer, Headers, McpEndpoint};
use protocol::ids::is_tool_name;
use protocol::json_pointer::{remove, set};
use serde_json::{Value, json};

use super::LaunchDraft;
use super::apply::SubmittedFields;
use super::control_text::{is_unchanged, text_at};
use crate::launch::{ControlKind, ControlName};

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
        Answerer::Mcp { server: McpEndpoint::Http { .. }, .. } => "mcp",
        Answerer::Mcp { server: McpEndpoint::Stdio { .. }, .. } => "command",
        Answerer::A2a(_) => "a2a",
    }
}

/// The controls of an answerer besides its header: the part of the control's name, and the place in the answerer's JSON.
pub fn parts(choice: &str) -> &'static [(&'static str, &'static str)] {
    match choice {
        "canned" => &[("text", "/text"), ("failed", "/failed"), ("delay", "/delayMs")],
        "mcp" => &[("url", "/server/url"), ("tool", "/tool")],
        "command" => &[("command", "/server/command"), ("tool", "/tool")],
        "a2a" => &[("url", "/cardUrl")],
        _ => &[],
    }
}

pub fn apply(draft: &mut LaunchDraft, sent: &SubmittedFields) {
    draft.unfinished.texts.retain(|name, _| !name.starts_with("answerer:"));
    for tool in answerable_tools(draft) {
        let part = |part: &str| sent.get(&ControlKind::Answerer.part(&tool, part));
        let Some(by) = part("by") else { continue };
        let answerer = draft.answers.remove(&tool).unwrap_or_default();
        let shown = choice_of(&answerer);
        let mut json = serde_json::to_value(&answerer).unwrap_or_default();
        for (name, place) in parts(shown) {
            let Some(text) = part(name).filter(|text| !is_unchanged(text, &text_at(&json, place))) else { continue };
            match (*name, text.trim()) {
                ("text", _) => set(&mut json, place, text.into()),
                ("failed", checked) => set(&mut json, place, (checked == "true").into()),
                (_, "") => drop(remove(&mut json, place)),
                ("delay", delay) => match delay.parse::<u64>() {
                    Ok(delay_ms) => set(&mut json, place, delay_ms.into()),
                    Err(_) => draft.unfinished.set_text(&delay_control(&tool), delay),
                },
                (_, text) => set(&mut json, place, text.into()),
            }
        }
        let mut answerer = serde_json::from_value(json).unwrap_or(answerer);
        if let (Some(headers), Some(name), Some(value)) = (answerer.headers_mut(), part("header"), part("value")) {
            set_header(headers, name.trim(), value);
        }
        // The other fields belong to the answerer that the form showed.
        if by != shown {
            draft.unfinished.set_text(&delay_control(&tool), "");
            draft.stash_answerer(&tool, shown, answerer);
            let card = card_of(&draft.spec, &tool);
            answerer = draft.restore_answerer(&tool, by).unwrap_or_else(|| default_answerer(by, card));
        }
        draft.answers.insert(tool, answerer);
    }
}

/// The control for the delay of a canned reply. The draft has its text if it is not a number.
pub fn delay_control(tool: &str) -> ControlName {
    ControlKind::Answerer.part(tool, "delay")
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
        Answerer::Mcp { server, tool: None } => Answerer::Mcp { server, tool: Some(old.to_owned()) },
        other => other,
    }
}

/// Replaces the one header that the form offers, for the peer's credential.
fn set_header(headers: &mut Headers, name: &str, value: &str) {
    headers.pop_first();
    if !name.is_empty() {
        headers.insert(name.to_owned(), value.to_owned());
    }
}

/// Returns the card of a local agent.
pub fn card_of(spec: &Value, tool: &str) -> Option<Value> {
    let tools = spec["tools"].as_array()?;
    let agent = tools.iter().find(|agent| agent["kind"] == "a2a_local" && agent["name"] == tool)?;
    agent.get("agentCard").filter(|card| card.is_object()).cloned()
}

fn default_answerer(choice: &str, card: Option<Value>) -> Answerer {
    let (by, over) = if choice == "command" { ("mcp", "stdio") } else { (choice, "http") };
    serde_json::from_value(json!({ "by": by, "server": { "over": over }, "card": card })).unwrap_or_default()
}
