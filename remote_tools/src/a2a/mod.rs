//! A client of A2A agents, in the protocol's versions 0.3 and 1.0.
//!
//! Own code: the published crates bring their own HTTP client, which would bypass [`HttpTransport`].

mod card;
mod endpoint;
mod reply;

use std::time::Duration;

use domain::Backoff;
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use protocol::json::preview;
use serde_json::{Value, json};

use crate::error::MAX_QUOTED_CHARS;
use crate::http::MAX_RESPONSE_BYTES;
use crate::{HttpTransport, RemoteError, Request, ToolOutput};
use reply::Progress;

pub use card::{FoundCard, fetch_card, find_card};
pub use endpoint::{Binding, Endpoint, json_rpc_endpoint};

const FIRST_POLL_DELAY: Duration = Duration::from_millis(250);
const MAX_POLL_DELAY: Duration = Duration::from_secs(5);
/// JSON-RPC: method not found; and in A2A 1.0, version not supported.
const NOT_SUPPORTED: [i64; 2] = [-32601, -32009];

pub struct Message<'a> {
    pub id: String,
    pub text: &'a str,
    pub context_id: Option<&'a str>,
}

/// Sends a message to the first endpoint that accepts it, and waits until the agent's task ends. Also returns that
/// endpoint. The caller sets the time limit.
pub async fn send_message<'a>(
    transport: &dyn HttpTransport,
    headers: &HeaderMap,
    endpoints: &'a [Endpoint],
    message: &Message<'_>,
) -> Result<(ToolOutput, &'a Endpoint), RemoteError> {
    let mut last = RemoteError::unusable("The agent has no endpoint.");
    for endpoint in endpoints {
        let rpc = Rpc { transport, headers, endpoint };
        match rpc.call(endpoint.binding.send_method(), endpoint.binding.send_params(message)).await {
            Ok(result) => return Ok((rpc.finish(result).await?, endpoint)),
            Err(error @ RemoteError::NotSupported(_)) => last = error,
            Err(error) => return Err(error),
        }
    }
    Err(last)
}

struct Rpc<'a> {
    transport: &'a dyn HttpTransport,
    headers: &'a HeaderMap,
    endpoint: &'a Endpoint,
}

impl Rpc<'_> {
    /// Polls the agent's task until it ends.
    async fn finish(&self, mut result: Value) -> Result<ToolOutput, RemoteError> {
        let mut backoff = Backoff::new(FIRST_POLL_DELAY, MAX_POLL_DELAY);
        loop {
            match reply::read(&result)? {
                Progress::Done(output) => return Ok(output),
                Progress::Working { .. } if self.endpoint.binding == Binding::Rest1_0 => {
                    return Err(RemoteError::unusable("The agent answered before its task ended."));
                }
                Progress::Working { task_id } => {
                    tokio::time::sleep(backoff.next_delay()).await;
                    result = self.call(self.endpoint.binding.get_method(), json!({ "id": task_id })).await?;
                }
            }
        }
    }

    async fn call(&self, method: &str, params: Value) -> Result<Value, RemoteError> {
        let binding = self.endpoint.binding;
        let body = match binding {
            Binding::Rest1_0 => params,
            _ => json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }),
        };
        let mut headers = self.headers.clone();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(header::ACCEPT, HeaderValue::from_static("application/json"));
        if binding != Binding::JsonRpc0_3 {
            headers.insert("a2a-version", HeaderValue::from_static("1.0"));
        }
        let body = Some(body.to_string().into_bytes());
        let request = Request { method: Method::POST, url: self.endpoint.url.clone(), headers, body };
        let response = self.transport.send(request).await?;
        if response.is_refusal() {
            return Err(RemoteError::Refused);
        }
        let status = response.status();
        let body = response.bytes(MAX_RESPONSE_BYTES).await?;
        read_response(binding, status, serde_json::from_slice(&body).ok())
    }
}

fn read_response(binding: Binding, status: StatusCode, body: Option<Value>) -> Result<Value, RemoteError> {
    let error = body.as_ref().map(|body| &body["error"]).filter(|error| error.is_object());
    if let Some(error) = error.filter(|_| binding != Binding::Rest1_0) {
        let message = preview(error["message"].as_str().unwrap_or("no message"), MAX_QUOTED_CHARS);
        let message = format!("The agent answered with an error: {message}");
        return Err(match error["code"].as_i64() {
            Some(code) if NOT_SUPPORTED.contains(&code) => RemoteError::NotSupported(message),
            _ => RemoteError::Unusable(message),
        });
    }
    let no_result = format!("The agent answered {status} without a result.");
    match status {
        StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED | StatusCode::NOT_IMPLEMENTED => {
            return Err(RemoteError::NotSupported(no_result));
        }
        status if !status.is_success() => return Err(RemoteError::Unusable(no_result)),
        _ => {}
    }
    let result = body.and_then(|mut body| match binding {
        Binding::Rest1_0 => Some(body),
        _ => body.get_mut("result").map(Value::take),
    });
    // A web page or another service: the next endpoint may be the right one.
    result.ok_or(RemoteError::NotSupported(no_result))
}
