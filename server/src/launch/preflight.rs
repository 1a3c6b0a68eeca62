//! Checks each tool of a spec before a launch: its fields, its server, its listed tools and its answerer.

use std::collections::HashMap;

use app::launch::{Check, CheckKind, ToolCheck};
use app::model::launch::Tone;
use domain::{A2aPeer, Answerer, Headers, McpEndpoint};
use futures::future::join_all;
use protocol::fields::SPEC_FIELDS;
use protocol::json_pointer::is_inside;
use protocol::validate::{Body, FieldError, validate};
use remote_tools::RemoteError;
use remote_tools::a2a::FoundCard;
use remote_tools::mcp::McpCatalogue;
use serde::Serialize;
use serde_json::Value;

use super::catalogue::{self, Choice, Offer};
use super::{LaunchContent, Launcher, validation};
use crate::error::Error;

/// The most peers that one preflight queries. A spec with more mostly repeats them.
const MAX_PEERS: usize = 24;

pub async fn run(launcher: &Launcher<'_>, content: &LaunchContent) -> Result<Vec<ToolCheck>, Error> {
    let tools: Vec<Value> = content.spec["tools"].as_array().cloned().unwrap_or_default();
    let errors = validate(Body::Run, &content.spec);
    let peers = query_peers(launcher, content, &tools).await?;
    Ok(tools.iter().enumerate().map(|(i, tool)| check_tool(i, tool, content, &errors, &peers)).collect())
}

/// The responses of peers, one for each address.
#[derive(Default)]
struct PeerState {
    mcp: HashMap<String, Result<McpCatalogue, RemoteError>>,
    cards: HashMap<String, Result<FoundCard, RemoteError>>,
    tools: Offer<Choice>,
    plugins: Offer<Choice>,
}

async fn query_peers(launcher: &Launcher<'_>, content: &LaunchContent, tools: &[Value]) -> Result<PeerState, Error> {
    let uses = |kind: &str| tools.iter().any(|tool| tool["kind"] == kind);
    let mut peers = PeerState::default();
    if uses("mantyx") {
        peers.tools = catalogue::choices(launcher, "tools").await?;
    }
    if uses("mantyx_plugin") {
        peers.plugins = catalogue::choices(launcher, "plugins").await?;
    }
    let of_answerers = content.answers.values();
    let servers =
        tools.iter().filter_map(mcp_of_tool).chain(of_answerers.clone().filter_map(|answerer| match answerer {
            Answerer::Mcp { server, .. } => Some(server.clone()),
            _ => None,
        }));
    let agents = tools.iter().filter_map(a2a_of_tool).chain(of_answerers.filter_map(|answerer| match answerer {
        Answerer::A2a(peer) => Some(peer.clone()),
        _ => None,
    }));
    let servers: HashMap<_, _> = servers.take(MAX_PEERS).map(|server| (key(&server), server)).collect();
    let agents: HashMap<_, _> = agents.take(MAX_PEERS).map(|agent| (key(&agent), agent)).collect();
    let allowed = &launcher.peers();
    let discover = |(key, server)| async move { (key, allowed.discover_mcp(&server).await) };
    let fetch = |(key, agent)| async move { (key, allowed.fetch_card(&agent).await) };
    let (found, cards) =
        tokio::join!(join_all(servers.into_iter().map(discover)), join_all(agents.into_iter().map(fetch)));
    Ok(PeerState { mcp: found.into_iter().collect(), cards: cards.into_iter().collect(), ..peers })
}

fn check_tool(i: usize, tool: &Value, content: &LaunchContent, errors: &[FieldError], peers: &PeerState) -> ToolCheck {
    let path = format!("/tools/{i}");
    let text = |field: &str| tool[field].as_str().unwrap_or_default().to_owned();
    let kind = text("kind");
    let mut checks = vec![shape(&path, errors, &headers_of(tool))];
    match kind.as_str() {
        "mantyx" => checks.push(offered(&text("id"), "tool", &peers.tools)),
        "mantyx_plugin" => checks.push(offered(&text("name"), "plugin tool", &peers.plugins)),
        "mcp" => checks.extend(remote_mcp(tool, peers)),
        "a2a" => checks.push(remote_agent(tool, peers)),
        "local" => checks.push(answered(&text("name"), content, peers)),
        "a2a_local" => {
            checks.push(card(tool));
            checks.push(answered(&text("name"), content, peers));
        }
        "mcp_local" => {
            let names: Vec<&str> = items(&tool["tools"]).filter_map(|listed| listed["name"].as_str()).collect();
            checks.push(CheckKind::Listed.passed(format!("The model sees {} tools.", names.len())));
            checks.extend(names.iter().map(|name| answered(name, content, peers)));
        }
        _ => {}
    }
    let is_found = checks.iter().all(|check| !matches!(check.state, Tone::Warning | Tone::Error));
    if is_found && matches!(kind.as_str(), "mantyx" | "mantyx_plugin" | "mcp" | "a2a") {
        checks.push(CheckKind::Answered.passed("MANTYX calls it and uses its result."));
    }
    let name = if kind == "mantyx" { text("id") } else { text("name") };
    ToolCheck { path, kind, name, checks }
}

