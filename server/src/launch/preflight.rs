//! Looks at each tool of a spec before it is launched: is it well written, there, complete, and answered?

mod here;

use std::collections::HashMap;

use app::launch::work::told::place_in_words;
use app::launch::{LaunchContent, Light, LightState, Offer, Question, ToolCheck};
use domain::{A2aPeer, Answerer, Headers, McpEndpoint, McpTool};
use protocol::validate::{self, FieldError};
use remote_tools::RemoteError;
use remote_tools::a2a::FoundCard;
use remote_tools::mcp::McpCatalogue;
use serde_json::Value;

use super::{Launcher, catalogue, check};
use crate::error::Error;
use crate::state::AppState;

/// Peers looked at for one preflight: a spec with more names most of them twice.
const MAX_PEERS: usize = 24;

pub async fn run(state: &AppState, launcher: &Launcher, content: &LaunchContent) -> Result<Vec<ToolCheck>, Error> {
    let tools: Vec<Value> = content.spec["tools"].as_array().cloned().unwrap_or_default();
    let faults = validate::validate(&content.spec);
    let seen = look(state, launcher, content, &tools).await?;
    Ok(tools.iter().enumerate().map(|(i, tool)| check_tool(i, tool, content, &faults, &seen)).collect())
}

/// What was found out about the world, once for each peer.
#[derive(Default)]
struct Seen {
    mcp: HashMap<String, Result<McpCatalogue, RemoteError>>,
    cards: HashMap<String, Result<FoundCard, RemoteError>>,
    tools: Offer<String>,
    plugins: Offer<String>,
}

async fn look(state: &AppState, launcher: &Launcher, content: &LaunchContent, tools: &[Value]) -> Result<Seen, Error> {
    let mut seen = Seen::default();
    let uses = |kind: &str| tools.iter().any(|tool| tool["kind"] == kind);
    let ids = |offer: Offer<app::launch::Choice>| Offer {
        items: offer.items.into_iter().map(|choice| choice.id).collect(),
        unavailable: offer.unavailable,
    };
    if uses("mantyx") {
        seen.tools = ids(catalogue::choices(state, launcher, "tools").await?);
    }
    if uses("mantyx_plugin") {
        seen.plugins = ids(catalogue::choices(state, launcher, "plugins").await?);
    }
    let (mut servers, mut agents) = (HashMap::new(), HashMap::new());
    let named = tools.iter().filter_map(mcp_of_ref).chain(content.answers.values().filter_map(mcp_of_answer));
    servers.extend(named.take(MAX_PEERS).map(|endpoint| (endpoint_key(&endpoint), endpoint)));
    let named = tools.iter().filter_map(a2a_of_ref).chain(content.answers.values().filter_map(a2a_of_answer));
    agents.extend(named.take(MAX_PEERS).map(|peer| (peer_key(&peer), peer)));
    let (found, cards) = tokio::join!(
        futures::future::join_all(
            servers.into_iter().map(|(key, endpoint)| async move { (key, state.peers.discover_mcp(&endpoint).await) })
        ),
        futures::future::join_all(
            agents.into_iter().map(|(key, peer)| async move { (key, state.peers.fetch_card(&peer).await) })
        ),
    );
    (seen.mcp, seen.cards) = (found.into_iter().collect(), cards.into_iter().collect());
    Ok(seen)
}

fn check_tool(i: usize, tool: &Value, content: &LaunchContent, faults: &[FieldError], seen: &Seen) -> ToolCheck {
    let path = format!("/tools/{i}");
    let text = |field: &str| tool[field].as_str().unwrap_or_default().to_owned();
    let kind = text("kind");
    let mut lights = vec![shape(&path, faults, &headers_of(tool))];
    match kind.as_str() {
        "mantyx" => lights.push(offered(&text("id"), "tool", &seen.tools)),
        "mantyx_plugin" => lights.push(offered(&text("name"), "plugin tool", &seen.plugins)),
        "mcp" => lights.extend(remote_mcp(tool, seen)),
        "a2a" => lights.push(remote_agent(tool, seen)),
        "local" => lights.push(answered(&text("name"), content, seen)),
        "a2a_local" => {
            lights.extend(here::agent(tool, content, seen));
            lights.push(answered(&text("name"), content, seen));
        }
        "mcp_local" => {
            lights.extend(here::catalogue(tool, content, seen));
            let listed = tool["tools"].as_array().into_iter().flatten();
            let names = listed.filter_map(|listed| listed["name"].as_str());
            lights.extend(names.map(|name| answered(name, content, seen)));
        }
        _ => {}
    }
    if matches!(kind.as_str(), "mantyx" | "mantyx_plugin" | "mcp" | "a2a") {
        lights.push(light(Question::Answered, LightState::Good, "MANTYX calls it and takes its answer."));
    }
    let name = if kind == "mantyx" { text("id") } else { text("name") };
    ToolCheck { path, kind, name, lights }
}

