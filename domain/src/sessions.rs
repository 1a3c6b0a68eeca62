//! Sessions in lists, and totals of a session's runs.

use protocol::json::preview;
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
    /// MANTYX's summary, or the first prompt.
    pub summary: Option<String>,
    pub metadata: Metadata,
    pub created_at_ms: i64,
    pub last_used_at_ms: i64,
}

/// Characters of the first prompt in a title.
const TITLE_CHARS: usize = 60;

impl SessionSummary {
    /// The name to show: the session's own, the first words of its first prompt, or a placeholder.
    pub fn title(&self) -> String {
        let first_words = || self.summary.as_deref().map(|text| preview(text, TITLE_CHARS));
        let title = self.name.clone().or_else(first_words).filter(|title| !title.is_empty());
        title.unwrap_or_else(|| "Untitled session".to_owned())
    }
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