fn shape(path: &str, errors: &[FieldError], headers: &Headers) -> Check {
    match (errors.iter().find(|error| is_inside(&error.path, path)), validation::header_without_value(headers)) {
        (None, None) => CheckKind::Shape.passed("Valid."),
        (None, Some(name)) => CheckKind::Shape.warning(
            format!("The header {name} has no value."),
            "Enter it again: header values are not copied from a run or a template.",
        ),
        (Some(error), _) => {
            let place = format!("See {}.", SPEC_FIELDS.describe(&Value::Null, &error.path));
            CheckKind::Shape.failed(&error.message, &place)
        }
    }
}

fn offered(id: &str, what: &str, offer: &Offer<Choice>) -> Check {
    match &offer.unavailable {
        _ if id.is_empty() => CheckKind::Listed.unknown(format!("No {what} is picked yet.")),
        Some(why) => CheckKind::Listed.unknown(why),
        None if offer.items.iter().any(|item| item.id == id) => CheckKind::Listed.passed("The workspace has it."),
        None => {
            let message = format!("The workspace does not list a {what} “{id}”.");
            CheckKind::Listed.warning(message, "Pick one from the list.")
        }
    }
}

/// MANTYX may reach a server that this one can't, so an unreachable server is only a warning.
fn remote_mcp(tool: &Value, peers: &PeerState) -> Vec<Check> {
    let found = match mcp_of_tool(tool).and_then(|endpoint| peers.mcp.get(&key(&endpoint))) {
        None => return vec![not_queried()],
        Some(Err(error)) => return vec![unreachable(error)],
        Some(Ok(found)) => found,
    };
    let count = found.tools.len();
    let wanted: Vec<&str> = items(&tool["toolFilter"]).filter_map(Value::as_str).collect();
    let missing: Vec<&str> = wanted.iter().copied().filter(|name| !has_tool(found, name)).collect();
    let listed = match (missing.join(", "), wanted.len()) {
        // An empty list allows no tool; no list allows all.
        (missing, 0) if missing.is_empty() && tool["toolFilter"].is_array() => {
            let message = format!("The model will see none of its {count} tools.");
            CheckKind::Listed.warning(message, "Check those that it may use, or remove the server.")
        }
        (_, 0) => CheckKind::Listed.passed(format!("The model will see all {count} of its tools.")),
        (missing, chosen) if missing.is_empty() => {
            CheckKind::Listed.passed(format!("It has all {chosen} chosen tools."))
        }
        (missing, _) if found.truncated => {
            CheckKind::Listed.unknown(format!("It has more tools than were read; {missing} may be among them."))
        }
        (missing, _) => CheckKind::Listed
            .failed(format!("It has no tool {missing}."), "Discover its tools again and check those that it has."),
    };
    vec![CheckKind::Reachable.passed("The MCP server answers."), listed]
}

fn remote_agent(tool: &Value, peers: &PeerState) -> Check {
    match a2a_of_tool(tool).and_then(|peer| peers.cards.get(&key(&peer))) {
        None => not_queried(),
        Some(Ok(FoundCard { elsewhere: Some(place), .. })) => {
            let message = format!("Its card is at {place}. MANTYX asks at the address above.");
            CheckKind::Reachable.warning(message, "Fetch the card: that writes its address.")
        }
        Some(Ok(found)) => CheckKind::Reachable.passed(format!("Its card was found: {}.", name_of(found))),
        Some(Err(error)) => unreachable(error),
    }
}

