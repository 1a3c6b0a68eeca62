//! Sessions as the store keeps them.

use protocol::messages::Metadata;
use serde::{Deserialize, Serialize};

/// One session as a list shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionSummary {
    pub id: String,
    pub name: Option<String>,
    /// `active` or `ended`; other words are shown as they come.
    pub status: String,
    pub summary: Option<String>,
    pub metadata: Metadata,
    pub created_at_ms: i64,
    pub last_used_at_ms: i64,
}

/// What the runs of a session took together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionTotals {
    pub runs: u64,
    pub tokens: u64,
    pub cost_micros: u64,
    pub duration_ms: u64,
}
