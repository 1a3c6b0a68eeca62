//! The bodies of MANTYX's HTTP responses, as far as Runlens reads them.
//!
//! All are documents (`document.rs`): they hold the JSON that was sent, and read single fields from it.

mod document;
mod errors;
mod models;
mod runs;
mod user_info;

use std::collections::BTreeMap;

pub use errors::ErrorBody;
pub use models::{Model, ModelList};
pub use runs::{ModelUsed, RunListResponse, RunRow, RunSnapshot};
use serde::{Deserialize, Serialize};
use serde_json::Value;
pub use user_info::{UserInfo, WorkspaceInfo};

pub type Metadata = BTreeMap<String, String>;

/// Token totals of a run. `cached` is a part of `input`, `reasoning` a part of `output`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Tokens {
    pub input_tokens: u64,
    pub cached_tokens: u64,
    pub reasoning_tokens: u64,
    pub output_tokens: u64,
}

impl Tokens {
    pub fn total(self) -> u64 {
        self.input_tokens.saturating_add(self.output_tokens)
    }

    /// Parses the tokens of one turn, in the spellings of engines that log them. `None` if it has no numbers of tokens.
    pub fn of_turn(json: &Value) -> Option<Self> {
        let count = |names: [&str; 2]| names.into_iter().find_map(|name| json.get(name)?.as_u64());
        let input = count(["inputTokens", "input_tokens"]);
        let output = count(["outputTokens", "output_tokens"]);
        input.or(output)?;
        Some(Self {
            input_tokens: input.unwrap_or(0),
            cached_tokens: count(["cachedTokens", "cached_tokens"]).unwrap_or(0),
            reasoning_tokens: count(["reasoningTokens", "reasoning_tokens"]).unwrap_or(0),
            output_tokens: output.unwrap_or(0),
        })
    }

    /// Parses the totals. A number that is absent or of an unexpected shape counts as zero.
    fn parse(json: &Value) -> Option<Self> {
        let fields = json.as_object()?;
        let count = |key: &str| fields.get(key).and_then(Value::as_u64).unwrap_or(0);
        Some(Self {
            input_tokens: count("inputTokens"),
            cached_tokens: count("cachedTokens"),
            reasoning_tokens: count("reasoningTokens"),
            output_tokens: count("outputTokens"),
        })
    }
}

#[cfg(test)]
mod tests;
