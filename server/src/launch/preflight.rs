//! Checks each tool of a spec before a launch: its fields, its server, its listed tools and its answerer.

mod local;

use std::collections::HashMap;

use app::launch::{Check, CheckKind, CheckState, ToolCheck};
use domain::{A2aPeer, Answerer, Headers, McpEndpoint, McpTool};
use protocol::fields::SPEC_FIELDS;
use protocol::validate::{Body, FieldError, validate};
use remote_tools::RemoteError;
use remote_tools::a2a::FoundCard;
use remote_tools::mcp::McpCatalogue;
use serde_json::Value;

use super::catalogue::{self, Choice, Offer};
use super::{LaunchContent, Launcher, validation};
use crate::error::Error;
use crate::state::AppState;

/// The most peers that one preflight queries. A spec with more mostly repeats them.
const MAX_PEERS: usize = 24;

pub async fn run(state: &AppState, launcher: &Launcher, content: &LaunchContent) -> Result<Vec<ToolCheck>, Error> {
    let tools: Vec<Value> = content.spec["tools"].as_array().cloned().unwrap_or_default();
    let errors = validate(Body::Run, &content.spec);
    let peers = query_peers(state, launcher, content, &tools).await?;
    Ok(tools.iter().enumerate().map(|(i, tool)| check_tool(i, tool, content, &errors, &peers)).collect())
}

/// The responses of peers, one for each address.
#[derive(Default)]
struct PeerState {
    mcp: HashMap<String, Result<McpCatalogue, RemoteError>>,
    cards: HashMap<String, Result<FoundCard, RemoteError>>,
    tools: Offer<String>,
    plugins: Offer<String>,
}

async fn query_peers(
    state: &AppState,
    launcher: &Launcher,
    content: &LaunchContent,
    tools: &[Value],
) -> Result<PeerState, Error> {
    let mut peers = PeerState::default();
    let uses = |kind: &str| tools.iter().any(|tool| tool["kind"] == kind);
    let ids = |offer: Offer<Choice>| Offer {
        items: offer.items.into_iter().map(|choice| choice.id).collect(),
        unavailable: offer.unavailable,
    };
    if uses("mantyx") {
        peers.tools = ids(catalogue::choices(state, launcher, "tools").await?);
    }
    if uses("mantyx_plugin") {
        peers.plugins = ids(catalogue::choices(state, launcher, "plugins").await?);
    }
    let (mut servers, mut agents) = (HashMap::new(), HashMap::new());
    let named = tools.iter().filter_map(mcp_of_tool).chain(content.answers.values().filter_map(mcp_of_answerer));
    servers.extend(named.take(MAX_PEERS).map(|endpoint| (endpoint_key(&endpoint), endpoint)));
    let named = tools.iter().filter_map(a2a_of_tool).chain(content.answers.values().filter_map(a2a_of_answerer));
    agents.extend(named.take(MAX_PEERS).map(|peer| (peer_key(&peer), peer)));
    let allowed = &state.peers.of(&launcher.caller.slug);
    let (found, cards) = tokio::join!(
        futures::future::join_all(
            servers.into_iter().map(|(key, endpoint)| async move { (key, allowed.discover_mcp(&endpoint).await) })
        ),
        futures::future::join_all(
            agents.into_iter().map(|(key, peer)| async move { (key, allowed.fetch_card(&peer).await) })
        ),
    );
    (peers.mcp, peers.cards) = (found.into_iter().collect(), cards.into_iter().collect());
    Ok(peers)
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
            checks.extend(local::agent(tool, content, peers));
            checks.push(answered(&text("name"), content, peers));
        }
        "mcp_local" => {
            checks.extend(local::catalogue(tool, content, peers));
            let listed = tool["tools"].as_array().into_iter().flatten();
            let names = listed.filter_map(|listed| listed["name"].as_str());
            checks.extend(names.map(|name| answered(name, content, peers)));
        }
        _ => {}
    }
    let is_found = checks.iter().all(|check| !matches!(check.state, CheckState::Warning | CheckState::Failed));
    if is_found && matches!(kind.as_str(), "mantyx" | "mantyx_plugin" | "mcp" | "a2a") {
        checks.push(check(CheckKind::Answered, CheckState::Passed, "MANTYX calls it and takes its answer."));
    }
    let name = if kind == "mantyx" { text("id") } else { text("name") };
    ToolCheck { path, kind, name, checks }
}

