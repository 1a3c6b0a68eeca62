//! Sessions in lists, and totals of a session's runs.

use protocol::messages::Metadata;
use serde::{Deserialize, Serialize};

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
