//! Delegation to the A2A agent of an `a2a` tool reference.
//!
//! MANTYX documents the order in which an agent's endpoints are tried: its JSON-RPC root, `/rpc`, `/message:send`,
//! `/message/send`. The documents name the method of A2A 0.3. An agent that only knows version 1.0 answers that the
//! method is unknown, and then gets the request in that version.

use std::sync::Mutex;

use domain::LockExt;
use http::HeaderMap;
use remote_tools::RemoteError;
use remote_tools::a2a::{Binding, Endpoint, Message, fetch_card, json_rpc_endpoint, send_message};
use reqwest::Client;
use serde_json::Value;
use url::Url;

use super::{CALL_TIMEOUT, header_map, parse_url, without_secrets};
use crate::secret;
use crate::tool_output::ToolOutput;

const CARD_PATH: &str = "/.well-known/agent-card.json";

pub struct Peer {
    http: Client,
    card_url: Url,
    headers: HeaderMap,
    context_id: Option<String>,
    /// The endpoint that accepted an earlier message of this run.
    endpoint: Mutex<Option<Endpoint>>,
}

impl Peer {
    pub fn new(http: &Client, tool_ref: &Value) -> Result<Self, RemoteError> {
        Ok(Self {
            http: http.clone(),
            card_url: parse_url(&tool_ref["agentCardUrl"])?,
            headers: header_map(tool_ref)?,
            context_id: tool_ref["contextId"].as_str().map(str::to_owned),
            endpoint: Mutex::default(),
        })
    }

    /// Sends the message and waits for the reply.
    pub async fn send(&self, message: &str) -> ToolOutput {
        let sent = tokio::time::timeout(CALL_TIMEOUT, self.try_send(message)).await;
        let sent = sent.unwrap_or_else(|_| Err(RemoteError::TimedOut(CALL_TIMEOUT)));
        sent.unwrap_or_else(|error| {
            let url = without_secrets(self.card_url.clone());
            ToolOutput::failure(format!("The agent at {url} is unavailable. {error}"))
        })
    }

    async fn try_send(&self, text: &str) -> Result<ToolOutput, RemoteError> {
        let known = self.endpoint.locked().clone();
        let endpoints = match known {
            Some(endpoint) => vec![endpoint],
            None => endpoints(&self.root().await),
        };
        let id = secret::id("msg_").map_err(|error| RemoteError::unusable(error.to_string()))?;
        let message = Message { id, text, context_id: self.context_id.as_deref() };
        let (output, endpoint) = send_message(&self.http, &self.headers, &endpoints, &message).await?;
        *self.endpoint.locked() = Some(endpoint.clone());
        Ok(output.into())
    }

    /// Returns the endpoint that the card names, or else the given address, without the path of the card.
    async fn root(&self) -> Url {
        let fallback = || {
            let root = self.card_url.as_str().strip_suffix(CARD_PATH);
            root.and_then(|root| root.parse().ok()).unwrap_or_else(|| self.card_url.clone())
        };
        let Ok(Some(card)) = fetch_card(&self.http, &self.card_url, &self.headers).await else { return fallback() };
        let any_url = || card["url"].as_str().or(card["supportedInterfaces"][0]["url"].as_str());
        json_rpc_endpoint(&card, Some(&self.card_url))
            .map(|endpoint| endpoint.url)
            .or_else(|| self.card_url.join(any_url()?).ok())
            .unwrap_or_else(fallback)
    }
}

/// Returns the endpoints to try, in the documented order.
fn endpoints(root: &Url) -> Vec<Endpoint> {
    let below = |path: &str| format!("{}{path}", root.as_str().trim_end_matches('/')).parse().ok();
    let candidates = [
        (Some(root.clone()), Binding::JsonRpc0_3),
        (Some(root.clone()), Binding::JsonRpc1_0),
        (below("/rpc"), Binding::JsonRpc0_3),
        (below("/rpc"), Binding::JsonRpc1_0),
        (below("/message:send"), Binding::Rest1_0),
        (below("/message/send"), Binding::Rest1_0),
    ];
    candidates.into_iter().filter_map(|(url, binding)| Some(Endpoint { url: url?, binding })).collect()
}
