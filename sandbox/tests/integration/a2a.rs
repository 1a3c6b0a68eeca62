//! Tests of delegation to A2A agents.

use std::sync::{Arc, Mutex};

use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::{Json, Router};
use serde_json::{Value, json};

use crate::support::*;

/// An agent at one address, which records its requests.
struct Peer {
    url: String,
    requests: Arc<Mutex<Vec<(String, HeaderMap, Value)>>>,
}

#[derive(Clone)]
struct Behaviour {
    endpoint: &'static str,
    /// The JSON-RPC method it knows; `None` for HTTP+JSON.
    method: Option<&'static str>,
    reply: Value,
    card: Option<Value>,
    requests: Arc<Mutex<Vec<(String, HeaderMap, Value)>>>,
}

async fn start(endpoint: &'static str, method: Option<&'static str>, card: Option<Value>, reply: Value) -> Peer {
    let requests: Arc<Mutex<Vec<_>>> = Arc::default();
    let behaviour = Behaviour { endpoint, method, reply, card, requests: requests.clone() };
    let router = Router::new().fallback(answer).with_state(behaviour);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    tokio::spawn(async move { axum::serve(listener, router).await });
    Peer { url, requests }
}

async fn answer(State(peer): State<Behaviour>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let path = parts.uri.path().to_owned();
    let body = axum::body::to_bytes(body, 1 << 20).await.expect("a body");
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    peer.requests.lock().expect("no panic").push((path.clone(), parts.headers, body.clone()));
    if path == "/.well-known/agent-card.json" {
        return peer.card.map_or(StatusCode::NOT_FOUND.into_response(), |card| Json(card).into_response());
    }
    if path != peer.endpoint {
        return StatusCode::NOT_FOUND.into_response();
    }
    match peer.method {
        None => Json(peer.reply).into_response(),
        Some(method) if body["method"] == method => {
            Json(json!({ "jsonrpc": "2.0", "id": body["id"], "result": peer.reply })).into_response()
        }
        Some(_) => {
            let error = json!({ "code": -32601, "message": "Method not found" });
            Json(json!({ "jsonrpc": "2.0", "id": body["id"], "error": error })).into_response()
        }
    }
}

impl Peer {
    /// Returns path and method of the messages, in order.
    fn tried(&self) -> Vec<(String, Value)> {
        let requests = self.requests.lock().expect("no panic");
        requests
            .iter()
            .filter(|(path, ..)| !path.contains("well-known"))
            .map(|(path, _, body)| (path.clone(), body["method"].clone()))
            .collect()
    }
}

fn message(text: &str) -> Value {
    json!({ "kind": "message", "role": "agent", "messageId": "m", "parts": [{ "kind": "text", "text": text }] })
}

async fn delegate(harness: &Harness, tool: Value) -> Value {
    let events =
        harness.run("/call billing {\"message\":\"When is it due?\"}\n/say Done.", json!({ "tools": [tool] })).await;
    assert_eq!(last(&events).data["text"], "Done.");
    of_kind(&events, "tool_result")[0].clone()
}

fn tool(url: &str) -> Value {
    json!({ "kind": "a2a", "name": "billing", "agentCardUrl": url })
}

#[tokio::test]
async fn an_agent_is_found_by_its_card_and_called_with_message_send() {
    let harness = Harness::start().await;
    let card = json!({ "name": "Billing", "url": "/a2a/v1", "protocolVersion": "0.3.0" });
    let peer = start("/a2a/v1", Some("message/send"), Some(card), message("On Friday.")).await;
    let mut tool = tool(&format!("{}/.well-known/agent-card.json", peer.url));
    tool["headers"] = json!({ "Authorization": "Bearer short-lived" });
    tool["contextId"] = "ctx_7".into();
    assert_eq!(delegate(&harness, tool).await["result"], "On Friday.");
    let requests = peer.requests.lock().expect("no panic");
    assert_eq!(requests.len(), 2);
    assert!(requests.iter().all(|(_, headers, _)| headers["authorization"] == "Bearer short-lived"));
    let sent = &requests[1].2["params"]["message"];
    assert_eq!((&sent["contextId"], &sent["parts"][0]["text"]), (&json!("ctx_7"), &json!("When is it due?")));
    assert_eq!((&sent["role"], &sent["kind"]), (&json!("user"), &json!("message")));
}

#[tokio::test]
async fn endpoints_are_tried_in_the_documented_order() {
    let harness = Harness::start().await;
    let order = ["/", "/rpc", "/message:send", "/message/send"];
    for (i, (endpoint, method)) in
        [("/", Some("message/send")), ("/rpc", Some("message/send")), ("/message:send", None), ("/message/send", None)]
            .into_iter()
            .enumerate()
    {
        let peer = start(endpoint, method, None, message("Here.")).await;
        assert_eq!(
            delegate(&harness, tool(&format!("{}/.well-known/agent-card.json", peer.url))).await["result"],
            "Here."
        );
        let mut tried: Vec<String> = peer.tried().into_iter().map(|(path, _)| path).collect();
        tried.dedup();
        assert_eq!(tried, order[..=i]);
    }
}

#[tokio::test]
async fn an_agent_of_version_1_0_is_called_in_that_version() {
    let harness = Harness::start().await;
    let reply = json!({ "task": { "id": "t", "status": { "state": "TASK_STATE_COMPLETED" },
        "artifacts": [{ "parts": [{ "text": "On Monday." }, { "raw": "aGk=", "filename": "bill.pdf", "mediaType": "application/pdf" }] }] } });
    let card = json!({ "supportedInterfaces": [{ "url": "/rpc", "protocolBinding": "JSONRPC" }] });
    let peer = start("/rpc", Some("SendMessage"), Some(card), reply).await;
    let card_url = format!("{}/.well-known/agent-card.json", peer.url);
    let prompt = "/call billing {\"message\":\"a\"}\n/say Again.\n/call billing {\"message\":\"b\"}\n/say Done.";
    let events = harness.run(prompt, json!({ "tools": [tool(&card_url)] })).await;
    assert_eq!(of_kind(&events, "tool_result")[0]["result"], "On Monday.");
    assert_eq!(
        of_kind(&events, "tool_files")[0]["files"],
        json!([{ "filename": "bill.pdf", "mimeType": "application/pdf", "sizeBytes": 2 }])
    );
    let methods: Vec<_> = peer.tried().into_iter().map(|(_, method)| method).collect();
    assert_eq!(methods, ["message/send", "SendMessage", "SendMessage"], "what worked is remembered");
}

#[tokio::test]
async fn the_model_gets_failures() {
    let harness = Harness::start().await;
    let failed = json!({ "kind": "task", "status": { "state": "failed", "message": message("No such invoice.") } });
    let peer = start("/", Some("message/send"), None, failed).await;
    let result = delegate(&harness, tool(&peer.url)).await;
    assert_eq!(
        (&result["ok"], &result["result"]),
        (&json!(false), &json!("The agent ended the task as “failed”: No such invoice."))
    );
    let nowhere = delegate(&harness, tool("http://127.0.0.1:9/")).await;
    assert_eq!(nowhere["ok"], false);
    assert!(nowhere["result"].as_str().is_some_and(|text| text.contains("unavailable")), "{nowhere}");
    let stranger = start("/elsewhere", None, None, Value::Null).await;
    assert_eq!(delegate(&harness, tool(&stranger.url)).await["ok"], false);
}