fn shape(path: &str, errors: &[FieldError], headers: &Headers) -> Check {
    let inside = |error: &&FieldError| error.path == path || error.path.starts_with(&format!("{path}/"));
    match errors.iter().find(inside) {
        None => match validation::header_without_value(headers) {
            None => check(CheckKind::Shape, CheckState::Passed, "Valid."),
            Some(name) => check(CheckKind::Shape, CheckState::Warning, format!("The header {name} has no value."))
                .with_fix("Enter it again: header values are not copied from a run or a template."),
        },
        Some(error) => check(CheckKind::Shape, CheckState::Failed, error.message.clone())
            .with_fix(format!("See {}.", SPEC_FIELDS.describe(&error.path))),
    }
}

fn offered(id: &str, what: &str, offer: &Offer<String>) -> Check {
    match &offer.unavailable {
        _ if id.is_empty() => check(CheckKind::Listed, CheckState::Unknown, format!("No {what} is picked yet.")),
        Some(why) => check(CheckKind::Listed, CheckState::Unknown, why.clone()),
        None if offer.items.iter().any(|item| item == id) => {
            check(CheckKind::Listed, CheckState::Passed, "The workspace has it.")
        }
        None => check(CheckKind::Listed, CheckState::Warning, format!("The workspace does not list a {what} “{id}”."))
            .with_fix("Pick one from the list."),
    }
}

