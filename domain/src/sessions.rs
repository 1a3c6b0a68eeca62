//! Sessions in lists, and totals of a session's runs.

use protocol::messages::Metadata;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A session in a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionSummary {
    pub id: String,
    pub name: Option<String>,
    /// `active` or `ended`. Other values of MANTYX are kept as they are.
    pub status: String,
    pub summary: Option<String>,
    pub metadata: Metadata,
    pub created_at_ms: i64,
    pub last_used_at_ms: i64,
}

/// Totals of the runs of a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionTotals {
    pub runs: u64,
    pub tokens: u64,
    pub cost_micros: u64,
    pub duration_ms: u64,
}

/// One session with its spec and totals. Its messages come page by page as [`SessionMessages`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionDetail {
    pub session: SessionSummary,
    pub totals: SessionTotals,
    pub spec: Value,
    pub ended_at_ms: Option<i64>,
    /// The sign-in may send messages and end the session.
    #[serde(default)]
    pub can_write: bool,
    /// Set when the data may be behind MANTYX.
    pub stale: Option<String>,
    pub now_ms: i64,
}

/// A page of messages, oldest first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionMessages {
    /// Frames as MANTYX sends them: `seq`, `type`, `text` and more.
    pub events: Vec<Value>,
    pub next_before_seq: Option<u64>,
}