fn shape(path: &str, faults: &[FieldError], headers: &Headers) -> Light {
    let inside = |fault: &&FieldError| fault.path == path || fault.path.starts_with(&format!("{path}/"));
    match faults.iter().find(inside) {
        None => match check::header_without_value(headers) {
            None => light(Question::Shape, LightState::Good, "It is written as MANTYX wants it."),
            Some(name) => light(Question::Shape, LightState::Warning, format!("The header {name} has no value."))
                .with_fix("Write it again: header values are not passed on with a run or a template."),
        },
        Some(fault) => light(Question::Shape, LightState::Bad, fault.message.clone())
            .with_fix(format!("See {}.", place_in_words(&fault.path))),
    }
}

fn offered(id: &str, what: &str, offer: &Offer<String>) -> Light {
    match &offer.unavailable {
        _ if id.is_empty() => light(Question::Listed, LightState::Unknown, format!("No {what} is picked yet.")),
        Some(why) => light(Question::Listed, LightState::Unknown, why.clone()),
        None if offer.items.iter().any(|item| item == id) => {
            light(Question::Listed, LightState::Good, "The workspace has it.")
        }
        None => light(Question::Listed, LightState::Warning, format!("The workspace does not list a {what} “{id}”."))
            .with_fix("Pick one from the list."),
    }
}

