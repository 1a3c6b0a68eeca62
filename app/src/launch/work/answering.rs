//! How each local tool is answered, as controls say it.

use crate::launch::local_tools;
use domain::{A2aPeer, Answerer, CannedReply, Headers, McpEndpoint, McpTool};
use protocol::ids::is_tool_name;
use serde_json::Value;

use super::Work;
use super::apply::Sent;
use super::place::same;

/// The names of local tools that can be answered: those that a model can say.
pub fn answerable(work: &Work) -> Vec<String> {
    let mut names: Vec<String> = local_tools(&work.spec).into_iter().map(|(name, _)| name).collect();
    names.extend(of_session(work));
    names.retain(|name| is_tool_name(name));
    names
}

/// Local tools that only the session knows.
pub fn of_session(work: &Work) -> Vec<String> {
    let own = local_tools(&work.spec);
    let there = work.session_spec().map(local_tools).unwrap_or_default().into_iter().map(|(name, _)| name);
    there.filter(|name| is_tool_name(name) && !own.iter().any(|(other, _)| other == name)).collect()
}

/// The word for an answerer in the form's choice.
pub fn shown(answerer: &Answerer) -> &'static str {
    match answerer {
        Answerer::Hand => "hand",
        Answerer::Canned(_) => "canned",
        Answerer::Mcp(McpTool { server: McpEndpoint::Http { .. }, .. }) => "mcp",
        Answerer::Mcp(McpTool { server: McpEndpoint::Stdio { .. }, .. }) => "command",
        Answerer::A2a(_) => "a2a",
    }
}

pub fn apply(work: &mut Work, sent: &Sent) {
    work.texts.retain(|name, _| !name.starts_with("a:"));
    for tool in answerable(work) {
        let part = |part: &str| sent.get(&format!("a:{tool}:{part}"));
        let Some(by) = part("by") else { continue };
        let card = card_of(&work.spec, &tool);
        let answerer = work.answers.entry(tool.clone()).or_default();
        let text = |name: &str, field: &mut String| {
            if let Some(text) = part(name).filter(|text| !same(text, field)) {
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
                    Err(_) => drop(work.texts.insert(format!("a:{tool}:delay"), delay.to_owned())),
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
        // What was written last stays with who was shown.
        if by != shown(answerer) {
            let was = std::mem::take(answerer);
            work.texts.remove(&format!("a:{tool}:delay"));
            work.leave_answerer(&tool, shown(&was), was);
            let now = work.take_up_answerer(&tool, by).unwrap_or_else(|| made(by, card));
            work.answers.insert(tool, now);
        }
    }
}

/// Under this choice a tool whose name is being written keeps its answerer, by its place.
const UNNAMED: &str = "unnamed";

/// A local tool that was renamed is answered as before. One that keeps the name keeps its answerer too, and a name that
/// was there before is another tool's: where tools were reordered, nobody was renamed. While a tool has no name of its own,
/// its answerer waits for it.
pub fn follow_names(work: &mut Work, before: &Value) {
    let (earlier, now) = (local_tools(before), local_tools(&work.spec));
    let has = |tools: &[(String, String)], name: &String| tools.iter().any(|(other, _)| other == name);
    for (old, place) in &earlier {
        let new = now.iter().find(|(_, other)| other == place).map(|(name, _)| name);
        let Some(answerer) = work.answers.get(old).cloned() else { continue };
        let answerer = renamed(answerer, old);
        if let Some(new) = new.filter(|new| !has(&earlier, new)) {
            work.answers.insert(new.clone(), answerer);
            if !has(&now, old) {
                work.answers.remove(old);
                work.left_follows(old, new);
            }
        } else if !has(&now, old) && work.spec.pointer(place).is_some_and(Value::is_object) {
            work.left_follows(old, place);
            work.leave_answerer(place, UNNAMED, answerer);
        }
    }
    for (name, place) in now.iter().filter(|(name, _)| !has(&earlier, name)) {
        if let Some(answerer) = work.take_up_answerer(place, UNNAMED) {
            work.answers.insert(name.clone(), answerer);
            work.left_follows(place, name);
        }
    }
}

/// What answers a tool that was renamed: a server goes on knowing it by its own name.
fn renamed(answerer: Answerer, old: &str) -> Answerer {
    match answerer {
        Answerer::Mcp(McpTool { server, tool: None }) => Answerer::Mcp(McpTool { server, tool: Some(old.to_owned()) }),
        other => other,
    }
}

/// One header is all that a form offers here: the credential of the peer.
fn read_headers<'a>(headers: &mut Headers, part: impl Fn(&str) -> Option<&'a str>) {
    let (Some(name), Some(value)) = (part("header"), part("value")) else { return };
    let shown = headers.iter().next().map(|(name, _)| name.clone());
    if let Some(shown) = shown {
        headers.remove(&shown);
    }
    if !name.trim().is_empty() {
        headers.insert(name.trim().to_owned(), value.to_owned());
    }
}

/// The card that a tool shows to the model, which is also how its agent is found.
pub fn card_of(spec: &Value, tool: &str) -> Option<Value> {
    let tools = spec["tools"].as_array()?;
    let agent = tools.iter().find(|agent| agent["kind"] == "a2a_local" && agent["name"] == tool)?;
    agent.get("agentCard").filter(|card| card.is_object()).cloned()
}

fn made(by: &str, card: Option<Value>) -> Answerer {
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
