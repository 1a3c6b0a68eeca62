//! The bodies of MANTYX's HTTP answers, and of what is posted to a run under way.
//!
//! All are [documents](crate::document): they keep the fields that they do not know. What is read from many of them, the
//! totals of tokens and the metadata, has plain types here.

mod catalogue;
mod errors;
mod oauth;
mod posts;
mod runs;
mod sessions;

use std::collections::BTreeMap;

pub use catalogue::{
    Agent, AgentList, Model, ModelList, Plugin, PluginList, Pricing, WorkspaceTool, WorkspaceToolList,
};
pub use errors::ErrorBody;
pub use oauth::{TokenAnswer, UserInfo, WorkspaceInfo};
pub use posts::{Feedback, FeedbackAnswer, ResultFile, ToolResultBody};
pub use runs::{FailureReason, ModelUsed, RunCreated, RunList, RunRow, RunSnapshot, StructuredOutput};
use serde::{Deserialize, Serialize};
use serde_json::Value;
pub use sessions::{SessionCreated, SessionDetail, SessionEvent, SessionEvents, SessionList, SessionRow};

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

    /// The totals of a run that has some; a bucket that is absent or odd counts as zero.
    fn read(json: &Value) -> Option<Self> {
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

/// The entries of a `metadata` field that are texts, as all should be.
fn read_metadata(json: &Value) -> Metadata {
    let entries = json.get("metadata").and_then(Value::as_object).into_iter().flatten();
    entries.filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned()))).collect()
}

#[cfg(test)]
mod tests;
