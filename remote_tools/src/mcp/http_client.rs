//! The HTTP side of rmcp's Streamable HTTP transport, over an [`HttpTransport`].

use std::collections::HashMap;
use std::sync::Arc;

use futures::stream::{BoxStream, StreamExt};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use rmcp::model::{ClientJsonRpcMessage, JsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_client::{StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse};
use sse_stream::{Error as SseError, Sse, SseStream};
use url::Url;

use crate::http::MAX_RESPONSE_BYTES;
use crate::{HttpTransport, RemoteError, Request, Response};

const SESSION_ID: &str = "mcp-session-id";
const EVENT_STREAM: &str = "text/event-stream";
const JSON: &str = "application/json";

type Failure = StreamableHttpError<RemoteError>;

#[derive(Clone)]
pub(super) struct McpHttpClient {
    pub transport: Arc<dyn HttpTransport>,
    /// The user's headers, sent with every request.
    pub headers: HeaderMap,
}

impl McpHttpClient {
    async fn send(
        &self,
        method: Method,
        url: &str,
        session_id: Option<&str>,
        protocol_headers: HashMap<HeaderName, HeaderValue>,
        last_event_id: Option<&str>,
        body: Option<Vec<u8>>,
    ) -> Result<Response, Failure> {
        let mut headers = self.headers.clone();
        headers.extend(protocol_headers);
        headers.insert(header::ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
        if body.is_some() {
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(JSON));
        }
        for (name, id) in [(SESSION_ID, session_id), ("last-event-id", last_event_id)] {
            let Some(id) = id else { continue };
            let value = HeaderValue::from_str(id)
                .map_err(|_| failure(RemoteError::unusable("The server gave an id that cannot be sent back.")))?;
            headers.insert(name, value);
        }
        let url = Url::parse(url).map_err(|_| failure(RemoteError::unusable("This is not a web address.")))?;
        let response = self.transport.send(Request { method, url, headers, body }).await.map_err(failure)?;
        if response.is_refusal() { Err(failure(RemoteError::Refused)) } else { Ok(response) }
    }
}

impl StreamableHttpClient for McpHttpClient {
    type Error = RemoteError;

    async fn post_message(
        &self,
        url: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        _: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        let body = serde_json::to_vec(&message)?;
        let response = self.send(Method::POST, &url, session_id.as_deref(), headers, None, Some(body)).await?;
        let status = response.status();
        let expects_reply = matches!(message, JsonRpcMessage::Request(_));
        if matches!(status, StatusCode::ACCEPTED | StatusCode::NO_CONTENT) || (status.is_success() && !expects_reply) {
            return Ok(StreamableHttpPostResponse::Accepted);
        }
        if status == StatusCode::NOT_FOUND && session_id.is_some() {
            return Err(StreamableHttpError::SessionExpired);
        }
        let new_session = response.headers().get(SESSION_ID).and_then(|id| id.to_str().ok()).map(str::to_owned);
        if status.is_success() && response.has_content_type(EVENT_STREAM) {
            return Ok(StreamableHttpPostResponse::Sse(events(response), new_session));
        }
        let is_json = response.has_content_type(JSON);
        let body = response.bytes(MAX_RESPONSE_BYTES).await.map_err(|error| failure(error.into()))?;
        match serde_json::from_slice::<ServerJsonRpcMessage>(&body) {
            // An error status may come with a JSON-RPC error that gives the reason.
            Ok(reply) if is_json && (status.is_success() || matches!(reply, JsonRpcMessage::Error(_))) => {
                Ok(StreamableHttpPostResponse::Json(reply, new_session))
            }
            _ => Err(failure(unexpected(status))),
        }
    }

    async fn delete_session(
        &self,
        url: Arc<str>,
        session_id: Arc<str>,
        _: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), Failure> {
        // The status does not matter: a server may not support deletion.
        self.send(Method::DELETE, &url, Some(&session_id), headers, None, None).await.map(drop)
    }

    async fn get_stream(
        &self,
        url: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        _: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<BoxStream<'static, Result<Sse, SseError>>, Failure> {
        let last_event_id = last_event_id.as_deref();
        let response = self.send(Method::GET, &url, session_id.as_deref(), headers, last_event_id, None).await?;
        match response.status() {
            StatusCode::METHOD_NOT_ALLOWED => Err(StreamableHttpError::ServerDoesNotSupportSse),
            status if status.is_success() && response.has_content_type(EVENT_STREAM) => Ok(events(response)),
            status => Err(failure(unexpected(status))),
        }
    }
}

fn events(response: Response) -> BoxStream<'static, Result<Sse, SseError>> {
    SseStream::from_bytes_stream(response.chunks(MAX_RESPONSE_BYTES)).boxed()
}

fn unexpected(status: StatusCode) -> RemoteError {
    RemoteError::unusable(format!(
        "The server answered {status} where an MCP server would not. Check that the address is its MCP endpoint."
    ))
}

fn failure(error: RemoteError) -> Failure {
    StreamableHttpError::Client(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_error_does_not_contain_the_address() {
        // rmcp logs errors, and the query of an address may contain a key.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = McpHttpClient { transport: Arc::new(reqwest::Client::new()), headers: HeaderMap::new() };
        let url: Arc<str> = "http://127.0.0.1:9/mcp?key=secret".into();
        let error = client.get_stream(url, None, None, None, HashMap::new()).await.err().expect("no server");
        assert!(!format!("{error:?} {error}").contains("secret"));
    }
}