fn unreachable(error: &RemoteError) -> Check {
    match error {
        RemoteError::Refused => {
            CheckKind::Reachable.failed(error.to_string(), "Put the right credentials into the tool's headers.")
        }
        error => CheckKind::Reachable.warning(
            format!("This server cannot use it: {error}"),
            "Check the address. If only MANTYX can reach it, launch anyway.",
        ),
    }
}

fn not_queried() -> Check {
    CheckKind::Reachable.unknown("It was not checked: its address is missing, or there are too many.")
}

fn card(tool: &Value) -> Check {
    let skills = items(&tool["agentCard"]["skills"]).count();
    match tool["agentCard"].is_object() {
        true => CheckKind::Listed.passed(format!("The model sees its card with {skills} skills.")),
        false => CheckKind::Listed.warning("It has no card yet.", "Fetch, paste or upload it."),
    }
}

/// This server has to answer the calls, so an unreachable peer is an error.
fn answered(tool: &str, content: &LaunchContent, peers: &PeerState) -> Check {
    let kind = CheckKind::Answered;
    let timeout_ms = protocol::spec::local_tool_timeout_ms(&content.spec);
    let answerer = content.answers.get(tool).unwrap_or(&Answerer::Hand);
    if let Some(problem) = validation::answerer_problem(answerer) {
        return kind.failed(format!("{tool}: {problem}"), "Fix its responder.");
    }
    match answerer {
        Answerer::Hand => {
            let minutes = timeout_ms.div_ceil(60_000);
            kind.passed(format!("You answer {tool} on the run page; a call waits {minutes} min."))
        }
        Answerer::Canned(reply) if reply.delay_ms >= timeout_ms => kind.warning(
            format!("{tool} is answered later than MANTYX waits, so the call will time out."),
            "Shorten the delay, or launch anyway to see the timeout.",
        ),
        Answerer::Canned(reply) if reply.failed => kind.passed(format!("{tool} fails with the error that you wrote.")),
        Answerer::Canned(_) => kind.passed(format!("{tool} is answered with the reply that you wrote.")),
        Answerer::Mcp { server, tool: own_name } => {
            let name = own_name.as_deref().unwrap_or(tool);
            match peers.mcp.get(&key(server)) {
                None => kind.unknown("Its MCP server was not checked: there are too many."),
                Some(Err(error)) => kind.failed(
                    format!("The MCP server for {tool} cannot be used: {error}"),
                    "Check its address and headers, or choose another way to answer.",
                ),
                Some(Ok(found)) if found.truncated || has_tool(found, name) => {
                    kind.passed(format!("{tool} is answered by the MCP server's {name}."))
                }
                Some(Ok(_)) => kind.failed(
                    format!("The MCP server for {tool} has no tool {name}."),
                    "Discover its tools and choose one that it has.",
                ),
            }
        }
        Answerer::A2a(peer) => match peers.cards.get(&key(peer)) {
            None => kind.unknown("Its agent was not checked: there are too many."),
            Some(Ok(found)) => kind.passed(format!("{tool} is answered by the agent {}.", name_of(found))),
            Some(Err(error)) => kind.failed(
                format!("The agent for {tool} cannot be used: {error}"),
                "Check the address of its card, or choose another way to answer.",
            ),
        },
    }
}

fn mcp_of_tool(tool: &Value) -> Option<McpEndpoint> {
    let url = tool["url"].as_str().filter(|url| tool["kind"] == "mcp" && !url.is_empty())?;
    Some(McpEndpoint::Http { url: url.to_owned(), headers: headers_of(tool) })
}

fn a2a_of_tool(tool: &Value) -> Option<A2aPeer> {
    let url = tool["agentCardUrl"].as_str().filter(|url| tool["kind"] == "a2a" && !url.is_empty())?;
    Some(A2aPeer { card_url: Some(url.to_owned()), card: None, headers: headers_of(tool) })
}

/// Returns the headers of a tool.
pub fn headers_of(tool: &Value) -> Headers {
    let headers = tool["headers"].as_object().into_iter().flatten();
    headers.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect()
}

fn items(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

fn has_tool(found: &McpCatalogue, name: &str) -> bool {
    found.tools.iter().any(|tool| tool["name"] == name)
}

fn name_of(found: &FoundCard) -> &str {
    found.card["name"].as_str().unwrap_or_default()
}

/// Returns the key of a peer.
fn key(peer: &impl Serialize) -> String {
    serde_json::to_string(peer).unwrap_or_default()
}