/// MANTYX calls it, and may reach what this server cannot: not reaching it is a warning.
fn remote_mcp(tool: &Value, seen: &Seen) -> Vec<Light> {
    let Some(found) = mcp_of_ref(tool).and_then(|endpoint| seen.mcp.get(&endpoint_key(&endpoint))) else {
        return vec![not_looked_at()];
    };
    let found = match found {
        Ok(found) => found,
        Err(error) => return vec![out_of_reach(error)],
    };
    let mut lights = vec![light(Question::Reachable, LightState::Good, "The MCP server answers.")];
    let has = |name: &str| found.tools.iter().any(|tool| tool["name"] == name);
    let wanted: Vec<&str> = tool["toolFilter"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let missing: Vec<&str> = wanted.iter().copied().filter(|name| !has(name)).collect();
    lights.push(match (missing.as_slice(), wanted.len()) {
        // An empty list allows nothing; without a list all is allowed.
        ([], 0) if tool["toolFilter"].is_array() => {
            let count = found.tools.len();
            light(Question::Listed, LightState::Warning, format!("The model will see none of its {count} tools."))
                .with_fix("Tick those that it may use, or remove the server.")
        }
        ([], 0) => light(
            Question::Listed,
            LightState::Good,
            format!("The model will see all {} of its tools.", found.tools.len()),
        ),
        ([], count) => light(Question::Listed, LightState::Good, format!("It has all {count} chosen tools.")),
        (missing, _) if found.truncated => light(
            Question::Listed,
            LightState::Unknown,
            format!("It has more tools than were read; {} may be among them.", missing.join(", ")),
        ),
        (missing, _) => light(Question::Listed, LightState::Bad, format!("It has no tool {}.", missing.join(", ")))
            .with_fix("Discover its tools again and tick those that it has."),
    });
    lights
}

fn remote_agent(tool: &Value, seen: &Seen) -> Light {
    match a2a_of_ref(tool).and_then(|peer| seen.cards.get(&peer_key(&peer))) {
        None => not_looked_at(),
        Some(Ok(FoundCard { elsewhere: Some(place), .. })) => light(
            Question::Reachable,
            LightState::Warning,
            format!("Its card stands at {place}. MANTYX asks at the address above."),
        )
        .with_fix("Fetch the card: that writes its address."),
        Some(Ok(FoundCard { card, .. })) => {
            let name = card["name"].as_str().unwrap_or_default();
            light(Question::Reachable, LightState::Good, format!("Its card is there: {name}."))
        }
        Some(Err(error)) => out_of_reach(error),
    }
}

fn out_of_reach(error: &RemoteError) -> Light {
    match error {
        RemoteError::Refused => light(Question::Reachable, LightState::Bad, error.to_string())
            .with_fix("Put the right credentials into the tool's headers."),
        error => light(Question::Reachable, LightState::Warning, format!("This server cannot use it: {error}"))
            .with_fix("Check the address. If only MANTYX can reach it, launch anyway."),
    }
}

fn not_looked_at() -> Light {
    light(
        Question::Reachable,
        LightState::Unknown,
        "It was not looked at: its address is missing, or there are too many.",
    )
}

/// Somebody here has to answer: that it cannot is an error.
fn answered(tool: &str, content: &LaunchContent, seen: &Seen) -> Light {
    let good = |message: String| light(Question::Answered, LightState::Good, message);
    let bad = |message: String| light(Question::Answered, LightState::Bad, message);
    let answerer = content.answers.get(tool).unwrap_or(&Answerer::Hand);
    if let Some(problem) = check::answerer_problem(answerer) {
        return bad(format!("{tool}: {problem}")).with_fix("Mend how it is answered.");
    }
    match answerer {
        Answerer::Hand => {
            let minutes = protocol::spec::local_tool_timeout_ms(&content.spec).div_ceil(60_000);
            good(format!("You answer {tool} in the run's page; a call waits {minutes} min."))
        }
        Answerer::Canned(reply) if reply.delay_ms >= protocol::spec::local_tool_timeout_ms(&content.spec) => {
            let message = format!("{tool} is answered later than MANTYX waits, so the call will time out.");
            light(Question::Answered, LightState::Warning, message)
                .with_fix("Shorten the delay, or launch it to see that.")
        }
        Answerer::Canned(reply) if reply.failed => good(format!("{tool} fails with the error that you wrote.")),
        Answerer::Canned(_) => good(format!("{tool} is answered with the reply that you wrote.")),
        Answerer::Mcp(McpTool { server, tool: own_name }) => {
            let name = own_name.as_deref().unwrap_or(tool);
            match seen.mcp.get(&endpoint_key(server)) {
                None => light(
                    Question::Answered,
                    LightState::Unknown,
                    "Its MCP server was not looked at: there are too many.",
                ),
                Some(Err(error)) => bad(format!("The MCP server for {tool} cannot be used: {error}"))
                    .with_fix("Check its address and headers, or choose another way to answer."),
                Some(Ok(found)) if found.truncated || found.tools.iter().any(|tool| tool["name"] == name) => {
                    good(format!("{tool} is answered by the MCP server's {name}."))
                }
                Some(Ok(_)) => bad(format!("The MCP server for {tool} has no tool {name}."))
                    .with_fix("Discover its tools and choose one that it has."),
            }
        }
        Answerer::A2a(peer) => match seen.cards.get(&peer_key(peer)) {
            None => light(Question::Answered, LightState::Unknown, "Its agent was not looked at: there are too many."),
            Some(Ok(FoundCard { card, .. })) => {
                good(format!("{tool} is answered by the agent {}.", card["name"].as_str().unwrap_or_default()))
            }
            Some(Err(error)) => bad(format!("The agent for {tool} cannot be used: {error}"))
                .with_fix("Check the address of its card, or choose another way to answer."),
        },
    }
}

fn mcp_of_ref(tool: &Value) -> Option<McpEndpoint> {
    let url = tool["url"].as_str().filter(|url| tool["kind"] == "mcp" && !url.is_empty())?;
    Some(McpEndpoint::Http { url: url.to_owned(), headers: headers_of(tool) })
}

fn mcp_of_answer(answerer: &Answerer) -> Option<McpEndpoint> {
    match answerer {
        Answerer::Mcp(tool) => Some(tool.server.clone()),
        _ => None,
    }
}

fn a2a_of_ref(tool: &Value) -> Option<A2aPeer> {
    let url = tool["agentCardUrl"].as_str().filter(|url| tool["kind"] == "a2a" && !url.is_empty())?;
    Some(A2aPeer { card_url: Some(url.to_owned()), card: None, headers: headers_of(tool) })
}

fn a2a_of_answer(answerer: &Answerer) -> Option<A2aPeer> {
    match answerer {
        Answerer::A2a(peer) => Some(peer.clone()),
        _ => None,
    }
}

fn headers_of(tool: &Value) -> Headers {
    let headers = tool["headers"].as_object().into_iter().flatten();
    headers.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect()
}

fn endpoint_key(endpoint: &McpEndpoint) -> String {
    serde_json::to_string(endpoint).unwrap_or_default()
}

fn peer_key(peer: &A2aPeer) -> String {
    serde_json::to_string(peer).unwrap_or_default()
}

fn light(what: Question, state: LightState, message: impl Into<String>) -> Light {
    Light { what, state, message: message.into(), fix: None }
}
