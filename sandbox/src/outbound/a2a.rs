//! A2A peers: found by their card, asked with `message/send`.
//!
//! The documents say in which order an endpoint is tried: its JSON-RPC root, `/rpc`, `/message:send`, `/message/send`.
//! They name the RPC of A2A 0.3; a peer that only knows version 1.0 calls it `SendMessage`, and is asked that way when it
//! says that the method is unknown to it.

use std::sync::{Mutex, PoisonError};

use http::HeaderMap;
use protocol::json::preview;
use reqwest::{Client, StatusCode};
use serde_json::{Value, json};

use super::{CALL_TIMEOUT, header_map, shown, text};
use crate::secret;
use crate::tool_output::{ToolOutput, decoded_size, file};

const CARD_PATH: &str = "/.well-known/agent-card.json";
/// JSON-RPC: no such method; and in A2A 1.0, no such version.
const NOT_SPOKEN: [i64; 2] = [-32601, -32009];

pub struct Peer {
    http: Client,
    card_url: String,
    headers: HeaderMap,
    context_id: Option<String>,
    /// What worked before in this run.
    way: Mutex<Option<(String, Way)>>,
}

/// How a peer wants to be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// A2A 0.3 over JSON-RPC.
    MessageSend,
    /// A2A 1.0 over JSON-RPC.
    SendMessage,
    /// A2A 1.0 as plain HTTP.
    Rest,
}

enum Attempt {
    Answered(Value),
    /// This is not where, or not how, the peer is asked.
    NotHere(String),
    Failed(String),
}

impl Peer {
    pub fn new(http: &Client, tool_ref: &Value) -> Result<Self, String> {
        Ok(Self {
            http: http.clone(),
            card_url: tool_ref["agentCardUrl"].as_str().unwrap_or("").to_owned(),
            headers: header_map(tool_ref)?,
            context_id: tool_ref["contextId"].as_str().map(str::to_owned),
            way: Mutex::default(),
        })
    }

    /// Sends the message and waits for the reply.
    pub async fn ask(&self, message: &str) -> ToolOutput {
        let answered = tokio::time::timeout(CALL_TIMEOUT, self.try_ask(message)).await;
        match answered.unwrap_or_else(|_| Err("it did not answer in time".to_owned())) {
            Ok(result) => reply(&result),
            Err(why) => ToolOutput::failure(format!("The agent at {} is unavailable: {why}.", shown(&self.card_url))),
        }
    }

    async fn try_ask(&self, message: &str) -> Result<Value, String> {
        let known = self.way.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let ways = match known {
            Some(way) => vec![way],
            None => ways(&self.root().await),
        };
        let mut last = "it has no endpoint".to_owned();
        for (url, way) in ways {
            match self.send(&url, way, message).await {
                Attempt::Answered(result) => {
                    *self.way.lock().unwrap_or_else(PoisonError::into_inner) = Some((url, way));
                    return Ok(result);
                }
                Attempt::NotHere(why) => last = why,
                Attempt::Failed(why) => return Err(why),
            }
        }
        Err(last)
    }

    /// The endpoint that the card names. Without a card, the given address is the endpoint itself.
    async fn root(&self) -> String {
        let fallback = self.card_url.strip_suffix(CARD_PATH).unwrap_or(&self.card_url).to_owned();
        let Ok(response) = self.http.get(&self.card_url).headers(self.headers.clone()).send().await else {
            return fallback;
        };
        if !response.status().is_success() {
            return fallback;
        }
        let card: Value =
            text(response).await.ok().and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        let interfaces = card["supportedInterfaces"].as_array().into_iter().flatten();
        let over_rpc = interfaces
            .filter(|interface| interface["protocolBinding"] == "JSONRPC")
            .find_map(|interface| interface["url"].as_str());
        let named = over_rpc.or(card["url"].as_str()).or(card["supportedInterfaces"][0]["url"].as_str());
        // A card may give a path only; an address that cannot be joined is no address.
        let joined = named.and_then(|named| url::Url::parse(&self.card_url).ok()?.join(named).ok());
        joined.map_or(fallback, String::from)
    }

    async fn send(&self, url: &str, way: Way, message: &str) -> Attempt {
        let body = match self.body(way, message) {
            Ok(body) => body,
            Err(error) => return Attempt::Failed(error.to_string()),
        };
        let mut request = self.http.post(url).headers(self.headers.clone()).json(&body);
        if way != Way::MessageSend {
            request = request.header("A2A-Version", "1.0");
        }
        let response = match request.send().await {
            Ok(response) => response,
            Err(error) if error.is_connect() => return Attempt::Failed("it cannot be reached".to_owned()),
            Err(_) => return Attempt::Failed("the connection broke off".to_owned()),
        };
        let status = response.status();
        let answer = match text(response).await {
            Ok(answer) => answer,
            Err(why) => return Attempt::Failed(why),
        };
        judge(status, way, &answer)
    }

    fn body(&self, way: Way, message: &str) -> anyhow::Result<Value> {
        let message_id = secret::id("msg_")?;
        let mut message = match way {
            Way::MessageSend => json!({
                "kind": "message", "role": "user", "messageId": message_id,
                "parts": [{ "kind": "text", "text": message }],
            }),
            Way::SendMessage | Way::Rest => json!({
                "role": "ROLE_USER", "messageId": message_id, "parts": [{ "text": message }],
            }),
        };
        if let Some(context_id) = &self.context_id {
            message["contextId"] = context_id.as_str().into();
        }
        Ok(match way {
            Way::MessageSend => json!({
                "jsonrpc": "2.0", "id": message_id, "method": "message/send",
                "params": { "message": message, "configuration": { "blocking": true } },
            }),
            Way::SendMessage => json!({
                "jsonrpc": "2.0", "id": message_id, "method": "SendMessage", "params": { "message": message },
            }),
            Way::Rest => json!({ "message": message }),
        })
    }
}

