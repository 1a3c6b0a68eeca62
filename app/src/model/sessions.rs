//! One session, and a page of its messages.

use domain::{SessionSummary, SessionTotals};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// One session; its messages come page by page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionPage {
    pub session: SessionSummary,
    pub totals: SessionTotals,
    pub spec: Value,
    pub ended_at_ms: Option<i64>,
    /// Whether the sign-in may go on with it and end it.
    #[serde(default)]
    pub can_write: bool,
    /// Why this may be behind MANTYX, where it is.
    pub stale: Option<String>,
    pub now_ms: i64,
}

/// Messages in order, and where the earlier ones begin.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionMessages {
    /// Frames as MANTYX sends them: `seq`, `type`, `text` and what else there is.
    pub events: Vec<Value>,
    pub next_before_seq: Option<u64>,
}
