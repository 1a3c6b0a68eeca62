//! Agent2Agent over JSON-RPC, in the protocol's versions 0.3 and 1.0: an agent's card, and one message with its reply.
//!
//! Own code: the kept crates bring an HTTP client of their own, which would go round `outbound`.

use std::time::Duration;

use domain::A2aPeer;
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use serde_json::{Value, json};
use url::Url;

use super::{DISCOVERY_TIMEOUT, PeerError, Peers, ToolReply, headers};
use crate::outbound::{self, OutboundError, Request};

const MAX_CARD_BYTES: usize = 256 * 1024;
const MAX_REPLY_BYTES: usize = 4 * 1024 * 1024;
/// Where cards stand: the current place, then the one of the first versions.
const WELL_KNOWN: [&str; 2] = [".well-known/agent-card.json", ".well-known/agent.json"];
const FIRST_LOOK: Duration = Duration::from_millis(250);
const LAST_LOOK: Duration = Duration::from_secs(5);

/// A card, and where it stands if that is not the address that was given.
#[derive(Clone, Debug)]
pub struct FoundCard {
    pub card: Value,
    pub elsewhere: Option<String>,
}

pub async fn fetch_card(peers: &Peers, peer: &A2aPeer) -> Result<FoundCard, PeerError> {
    let Some(address) = peer.card_url.as_deref().filter(|address| !address.trim().is_empty()) else {
        return peer
            .card
            .clone()
            .filter(Value::is_object)
            .map(|card| FoundCard { card, elsewhere: None })
            .ok_or_else(|| PeerError::unusable("Give the address of the agent's card, or the card itself."));
    };
    let address = outbound::parse_url(address)?;
    let headers = headers::parse(&peer.headers)?;
    let mut last = PeerError::unusable("There is no agent card at this address or at its well-known places.");
    for url in card_places(&address) {
        let elsewhere = (url != address).then(|| url.to_string());
        match fetch_card_at(peers, url, headers.clone()).await {
            Ok(Some(card)) => return Ok(FoundCard { card, elsewhere }),
            Ok(None) => {}
            // These hold for the whole host.
            Err(error @ (PeerError::Refused | PeerError::Outbound(OutboundError::NotAllowed(_)))) => return Err(error),
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// Sends one message and waits until the agent has done with it.
pub async fn send(peers: &Peers, peer: &A2aPeer, text: &str, timeout: Duration) -> Result<ToolReply, PeerError> {
    let card = fetch_card(peers, peer).await?.card;
    let endpoint = Endpoint::of(&card)?;
    // Credentials go to the host that they were given for. A card may name any other.
    let meant_for = peer.card_url.as_deref().map(outbound::parse_url).transpose()?;
    let headers = match meant_for {
        Some(url) if url.origin() != endpoint.url.origin() => HeaderMap::new(),
        _ => headers::parse(&peer.headers)?,
    };
    let rpc = Rpc { peers, endpoint: &endpoint, headers, timeout };
    let mut result = rpc.call(endpoint.version.send_method(), endpoint.version.send_params(text)).await?;
    let mut pause = FIRST_LOOK;
    loop {
        match read(&result)? {
            Progress::Done(reply) => return Ok(reply),
            Progress::Working { task_id } => {
                tokio::time::sleep(pause).await;
                pause = (pause * 2).min(LAST_LOOK);
                result = rpc.call(endpoint.version.get_method(), json!({ "id": task_id })).await?;
            }
        }
    }
}

fn card_places(address: &Url) -> Vec<Url> {
    if address.path().ends_with(".json") {
        return vec![address.clone()];
    }
    let mut base = address.clone();
    base.set_query(None);
    if !base.path().ends_with('/') {
        base.set_path(&format!("{}/", base.path()));
    }
    let mut places = vec![address.clone()];
    places.extend(WELL_KNOWN.iter().filter_map(|place| base.join(place).ok()));
    let at_root = WELL_KNOWN.iter().filter_map(|place| base.join(&format!("/{place}")).ok());
    places.extend(at_root.filter(|_| base.path() != "/"));
    places
}

async fn fetch_card_at(peers: &Peers, url: Url, headers: HeaderMap) -> Result<Option<Value>, PeerError> {
    let request = Request { method: Method::GET, url, headers, body: None, timeout: DISCOVERY_TIMEOUT };
    let answer = peers.outbound.send(request).await?;
    match answer.status() {
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => Err(PeerError::Refused),
        status if status.is_success() => {
            let card: Option<Value> = serde_json::from_slice(&answer.bytes(MAX_CARD_BYTES).await?).ok();
            let card = card.filter(|card| card["name"].is_string());
            card.map(Some).ok_or_else(|| PeerError::unusable("What stands at this address is not an agent card."))
        }
        _ => Ok(None),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Version {
    V0_3,
    V1,
}

#[derive(Debug)]
struct Endpoint {
    url: Url,
    version: Version,
}

impl Endpoint {
    /// The JSON-RPC endpoint that a card names.
    fn of(card: &Value) -> Result<Self, PeerError> {
        let is_json_rpc = |name: &Value| name.as_str().is_some_and(|name| name.eq_ignore_ascii_case("jsonrpc"));
        let interfaces = |field: &str| card[field].as_array().cloned().unwrap_or_default();
        let current =
            interfaces("supportedInterfaces").into_iter().find(|found| is_json_rpc(&found["protocolBinding"]));
        let (url, version) = if let Some(found) = current {
            let old = found["protocolVersion"].as_str().is_some_and(|version| version.starts_with("0."));
            (found["url"].clone(), if old { Version::V0_3 } else { Version::V1 })
        } else if card["preferredTransport"].is_null() || is_json_rpc(&card["preferredTransport"]) {
            (card["url"].clone(), Version::V0_3)
        } else {
            let other = interfaces("additionalInterfaces").into_iter().find(|found| is_json_rpc(&found["transport"]));
            (other.map(|found| found["url"].clone()).unwrap_or_default(), Version::V0_3)
        };
        let url = url.as_str().ok_or_else(|| {
            PeerError::unusable("The card names no JSON-RPC address, the only kind that this server speaks.")
        })?;
        Ok(Self { url: outbound::parse_url(url)?, version })
    }
}

impl Version {
    fn send_method(self) -> &'static str {
        match self {
            Self::V0_3 => "message/send",
            Self::V1 => "SendMessage",
        }
    }

    fn get_method(self) -> &'static str {
        match self {
            Self::V0_3 => "tasks/get",
            Self::V1 => "GetTask",
        }
    }

    fn send_params(self, text: &str) -> Value {
        let id = crate::random::reference();
        match self {
            Self::V0_3 => json!({
                "message": { "kind": "message", "messageId": id, "role": "user", "parts": [{ "kind": "text", "text": text }] },
                "configuration": { "blocking": true, "acceptedOutputModes": ["text/plain", "application/json"] },
            }),
            Self::V1 => json!({
                "message": { "messageId": id, "role": "ROLE_USER", "parts": [{ "text": text }] },
                "configuration": { "acceptedOutputModes": ["text/plain", "application/json"] },
            }),
        }
    }
}

struct Rpc<'a> {
    peers: &'a Peers,
    endpoint: &'a Endpoint,
    headers: HeaderMap,
    timeout: Duration,
}

impl Rpc<'_> {
    async fn call(&self, method: &str, params: Value) -> Result<Value, PeerError> {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let mut headers = self.headers.clone();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(header::ACCEPT, HeaderValue::from_static("application/json"));
        if self.endpoint.version == Version::V1 {
            headers.insert("a2a-version", HeaderValue::from_static("1.0"));
        }
        let request = Request {
            method: Method::POST,
            url: self.endpoint.url.clone(),
            headers,
            body: Some(body.to_string().into_bytes()),
            timeout: self.timeout,
        };
        let answer = self.peers.outbound.send(request).await?;
        let status = answer.status();
        if matches!(status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
            return Err(PeerError::Refused);
        }
        let reply: Value = serde_json::from_slice(&answer.bytes(MAX_REPLY_BYTES).await?).unwrap_or_default();
        if let Some(error) = reply["error"]["message"].as_str() {
            return Err(PeerError::quoting("The agent answered with an error", error));
        }
        match reply.get("result") {
            Some(result) if status.is_success() => Ok(result.clone()),
            _ => Err(PeerError::unusable(format!("The agent answered {status} without a result."))),
        }
    }
}

#[derive(Debug, PartialEq)]
enum Progress {
    Done(ToolReply),
    Working { task_id: String },
}

/// Reads a reply in either version's words: a message, or a task in some state.
fn read(result: &Value) -> Result<Progress, PeerError> {
    let message = result.get("message").or_else(|| Some(result).filter(|result| result["kind"] == "message"));
    if let Some(message) = message.filter(|message| message["parts"].is_array()) {
        return Ok(Progress::Done(Ok(parts_text(message))));
    }
    let task = result.get("task").unwrap_or(result);
    let state = task["status"]["state"].as_str().unwrap_or_default().trim_start_matches("TASK_STATE_");
    let said = || Some(parts_text(&task["status"]["message"])).filter(|text| !text.is_empty());
    match state.to_ascii_lowercase().replace('_', "-").as_str() {
        "completed" => {
            let artifacts = task["artifacts"].as_array().into_iter().flatten().map(parts_text);
            let texts: Vec<String> = artifacts.filter(|text| !text.is_empty()).collect();
            let text = if texts.is_empty() { said().unwrap_or_default() } else { texts.join("\n\n") };
            Ok(Progress::Done(Ok(text)))
        }
        "input-required" => {
            Ok(Progress::Done(Ok(format!("The agent asks back: {}", said().unwrap_or_else(|| "(nothing)".to_owned())))))
        }
        state @ ("failed" | "rejected" | "canceled" | "auth-required") => {
            let why = said().map(|text| format!(": {text}")).unwrap_or_default();
            Ok(Progress::Done(Err(format!("The agent's task is {state}{why}"))))
        }
        "submitted" | "working" => {
            let id = task["id"].as_str().ok_or_else(|| PeerError::unusable("The agent's task has no id."))?;
            Ok(Progress::Working { task_id: id.to_owned() })
        }
        _ => Err(PeerError::unusable("The agent's reply is neither a message nor a task.")),
    }
}

/// The text of a message or an artifact; data parts as JSON.
fn parts_text(holder: &Value) -> String {
    let parts = holder["parts"].as_array().into_iter().flatten();
    let texts = parts.filter_map(|part| match part["text"].as_str() {
        Some(text) => Some(text.to_owned()),
        None => part.get("data").filter(|data| !data.is_null()).map(Value::to_string),
    });
    texts.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_endpoint_is_read_from_cards_of_both_versions() {
        let check = |card: Value| Endpoint::of(&card).map(|found| (found.url.to_string(), found.version));
        let url = "https://a.test/rpc".to_owned();
        assert_eq!(check(json!({ "name": "a", "url": url })), Ok((url.clone(), Version::V0_3)));
        let new = json!({ "supportedInterfaces": [
            { "url": "https://a.test/rest", "protocolBinding": "HTTP+JSON" },
            { "url": url, "protocolBinding": "JSONRPC", "protocolVersion": "1.0" },
        ] });
        assert_eq!(check(new), Ok((url.clone(), Version::V1)));
        let mixed = json!({ "url": "https://a.test/grpc", "preferredTransport": "GRPC",
            "additionalInterfaces": [{ "url": url, "transport": "JSONRPC" }] });
        assert_eq!(check(mixed), Ok((url, Version::V0_3)));
        assert!(check(json!({ "name": "a" })).is_err());
        assert!(check(json!({ "url": "file:///etc/passwd" })).is_err());
    }

    #[test]
    fn cards_are_looked_for_at_the_address_below_it_and_at_the_root() {
        let places = |address: &str| -> Vec<String> {
            card_places(&Url::parse(address).expect("a URL")).iter().map(|url| url.path().to_owned()).collect()
        };
        assert_eq!(places("https://a.test"), ["/", "/.well-known/agent-card.json", "/.well-known/agent.json"]);
        assert_eq!(places("https://a.test/x")[..2], ["/x", "/x/.well-known/agent-card.json"]);
        assert_eq!(places("https://a.test/x").len(), 5);
        assert_eq!(places("https://a.test/card.json"), ["/card.json"]);
    }

    #[test]
    fn a_reply_is_read_in_the_words_of_both_versions() {
        let done = |result: Value| read(&result).expect("readable");
        let ok = |text: &str| Progress::Done(Ok(text.to_owned()));
        assert_eq!(done(json!({ "kind": "message", "parts": [{ "kind": "text", "text": "hi" }] })), ok("hi"));
        assert_eq!(
            done(json!({ "message": { "parts": [{ "text": "hi" }, { "data": { "a": 1 } }] } })),
            ok("hi\n{\"a\":1}")
        );
        let task = |state: &str| {
            json!({ "id": "t", "status": { "state": state, "message": { "parts": [{ "text": "why" }] } },
            "artifacts": [{ "parts": [{ "text": "made" }] }] })
        };
        assert_eq!(done(task("completed")), ok("made"));
        assert_eq!(done(json!({ "task": task("TASK_STATE_COMPLETED") })), ok("made"));
        assert_eq!(done(json!({ "task": task("TASK_STATE_WORKING") })), Progress::Working { task_id: "t".to_owned() });
        assert!(matches!(done(task("failed")), Progress::Done(Err(text)) if text.contains("why")));
        assert!(matches!(done(task("input-required")), Progress::Done(Ok(text)) if text.contains("asks back: why")));
        assert!(read(&json!({})).is_err());
    }
}