/// MANTYX may reach a server that this one can't, so an unreachable server is only a warning.
fn remote_mcp(tool: &Value, peers: &PeerState) -> Vec<Check> {
    let Some(found) = mcp_of_tool(tool).and_then(|endpoint| peers.mcp.get(&endpoint_key(&endpoint))) else {
        return vec![not_queried()];
    };
    let found = match found {
        Ok(found) => found,
        Err(error) => return vec![unreachable(error)],
    };
    let mut checks = vec![check(CheckKind::Reachable, CheckState::Passed, "The MCP server answers.")];
    let has = |name: &str| found.tools.iter().any(|tool| tool["name"] == name);
    let wanted: Vec<&str> = tool["toolFilter"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let missing: Vec<&str> = wanted.iter().copied().filter(|name| !has(name)).collect();
    checks.push(match (missing.as_slice(), wanted.len()) {
        // An empty list allows no tool; no list allows all.
        ([], 0) if tool["toolFilter"].is_array() => {
            let count = found.tools.len();
            check(CheckKind::Listed, CheckState::Warning, format!("The model will see none of its {count} tools."))
                .with_fix("Tick those that it may use, or remove the server.")
        }
        ([], 0) => check(
            CheckKind::Listed,
            CheckState::Passed,
            format!("The model will see all {} of its tools.", found.tools.len()),
        ),
        ([], count) => check(CheckKind::Listed, CheckState::Passed, format!("It has all {count} chosen tools.")),
        (missing, _) if found.truncated => check(
            CheckKind::Listed,
            CheckState::Unknown,
            format!("It has more tools than were read; {} may be among them.", missing.join(", ")),
        ),
        (missing, _) => check(CheckKind::Listed, CheckState::Failed, format!("It has no tool {}.", missing.join(", ")))
            .with_fix("Discover its tools again and tick those that it has."),
    });
    checks
}

fn remote_agent(tool: &Value, peers: &PeerState) -> Check {
    match a2a_of_tool(tool).and_then(|peer| peers.cards.get(&peer_key(&peer))) {
        None => not_queried(),
        Some(Ok(FoundCard { elsewhere: Some(place), .. })) => check(
            CheckKind::Reachable,
            CheckState::Warning,
            format!("Its card stands at {place}. MANTYX asks at the address above."),
        )
        .with_fix("Fetch the card: that writes its address."),
        Some(Ok(FoundCard { card, .. })) => {
            let name = card["name"].as_str().unwrap_or_default();
            check(CheckKind::Reachable, CheckState::Passed, format!("Its card is there: {name}."))
        }
        Some(Err(error)) => unreachable(error),
    }
}

fn unreachable(error: &RemoteError) -> Check {
    match error {
        RemoteError::Refused => check(CheckKind::Reachable, CheckState::Failed, error.to_string())
            .with_fix("Put the right credentials into the tool's headers."),
        error => check(CheckKind::Reachable, CheckState::Warning, format!("This server cannot use it: {error}"))
            .with_fix("Check the address. If only MANTYX can reach it, launch anyway."),
    }
}

fn not_queried() -> Check {
    check(
        CheckKind::Reachable,
        CheckState::Unknown,
        "It was not looked at: its address is missing, or there are too many.",
    )
}

/// This server has to answer the calls, so an unreachable peer is an error.
fn answered(tool: &str, content: &LaunchContent, peers: &PeerState) -> Check {
    let passed = |message: String| check(CheckKind::Answered, CheckState::Passed, message);
    let failed = |message: String| check(CheckKind::Answered, CheckState::Failed, message);
    let answerer = content.answers.get(tool).unwrap_or(&Answerer::Hand);
    if let Some(problem) = validation::answerer_problem(answerer) {
        return failed(format!("{tool}: {problem}")).with_fix("Mend how it is answered.");
    }
    match answerer {
        Answerer::Hand => {
            let minutes = protocol::spec::local_tool_timeout_ms(&content.spec).div_ceil(60_000);
            passed(format!("You answer {tool} in the run's page; a call waits {minutes} min."))
        }
        Answerer::Canned(reply) if reply.delay_ms >= protocol::spec::local_tool_timeout_ms(&content.spec) => {
            let message = format!("{tool} is answered later than MANTYX waits, so the call will time out.");
            check(CheckKind::Answered, CheckState::Warning, message)
                .with_fix("Shorten the delay, or launch it to see that.")
        }
        Answerer::Canned(reply) if reply.failed => passed(format!("{tool} fails with the error that you wrote.")),
        Answerer::Canned(_) => passed(format!("{tool} is answered with the reply that you wrote.")),
        Answerer::Mcp(McpTool { server, tool: own_name }) => {
            let name = own_name.as_deref().unwrap_or(tool);
            match peers.mcp.get(&endpoint_key(server)) {
                None => check(
                    CheckKind::Answered,
                    CheckState::Unknown,
                    "Its MCP server was not looked at: there are too many.",
                ),
                Some(Err(error)) => failed(format!("The MCP server for {tool} cannot be used: {error}"))
                    .with_fix("Check its address and headers, or choose another way to answer."),
                Some(Ok(found)) if found.truncated || found.tools.iter().any(|tool| tool["name"] == name) => {
                    passed(format!("{tool} is answered by the MCP server's {name}."))
                }
                Some(Ok(_)) => failed(format!("The MCP server for {tool} has no tool {name}."))
                    .with_fix("Discover its tools and choose one that it has."),
            }
        }
        Answerer::A2a(peer) => match peers.cards.get(&peer_key(peer)) {
            None => check(CheckKind::Answered, CheckState::Unknown, "Its agent was not looked at: there are too many."),
            Some(Ok(FoundCard { card, .. })) => {
                passed(format!("{tool} is answered by the agent {}.", card["name"].as_str().unwrap_or_default()))
            }
            Some(Err(error)) => failed(format!("The agent for {tool} cannot be used: {error}"))
                .with_fix("Check the address of its card, or choose another way to answer."),
        },
    }
}

fn mcp_of_tool(tool: &Value) -> Option<McpEndpoint> {
    let url = tool["url"].as_str().filter(|url| tool["kind"] == "mcp" && !url.is_empty())?;
    Some(McpEndpoint::Http { url: url.to_owned(), headers: headers_of(tool) })
}

fn mcp_of_answerer(answerer: &Answerer) -> Option<McpEndpoint> {
    match answerer {
        Answerer::Mcp(tool) => Some(tool.server.clone()),
        _ => None,
    }
}

fn a2a_of_tool(tool: &Value) -> Option<A2aPeer> {
    let url = tool["agentCardUrl"].as_str().filter(|url| tool["kind"] == "a2a" && !url.is_empty())?;
    Some(A2aPeer { card_url: Some(url.to_owned()), card: None, headers: headers_of(tool) })
}

fn a2a_of_answerer(answerer: &Answerer) -> Option<A2aPeer> {
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

fn check(kind: CheckKind, state: CheckState, message: impl Into<String>) -> Check {
    Check { kind, state, message: message.into(), fix: None }
}
