//! The HTTP client of MCP connections. The library logs its errors, and an address may carry a key: they go without it.

use std::collections::HashMap;
use std::sync::Arc;

use http::{HeaderName, HeaderValue};
use reqwest::Client;
use rmcp::model::ClientJsonRpcMessage;
use rmcp::transport::common::client_side_sse::BoxedSseResponse;
use rmcp::transport::streamable_http_client::{StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse};

#[derive(Clone)]
pub struct McpHttpClient(pub Client);

type Headers = HashMap<HeaderName, HeaderValue>;
type Fault = StreamableHttpError<reqwest::Error>;

impl StreamableHttpClient for McpHttpClient {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth: Option<String>,
        headers: Headers,
    ) -> Result<StreamableHttpPostResponse, Fault> {
        self.0.post_message(uri, message, session_id, auth, headers).await.map_err(without_address)
    }

    async fn post_message_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth: Option<String>,
        headers: Headers,
        max_bytes: usize,
    ) -> Result<StreamableHttpPostResponse, Fault> {
        let posted =
            self.0.post_message_with_max_sse_event_size(uri, message, session_id, auth, headers, max_bytes).await;
        posted.map_err(without_address)
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        auth: Option<String>,
        headers: Headers,
    ) -> Result<(), Fault> {
        self.0.delete_session(uri, session_id, auth, headers).await.map_err(without_address)
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth: Option<String>,
        headers: Headers,
    ) -> Result<BoxedSseResponse, Fault> {
        self.0.get_stream(uri, session_id, last_event_id, auth, headers).await.map_err(without_address)
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth: Option<String>,
        headers: Headers,
        max_bytes: usize,
    ) -> Result<BoxedSseResponse, Fault> {
        let opened =
            self.0.get_stream_with_max_sse_event_size(uri, session_id, last_event_id, auth, headers, max_bytes).await;
        opened.map_err(without_address)
    }
}

fn without_address(fault: Fault) -> Fault {
    match fault {
        StreamableHttpError::Client(error) => StreamableHttpError::Client(error.without_url()),
        fault => fault,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_fault_does_not_tell_the_address() {
        let client = McpHttpClient(crate::outbound::client().expect("a client"));
        let uri: Arc<str> = "http://127.0.0.1:9/mcp?key=secret".into();
        let fault = client.get_stream(uri, None, None, None, Headers::new()).await.err().expect("nobody is there");
        assert!(!format!("{fault:?} {fault}").contains("secret"));
    }
}
