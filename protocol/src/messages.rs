//! The bodies of MANTYX's HTTP answers that Runlens reads: run lists, snapshots, models, identity, errors.
//!
//! Every body keeps the fields it does not know in `extra`.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use crate::RunStatus;

pub type Metadata = BTreeMap<String, String>;

/// `GET /agent-runs`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunList {
    pub runs: Vec<RunRow>,
    #[serde(default)]
    pub next_cursor: Option<String>,
    #[serde(default)]
    pub limit: Option<u64>,
    #[serde(default)]
    pub total: Option<u64>,
}

/// One row of a run list: a projection with shortened texts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunRow {
    pub id: String,
    #[serde(default)]
    pub session_id: Option<String>,
    pub status: RunStatus,
    #[serde(default)]
    pub spec_name: Option<String>,
    #[serde(default)]
    pub agent_id: Option<String>,
    #[serde(default)]
    pub model_id: Option<String>,
    #[serde(default)]
    pub input_preview: Option<String>,
    #[serde(default)]
    pub output_preview: Option<String>,
    #[serde(default)]
    pub error: Option<String>,
    #[serde(default)]
    pub tokens: Option<Tokens>,
    #[serde(default)]
    pub turns: Option<u64>,
    #[serde(default)]
    pub duration_ms: Option<u64>,
    #[serde(default)]
    pub tool_call_count: Option<u64>,
    #[serde(default, deserialize_with = "null_as_default")]
    pub metadata: Metadata,
    pub created_at: String,
    #[serde(default)]
    pub completed_at: Option<String>,
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// `GET /agent-runs/{id}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunSnapshot {
    #[serde(alias = "runId")]
    pub id: String,
    #[serde(default)]
    pub session_id: Option<String>,
    pub status: RunStatus,
    #[serde(default)]
    pub final_text: Option<String>,
    #[serde(default)]
    pub error: Option<String>,
    #[serde(default)]
    pub failure_reason: Option<Value>,
    #[serde(default)]
    pub agent_spec: Value,
    #[serde(default, deserialize_with = "null_as_default")]
    pub metadata: Metadata,
    #[serde(default)]
    pub tokens: Option<Tokens>,
    #[serde(default)]
    pub turns: Option<u64>,
    #[serde(default)]
    pub model: Option<Value>,
    #[serde(default)]
    pub created_at: Option<String>,
    #[serde(default)]
    pub completed_at: Option<String>,
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

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
}

/// `GET /models`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelList {
    pub models: Vec<Model>,
    #[serde(default)]
    pub default_model_id: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Model {
    pub id: String,
    #[serde(default)]
    pub label: String,
    #[serde(default)]
    pub provider: String,
    #[serde(default)]
    pub vendor_model_id: String,
    #[serde(default)]
    pub source: String,
    #[serde(default)]
    pub context_window_tokens: Option<u64>,
    #[serde(default)]
    pub pricing: Option<Value>,
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// The answer to `POST /agent-runs` and to a session message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunCreated {
    pub run_id: String,
    pub stream_url: String,
}

/// `GET /api/oauth/userinfo`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UserInfo {
    pub sub: String,
    #[serde(default)]
    pub email: Option<String>,
    pub workspace: WorkspaceInfo,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkspaceInfo {
    pub id: String,
    pub slug: String,
    #[serde(default)]
    pub name: String,
}

/// The body of every answer that is not 2xx.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ErrorBody {
    pub error: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub candidates: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub required: Option<Value>,
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// Some servers write `null` where others leave a field out.
fn null_as_default<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(deserializer: D) -> Result<T, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_row_of_the_live_protocol_is_read_and_keeps_what_it_does_not_know() {
        let row: RunRow = serde_json::from_value(serde_json::json!({
            "id": "run_abc", "sessionId": null, "status": "succeeded", "specName": "support-bot", "modelId": "m",
            "tokens": { "inputTokens": 812, "cachedTokens": 0, "reasoningTokens": 0, "outputTokens": 96 },
            "turns": 2, "durationMs": 4213, "toolCallCount": 1, "metadata": null,
            "createdAt": "2029-01-05T13:00:00.000Z", "region": "eu"
        }))
        .expect("reads");
        assert_eq!(row.tokens.map(Tokens::total), Some(908));
        assert_eq!(row.extra["region"], "eu");
    }
}
