//! What the form can choose from.

use serde::{Deserialize, Serialize};

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

/// Characters of one token, on average over languages and models: good for an estimate and no more.
const CHARS_PER_TOKEN: u64 = 4;

impl ModelChoice {
    /// About what sending a text of so many characters once would cost.
    pub fn estimated_prompt_usd(&self, chars: u64) -> Option<f64> {
        #[allow(clippy::cast_precision_loss, reason = "an estimate")]
        let tokens = chars.div_ceil(CHARS_PER_TOKEN) as f64;
        Some(self.input_per_1m_usd? * tokens / 1e6)
    }

    /// Whether a text of so many characters is likely to be too much for the model.
    pub fn is_likely_too_long(&self, chars: u64) -> bool {
        self.context_window_tokens.is_some_and(|window| chars.div_ceil(CHARS_PER_TOKEN) > window)
    }
}

impl<T> Default for Offer<T> {
    fn default() -> Self {
        Self { items: Vec::new(), unavailable: None }
    }
}
