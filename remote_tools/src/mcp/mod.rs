//! A client of MCP servers, over Streamable HTTP or a child process.

mod content;
mod http_client;

use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use http::HeaderMap;
use rmcp::model::{CallToolRequestParams, ClientCapabilities, ClientConfig, Implementation, PaginatedRequestParams};
use rmcp::service::{ClientInitializeError, RunningService, ServiceError};
use rmcp::transport::TokioChildProcess;
use rmcp::transport::streamable_http_client::{
    StreamableHttpClientTransport, StreamableHttpClientTransportConfig, StreamableHttpError,
};
use rmcp::{RoleClient, ServiceExt};
use serde_json::{Map, Value};
use url::Url;

use crate::{HttpTransport, RemoteError, ToolOutput};
use http_client::McpHttpClient;

/// More tools than a spec may name.
const MAX_TOOLS: usize = 256;
const MAX_PAGES: usize = 32;
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

/// A connected MCP server. Dropping it ends the session.
pub struct McpSession {
    service: RunningService<RoleClient, ClientConfig>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct McpCatalogue {
    /// `serverInfo` of the server's `initialize` response.
    pub server_info: Value,
    /// The tools, as in the `tools/list` response.
    pub tools: Vec<Value>,
    /// The server has more tools than were read.
    pub truncated: bool,
}

impl McpSession {
    /// Opens a session over Streamable HTTP. `client_name` introduces this process to the server.
    pub async fn connect_http(
        client_name: &str,
        transport: Arc<dyn HttpTransport>,
        url: &Url,
        headers: HeaderMap,
    ) -> Result<Self, RemoteError> {
        let client = McpHttpClient { transport, headers };
        let config = StreamableHttpClientTransportConfig::with_uri(url.as_str());
        let transport = StreamableHttpClientTransport::with_client(client, config);
        let service = client_config(client_name).serve(transport).await.map_err(from_initialize)?;
        Ok(Self { service })
    }

    /// Starts a command and opens a session over its standard input and output.
    pub async fn connect_command(client_name: &str, command: tokio::process::Command) -> Result<Self, RemoteError> {
        let (transport, _) = TokioChildProcess::builder(command)
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| RemoteError::quoting("The command could not be started", &error.to_string()))?;
        let service = client_config(client_name).serve(transport).await.map_err(from_initialize)?;
        Ok(Self { service })
    }

    /// Lists the server's tools, page by page, up to a limit.
    pub async fn catalogue(&self) -> Result<McpCatalogue, RemoteError> {
        let info = self.service.peer_info().and_then(|info| info.server_info.clone());
        let mut catalogue = McpCatalogue { server_info: to_json(&info), tools: Vec::new(), truncated: true };
        let mut page = PaginatedRequestParams::default();
        for _ in 0..MAX_PAGES {
            let listed = self.service.list_tools(Some(page)).await.map_err(from_service)?;
            catalogue.tools.extend(listed.tools.iter().map(to_json));
            if catalogue.tools.len() > MAX_TOOLS {
                catalogue.tools.truncate(MAX_TOOLS);
                return Ok(catalogue);
            }
            match listed.next_cursor {
                Some(cursor) => page = PaginatedRequestParams::default().with_cursor(Some(cursor)),
                None => return Ok(McpCatalogue { truncated: false, ..catalogue }),
            }
        }
        Ok(catalogue)
    }

    pub async fn call(&self, tool: &str, arguments: Map<String, Value>) -> Result<ToolOutput, RemoteError> {
        let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        match self.service.call_tool(params).await {
            Ok(result) => Ok(content::to_output(result)),
            // The server's own answer to the call, which the model can use.
            Err(ServiceError::McpError(error)) => Ok(ToolOutput::failure(error.message)),
            Err(error) => Err(from_service(error)),
        }
    }

    /// Ends the session at the server, or drops it after a timeout.
    pub async fn close(mut self) {
        if let Err(error) = self.service.close_with_timeout(CLOSE_TIMEOUT).await {
            tracing::debug!(%error, "cannot close an MCP session");
        }
    }
}

fn client_config(name: &str) -> ClientConfig {
    ClientConfig::new(ClientCapabilities::default(), Implementation::new(name, env!("CARGO_PKG_VERSION")))
}

fn to_json(value: &impl serde::Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}

fn from_initialize(error: ClientInitializeError) -> RemoteError {
    match error {
        ClientInitializeError::TransportError { error, .. } => from_transport(&*error.error),
        ClientInitializeError::JsonRpcError(error) => {
            RemoteError::quoting("The server does not start an MCP session", &error.message)
        }
        ClientInitializeError::ConnectionClosed(_) => {
            RemoteError::unusable("The server ended the connection before it said that it is an MCP server.")
        }
        _ => RemoteError::unusable("The server does not answer as an MCP server does."),
    }
}

fn from_service(error: ServiceError) -> RemoteError {
    match error {
        ServiceError::McpError(error) => RemoteError::quoting("The MCP server answered with an error", &error.message),
        ServiceError::TransportSend(error) => from_transport(&*error.error),
        ServiceError::TransportClosed => RemoteError::unusable("The MCP server ended the connection."),
        _ => RemoteError::unusable("The MCP server did not finish its answer."),
    }
}

/// Finds our own error among the causes of rmcp's.
fn from_transport(error: &(dyn std::error::Error + 'static)) -> RemoteError {
    let mut causes = std::iter::successors(Some(error), |error| error.source());
    let ours = causes.find_map(|cause| match cause.downcast_ref::<StreamableHttpError<RemoteError>>() {
        Some(StreamableHttpError::Client(error)) => Some(error),
        _ => cause.downcast_ref::<RemoteError>(),
    });
    let unknown = || {
        RemoteError::unusable(
            "The server does not answer as an MCP server does. Check that the address is its MCP endpoint.",
        )
    };
    ours.cloned().unwrap_or_else(unknown)
}
