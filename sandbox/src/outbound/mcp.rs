//! The MCP server of an `mcp` tool reference: connected when a run starts, disconnected when it ends.

use std::sync::Arc;
use std::time::Duration;

use protocol::ids;
use remote_tools::RemoteError;
use remote_tools::mcp::McpSession;
use reqwest::Client;
use serde_json::Value;

use super::{CALL_TIMEOUT, header_map, parse_url};
use crate::tool_output::ToolOutput;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(15);

/// A connected server. Dropping it ends its session.
pub struct McpServer {
    session: McpSession,
}

pub struct McpTool {
    /// The server's name for the tool.
    pub name: String,
    /// The model's name for the tool: `<server>_<tool>`.
    pub offered_name: String,
    pub description: String,
    pub parameters: Value,
}

impl McpServer {
    /// Connects and lists the tools that the reference's filter allows.
    pub async fn connect(http: &Client, tool_ref: &Value) -> Result<(Self, Vec<McpTool>), RemoteError> {
        let connect = async {
            let (url, headers) = (parse_url(&tool_ref["url"])?, header_map(tool_ref)?);
            let session = McpSession::connect_http("mantyx-sandbox", Arc::new(http.clone()), &url, headers).await?;
            let tools = offered_tools(tool_ref, session.catalogue().await?.tools);
            Ok((Self { session }, tools))
        };
        let connected = tokio::time::timeout(CONNECT_TIMEOUT, connect).await;
        connected.unwrap_or(Err(RemoteError::TimedOut(CONNECT_TIMEOUT)))
    }

    pub async fn call(&self, tool: &str, input: &Value) -> ToolOutput {
        let call = self.session.call(tool, input.as_object().cloned().unwrap_or_default());
        let called = tokio::time::timeout(CALL_TIMEOUT, call).await;
        match called.unwrap_or(Err(RemoteError::TimedOut(CALL_TIMEOUT))) {
            Ok(output) => output.into(),
            Err(error) => ToolOutput::failure(format!("The MCP server did not carry out {tool}. {error}")),
        }
    }
}

/// Prefixes the names, so that tools of two servers never collide, and makes them valid for every model provider.
fn offered_tools(tool_ref: &Value, tools: Vec<Value>) -> Vec<McpTool> {
    let prefix = tool_ref["name"].as_str().unwrap_or("mcp");
    let filter = tool_ref["toolFilter"].as_array();
    let mut offered: Vec<McpTool> = Vec::new();
    for mut tool in tools {
        let name = tool["name"].as_str().unwrap_or_default().to_owned();
        if filter.is_some_and(|names| !names.iter().any(|allowed| *allowed == name)) {
            continue;
        }
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' };
        let offered_name: String = format!("{prefix}_{name}").chars().map(plain).take(64).collect();
        if !ids::is_tool_name(&offered_name) || offered.iter().any(|other| other.offered_name == offered_name) {
            tracing::warn!(tool = name, "an MCP tool is left out: its name is taken");
            continue;
        }
        let description = tool["description"].as_str().unwrap_or_default().to_owned();
        offered.push(McpTool { name, offered_name, description, parameters: tool["inputSchema"].take() });
    }
    offered
}