/// What is tried, in the documented order.
fn ways(root: &str) -> Vec<(String, Way)> {
    let base = root.trim_end_matches('/');
    vec![
        (root.to_owned(), Way::MessageSend),
        (root.to_owned(), Way::SendMessage),
        (format!("{base}/rpc"), Way::MessageSend),
        (format!("{base}/rpc"), Way::SendMessage),
        (format!("{base}/message:send"), Way::Rest),
        (format!("{base}/message/send"), Way::Rest),
    ]
}

fn judge(status: StatusCode, way: Way, answer: &str) -> Attempt {
    let json: Option<Value> = serde_json::from_str(answer).ok();
    let error = json.as_ref().and_then(|json| json.get("error")).filter(|error| !error.is_null());
    if let Some(error) = error.filter(|_| way != Way::Rest) {
        let why = format!("it answered “{}”", preview(error["message"].as_str().unwrap_or("an error"), 300));
        return match error["code"].as_i64().is_some_and(|code| NOT_SPOKEN.contains(&code)) {
            true => Attempt::NotHere(why),
            false => Attempt::Failed(why),
        };
    }
    match status {
        StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED | StatusCode::NOT_IMPLEMENTED => {
            return Attempt::NotHere(format!("it answered {status}"));
        }
        status if !status.is_success() => return Attempt::Failed(format!("it answered {status}")),
        _ => {}
    }
    match (way, json) {
        (Way::Rest, Some(json)) => Attempt::Answered(json),
        (_, Some(mut json)) if json.get("result").is_some() => Attempt::Answered(json["result"].take()),
        // A page, or some other service: the next address may be the right one.
        _ => Attempt::NotHere("it answered something that is not A2A".to_owned()),
    }
}

/// The text of a message, or of the artifacts and the last status of a task.
fn reply(result: &Value) -> ToolOutput {
    // Version 1.0 wraps what version 0.3 gives as it is.
    let result = result.get("task").or(result.get("message")).unwrap_or(result);
    let status = &result["status"];
    let mut texts = Vec::new();
    let mut files = Vec::new();
    let artifacts = result["artifacts"].as_array().into_iter().flatten().map(|artifact| &artifact["parts"]);
    for parts in artifacts.chain([&result["parts"]]) {
        read_parts(parts, &mut texts, &mut files);
    }
    if texts.is_empty() && files.is_empty() {
        read_parts(&status["message"]["parts"], &mut texts, &mut files);
    }
    let text = texts.join("\n");
    let state = status["state"].as_str().unwrap_or("completed").trim_start_matches("TASK_STATE_").to_lowercase();
    let outcome = match state.as_str() {
        "completed" | "input-required" | "input_required" => Ok(text),
        _ if text.is_empty() => Err(format!("The agent ended the task as “{state}”.")),
        _ => Err(format!("The agent ended the task as “{state}”: {text}")),
    };
    ToolOutput { outcome, files }
}

fn read_parts(parts: &Value, texts: &mut Vec<String>, files: &mut Vec<Value>) {
    for part in parts.as_array().into_iter().flatten() {
        if let Some(text) = part["text"].as_str() {
            texts.push(text.to_owned());
        } else if let Some(data) = part.get("data") {
            texts.push(data.to_string());
        } else if let Some(found) = part.get("file").or(part.get("raw").map(|_| part)) {
            let name = found["name"].as_str().or(found["filename"].as_str()).unwrap_or("file");
            let mime_type = found["mimeType"].as_str().or(found["mediaType"].as_str()).unwrap_or("");
            let bytes = found["bytes"].as_str().or(found["raw"].as_str()).unwrap_or("");
            let mut file = file(name, mime_type, decoded_size(bytes));
            if let Some(uri) = found["uri"].as_str() {
                file["url"] = uri.into();
            }
            files.push(file);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replies_of_both_versions_are_read() {
        let cases = [
            (json!({ "kind": "message", "parts": [{ "kind": "text", "text": "Hello" }] }), Ok("Hello")),
            (json!({ "message": { "parts": [{ "text": "a" }, { "text": "b" }] } }), Ok("a\nb")),
            (
                json!({ "kind": "task", "status": { "state": "completed" },
                    "artifacts": [{ "parts": [{ "kind": "text", "text": "Done" }] }] }),
                Ok("Done"),
            ),
            (
                json!({ "task": { "status": { "state": "TASK_STATE_COMPLETED", "message": { "parts": [{ "text": "Yes" }] } } } }),
                Ok("Yes"),
            ),
            (json!({ "status": { "state": "failed" } }), Err("The agent ended the task as “failed”.")),
        ];
        for (result, expected) in cases {
            let outcome = reply(&result).outcome;
            assert_eq!(outcome.as_deref().map_err(String::as_str), expected, "{result}");
        }
    }

    #[test]
    fn endpoints_are_tried_in_the_documented_order() {
        let tried: Vec<_> = ways("http://peer/a2a/").into_iter().map(|(url, _)| url).collect();
        let mut distinct = tried.clone();
        distinct.dedup();
        let base = "http://peer/a2a";
        let expected =
            [format!("{base}/"), format!("{base}/rpc"), format!("{base}/message:send"), format!("{base}/message/send")];
        assert_eq!(distinct, expected);
    }
}
