//! MCP's Streamable HTTP over `outbound`: judged addresses, capped answers.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use futures::stream::{BoxStream, StreamExt};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use rmcp::model::{ClientJsonRpcMessage, JsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_client::{StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse};
use sse_stream::{Error as SseError, Sse, SseStream};

use super::PeerError;
use crate::outbound::{self, Answer, Outbound, Request};

/// All that is read of one answer, streamed or not.
const MAX_ANSWER_BYTES: usize = 4 * 1024 * 1024;
const SESSION_ID: &str = "mcp-session-id";
const EVENT_STREAM: &str = "text/event-stream";
const JSON: &str = "application/json";

type Failure = StreamableHttpError<PeerError>;

#[derive(Clone)]
pub struct OutboundMcp {
    outbound: Outbound,
    /// What the user wants sent along.
    headers: HeaderMap,
    timeout: Duration,
}

impl OutboundMcp {
    pub fn new(outbound: Outbound, headers: HeaderMap, timeout: Duration) -> Self {
        Self { outbound, headers, timeout }
    }

    async fn send(
        &self,
        method: Method,
        uri: &str,
        session_id: Option<&str>,
        protocol: HashMap<HeaderName, HeaderValue>,
        more: &[(HeaderName, &str)],
        body: Option<Vec<u8>>,
    ) -> Result<Answer, Failure> {
        let mut headers = self.headers.clone();
        headers.extend(protocol);
        headers.insert(header::ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
        if body.is_some() {
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(JSON));
        }
        let session = session_id.map(|id| (HeaderName::from_static(SESSION_ID), id));
        for (name, value) in session.iter().chain(more) {
            let value = HeaderValue::from_str(value)
                .map_err(|_| client_error(PeerError::unusable("The server gave an id that cannot be sent back.")))?;
            headers.insert(name.clone(), value);
        }
        let url = outbound::parse_url(uri).map_err(|error| client_error(error.into()))?;
        let request = Request { method, url, headers, body, timeout: self.timeout };
        let answer = self.outbound.send(request).await.map_err(|error| client_error(error.into()))?;
        match answer.status() {
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => Err(client_error(PeerError::Refused)),
            _ => Ok(answer),
        }
    }
}

impl StreamableHttpClient for OutboundMcp {
    type Error = PeerError;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        _: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        let body = serde_json::to_vec(&message)?;
        let had_session = session_id.is_some();
        let answer = self.send(Method::POST, &uri, session_id.as_deref(), headers, &[], Some(body)).await?;
        let status = answer.status();
        let wants_reply = matches!(message, JsonRpcMessage::Request(_));
        if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) || (status.is_success() && !wants_reply) {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        if status == StatusCode::NOT_FOUND && had_session {
            return Err(StreamableHttpError::SessionExpired);
        }
        let new_session = answer.headers().get(SESSION_ID).and_then(|id| id.to_str().ok()).map(str::to_owned);
        if status.is_success() && answer.has_content_type(EVENT_STREAM) {
            return Ok(StreamableHttpPostResponse::Sse(events(answer), new_session));
        }
        let is_json = answer.has_content_type(JSON);
        let body = answer.bytes(MAX_ANSWER_BYTES).await.map_err(|error| client_error(error.into()))?;
        match serde_json::from_slice::<ServerJsonRpcMessage>(&body) {
            // A refusal may come with a JSON-RPC error that says why.
            Ok(reply) if is_json && (status.is_success() || matches!(reply, JsonRpcMessage::Error(_))) => {
                Ok(StreamableHttpPostResponse::Json(reply, new_session))
            }
            _ => Err(client_error(unexpected(status))),
        }
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        _: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), Failure> {
        // A server may not let a session be deleted; it ends by itself then.
        self.send(Method::DELETE, &uri, Some(&session_id), headers, &[], None).await.map(drop)
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        _: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, Failure> {
        let seen = last_event_id.as_deref().map(|id| (HeaderName::from_static("last-event-id"), id));
        let answer = self.send(Method::GET, &uri, session_id.as_deref(), headers, seen.as_slice(), None).await?;
        match answer.status() {
            StatusCode::METHOD_NOT_ALLOWED => Err(StreamableHttpError::ServerDoesNotSupportSse),
            status if status.is_success() && answer.has_content_type(EVENT_STREAM) => Ok(events(answer)),
            status => Err(client_error(unexpected(status))),
        }
    }
}

fn events(answer: Answer) -> BoxStream<'static, Result<Sse, SseError>> {
    SseStream::from_bytes_stream(answer.chunks(MAX_ANSWER_BYTES)).boxed()
}

fn unexpected(status: StatusCode) -> PeerError {
    PeerError::unusable(format!(
        "The server answered {status} where an MCP server would not. Check that the address is its MCP endpoint."
    ))
}

fn client_error(error: PeerError) -> Failure {
    StreamableHttpError::Client(error)
}
