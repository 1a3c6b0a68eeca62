//! MCP through `rmcp`: initialise, list tools page by page, call.

use std::process::Stdio;
use std::time::Duration;

use domain::McpEndpoint;
use rmcp::model::{
    CallToolRequestParams, ClientCapabilities, ClientConfig, ContentBlock, Implementation, PaginatedRequestParams,
};
use rmcp::service::{ClientInitializeError, RunningService, ServiceError};
use rmcp::transport::TokioChildProcess;
use rmcp::transport::streamable_http_client::{StreamableHttpClientTransport, StreamableHttpClientTransportConfig};
use rmcp::{RoleClient, ServiceExt};
use serde_json::{Map, Value};

use super::mcp_http::OutboundMcp;
use super::{McpCatalogue, PeerError, Peers, ToolReply, headers};
use crate::outbound;

/// More than a spec may name; a server with more is read in part, and that is said.
const MAX_TOOLS: usize = 256;
const MAX_PAGES: usize = 32;

type Session = RunningService<RoleClient, ClientConfig>;

pub async fn discover(peers: &Peers, endpoint: &McpEndpoint, timeout: Duration) -> Result<McpCatalogue, PeerError> {
    let session = connect(peers, endpoint, timeout).await?;
    let listed = list_tools(&session).await;
    let info = session.peer_info().and_then(|info| info.server_info.clone());
    end(session).await;
    let (tools, cut) = listed?;
    Ok(McpCatalogue { server_info: to_json(&info), tools, cut })
}

pub async fn call(
    peers: &Peers,
    endpoint: &McpEndpoint,
    tool: &str,
    args: Map<String, Value>,
    timeout: Duration,
) -> Result<ToolReply, PeerError> {
    let session = connect(peers, endpoint, timeout).await?;
    let called = session.call_tool(CallToolRequestParams::new(tool.to_owned()).with_arguments(args)).await;
    end(session).await;
    match called {
        Ok(result) => {
            let text = reply_text(&result.content, result.structured_content.as_ref());
            Ok(if result.is_error == Some(true) { Err(text) } else { Ok(text) })
        }
        // The server's own answer to the call: the model can learn from it.
        Err(ServiceError::McpError(error)) => Ok(Err(error.message.into_owned())),
        Err(error) => Err(from_service(error)),
    }
}

async fn connect(peers: &Peers, endpoint: &McpEndpoint, timeout: Duration) -> Result<Session, PeerError> {
    let us =
        ClientConfig::new(ClientCapabilities::default(), Implementation::new("runlens", env!("CARGO_PKG_VERSION")));
    let started = match endpoint {
        McpEndpoint::Http { url, headers } => {
            let url = outbound::parse_url(url)?;
            // Judged here too, so that the reason is told as it is and not as a broken transport.
            peers.outbound.check(&url).await?;
            let headers = headers::parse(headers)?;
            let config = StreamableHttpClientTransportConfig::with_uri(url.as_str());
            let client = OutboundMcp::new(peers.outbound.clone(), headers, timeout);
            us.serve(StreamableHttpClientTransport::with_client(client, config)).await
        }
        McpEndpoint::Stdio { command } => {
            let command = peers.commands.command(command)?;
            let (transport, _) = TokioChildProcess::builder(command)
                .stderr(Stdio::null())
                .spawn()
                .map_err(|error| PeerError::quoting("The command could not be started", &error.to_string()))?;
            us.serve(transport).await
        }
    };
    started.map_err(from_start)
}

/// Ends the session at the server; one that does not end by itself is dropped.
async fn end(mut session: Session) {
    if let Err(error) = session.close_with_timeout(Duration::from_secs(2)).await {
        tracing::debug!(%error, "an MCP session did not end well");
    }
}

async fn list_tools(session: &Session) -> Result<(Vec<Value>, bool), PeerError> {
    let mut tools = Vec::new();
    let mut page = PaginatedRequestParams::default();
    for _ in 0..MAX_PAGES {
        let listed = session.list_tools(Some(page)).await.map_err(from_service)?;
        tools.extend(listed.tools.iter().map(to_json));
        if tools.len() > MAX_TOOLS {
            tools.truncate(MAX_TOOLS);
            return Ok((tools, true));
        }
        match listed.next_cursor {
            Some(cursor) => page = PaginatedRequestParams::default().with_cursor(Some(cursor)),
            None => return Ok((tools, false)),
        }
    }
    Ok((tools, true))
}

/// The text blocks joined; other blocks are named. With no text, the structured value.
fn reply_text(content: &[ContentBlock], structured: Option<&Value>) -> String {
    let blocks: Vec<String> = content
        .iter()
        .map(|block| match block {
            ContentBlock::Text(text) => text.text.clone(),
            other => match to_json(other)["type"].as_str() {
                Some(kind) => format!("[{kind}, not shown as text]"),
                None => "[content, not shown as text]".to_owned(),
            },
        })
        .collect();
    match structured {
        Some(value) if blocks.is_empty() => value.to_string(),
        _ => blocks.join("\n"),
    }
}

fn to_json(value: &impl serde::Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}

fn from_start(error: ClientInitializeError) -> PeerError {
    match error {
        ClientInitializeError::TransportError { error, .. } => from_transport(&*error.error),
        ClientInitializeError::JsonRpcError(error) => {
            PeerError::quoting("The server does not start an MCP session", &error.message)
        }
        ClientInitializeError::ConnectionClosed(_) => {
            PeerError::unusable("The server ended the connection before it said that it is an MCP server.")
        }
        _ => PeerError::unusable("The server does not answer as an MCP server does."),
    }
}

fn from_service(error: ServiceError) -> PeerError {
    match error {
        ServiceError::McpError(error) => PeerError::quoting("The MCP server answered with an error", &error.message),
        ServiceError::TransportSend(error) => from_transport(&*error.error),
        ServiceError::TransportClosed => PeerError::unusable("The MCP server ended the connection."),
        _ => PeerError::unusable("The MCP server did not finish its answer."),
    }
}

/// Finds our own error under rmcp's.
fn from_transport(error: &(dyn std::error::Error + 'static)) -> PeerError {
    let mut cause = Some(error);
    while let Some(current) = cause {
        if let Some(ours) = current.downcast_ref::<PeerError>() {
            return ours.clone();
        }
        if let Some(rmcp::transport::streamable_http_client::StreamableHttpError::Client(ours)) =
            current.downcast_ref::<rmcp::transport::streamable_http_client::StreamableHttpError<PeerError>>()
        {
            return ours.clone();
        }
        cause = current.source();
    }
    PeerError::unusable("The server does not answer as an MCP server does. Check that the address is its MCP endpoint.")
}
