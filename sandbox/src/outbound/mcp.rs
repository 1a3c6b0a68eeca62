//! MCP servers over Streamable HTTP: connected when a run starts, gone when it ends.

mod http_client;

use std::time::Duration;

use protocol::ids;
use reqwest::Client;
use rmcp::model::{CallToolRequestParams, CallToolResult, ContentBlock, ResourceContents};
use rmcp::service::{ClientInitializeError, RoleClient, RunningService, ServiceError};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use serde_json::{Map, Value};

use super::{CALL_TIMEOUT, headers};
use crate::tool_output::{ToolOutput, decoded_size, file};
use http_client::McpHttpClient;

/// How long a server may take to say what it offers.
const CATALOGUE_TIMEOUT: Duration = Duration::from_secs(15);

/// A connected server. Dropping it ends its session.
pub struct McpServer {
    service: RunningService<RoleClient, ()>,
}

pub struct McpTool {
    /// As the server calls it.
    pub name: String,
    /// As the model sees it: `<server>_<tool>`.
    pub offered_name: String,
    pub description: String,
    pub parameters: Value,
}

impl McpServer {
    /// Connects to the server of an `mcp` reference and lists what its filter lets through.
    pub async fn connect(http: &Client, tool_ref: &Value) -> Result<(Self, Vec<McpTool>), String> {
        let url = tool_ref["url"].as_str().unwrap_or("");
        let config = StreamableHttpClientTransportConfig::with_uri(url).custom_headers(headers(tool_ref)?);
        let transport = StreamableHttpClientTransport::with_client(McpHttpClient(http.clone()), config);
        let catalogue = async {
            let service = rmcp::serve_client((), transport).await.map_err(|error| not_connected(&error))?;
            let tools = service.list_all_tools().await.map_err(|error| not_served(&error))?;
            Ok((Self { service }, offered(tool_ref, tools)))
        };
        let in_time = tokio::time::timeout(CATALOGUE_TIMEOUT, catalogue).await;
        in_time.unwrap_or_else(|_| Err("it did not answer in time".to_owned()))
    }

    pub async fn call(&self, tool: &str, input: &Value) -> ToolOutput {
        let mut params = CallToolRequestParams::new(tool.to_owned());
        params.arguments = input.as_object().cloned();
        match tokio::time::timeout(CALL_TIMEOUT, self.service.call_tool(params)).await {
            Ok(Ok(result)) => output(result),
            Ok(Err(error)) => {
                ToolOutput::failure(format!("The MCP server did not carry out {tool}: {}.", not_served(&error)))
            }
            Err(_) => ToolOutput::failure(format!("The MCP server did not answer {tool} in time.")),
        }
    }
}

/// Prefixed, so that two servers never collide, and with a name that every model provider takes.
fn offered(tool_ref: &Value, tools: Vec<rmcp::model::Tool>) -> Vec<McpTool> {
    let prefix = tool_ref["name"].as_str().unwrap_or("mcp");
    let filter = tool_ref["toolFilter"].as_array();
    let wanted = |name: &str| filter.is_none_or(|names| names.iter().any(|wanted| wanted == name));
    let mut offered: Vec<McpTool> = Vec::new();
    for tool in tools.into_iter().filter(|tool| wanted(&tool.name)) {
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' };
        let name: String = format!("{prefix}_{}", tool.name).chars().map(plain).take(64).collect();
        if !ids::is_tool_name(&name) || offered.iter().any(|other| other.offered_name == name) {
            tracing::warn!(tool = %tool.name, "an MCP tool is left out: its name is taken");
            continue;
        }
        offered.push(McpTool {
            name: tool.name.into_owned(),
            offered_name: name,
            description: tool.description.unwrap_or_default().into_owned(),
            parameters: Value::Object(Map::clone(&tool.input_schema)),
        });
    }
    offered
}

fn output(result: CallToolResult) -> ToolOutput {
    let mut texts = Vec::new();
    let mut files = Vec::new();
    for (i, block) in result.content.into_iter().enumerate() {
        match block {
            ContentBlock::Text(text) => texts.push(text.text),
            ContentBlock::Image(image) => files.push(unnamed(i, &image.mime_type, &image.data)),
            ContentBlock::Audio(audio) => files.push(unnamed(i, &audio.mime_type, &audio.data)),
            ContentBlock::Resource(resource) => match resource.resource {
                ResourceContents::TextResourceContents { text, .. } => texts.push(text),
                ResourceContents::BlobResourceContents { uri, mime_type, blob, .. } => {
                    let name = uri.rsplit('/').next().unwrap_or(&uri);
                    let mime_type = mime_type.as_deref().unwrap_or("application/octet-stream");
                    files.push(file(name, mime_type, decoded_size(&blob)));
                }
                _ => {}
            },
            ContentBlock::ResourceLink(link) => texts.push(format!("{}: {}", link.name, link.uri)),
            _ => {}
        }
    }
    // A server may give its answer in structured form only.
    if let (true, Some(structured)) = (texts.is_empty(), result.structured_content) {
        texts.push(structured.to_string());
    }
    let text = texts.join("\n");
    let outcome = if result.is_error == Some(true) { Err(text) } else { Ok(text) };
    ToolOutput { outcome, files }
}

/// Blocks have no names; their place and type make one.
fn unnamed(position: usize, mime_type: &str, base64: &str) -> Value {
    let extension = mime_type.rsplit('/').next().unwrap_or("bin");
    file(&format!("file-{}.{extension}", position + 1), mime_type, decoded_size(base64))
}

fn not_connected(error: &ClientInitializeError) -> String {
    match error {
        ClientInitializeError::TransportError { error, .. } => last_cause(&*error.error),
        ClientInitializeError::JsonRpcError(error) => error.message.to_string(),
        error => error.to_string(),
    }
}

fn not_served(error: &ServiceError) -> String {
    match error {
        ServiceError::McpError(error) => error.message.to_string(),
        ServiceError::TransportSend(error) => last_cause(&*error.error),
        error => error.to_string(),
    }
}

/// The outer causes only say that there was one.
fn last_cause(error: &(dyn std::error::Error + 'static)) -> String {
    std::iter::successors(Some(error), |error| error.source()).last().unwrap_or(error).to_string()
}
