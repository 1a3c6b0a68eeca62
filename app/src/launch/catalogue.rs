//! What the form can choose from.

use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Catalogue {
    pub models: Offer<ModelChoice>,
    pub default_model_id: Option<String>,
    pub agents: Offer<Choice>,
    pub tools: Offer<Choice>,
    pub plugins: Offer<Choice>,
    /// Metadata keys that the workspace's newest runs carry, most used first, with some of their values.
    pub metadata: Vec<MetadataInUse>,
    /// Command lines that may be started as MCP servers here.
    pub mcp_commands: Vec<String>,
    /// Scopes that launching needs and this sign-in does not have.
    pub missing_scopes: Vec<String>,
    /// MANTYX is the embedded sandbox.
    pub sandbox: bool,
}

/// A list, or why there is none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Offer<T> {
    pub items: Vec<T>,
    pub unavailable: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelChoice {
    pub id: String,
    pub label: String,
    pub provider: String,
    pub context_window_tokens: Option<u64>,
    /// Dollars for a million tokens.
    pub input_per_1m_usd: Option<f64>,
    pub output_per_1m_usd: Option<f64>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// What a spec says to choose it.
    pub id: String,
    pub name: String,
    pub description: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MetadataInUse {
    pub key: String,
    pub values: Vec<String>,
}

/// What an MCP server offers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct McpDiscovery {
    pub server_info: Value,
    /// As `tools/list` gave them: text of a stranger.
    pub tools: Vec<Value>,
    /// It has more tools than were read.
    pub cut: bool,
}

impl<T> Default for Offer<T> {
    fn default() -> Self {
        Self { items: Vec::new(), unavailable: None }
    }
}
