//! Everything on the run page that depends on the view and on the log.

use protocol::RunStatus;
use protocol::messages::Tokens;
use protocol::timeline::Tick;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Row;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunState {
    pub status: RunStatus,
    /// The log has its terminal event.
    pub ended: bool,
    /// HTML, as are plan, answer_html, truncation and schema_result. Empty for a run without findings.
    pub findings: String,
    /// Announced to screen readers when a banner appears.
    pub banner_titles: Vec<String>,
    pub window: RowWindow,
    pub strip: Vec<Tick>,
    /// Set if times are known.
    pub clock: Option<ReplayClock>,
    /// The number of events applied, and the last one's seq.
    pub events: u64,
    pub last_seq: u64,
    pub turns: u64,
    pub calls: u64,
    /// Calls that the loop guard, a budget or the turn limit skipped. They are not among `calls`.
    pub skipped_calls: u64,
    pub tokens: Option<Tokens>,
    /// The model of the newest turn, or the requested one.
    pub model: Option<String>,
    pub plan: String,
    pub answer: String,
    /// Empty when the answer is JSON, which is shown as a tree.
    pub answer_html: String,
    /// Bytes of the answer that are left out.
    pub answer_cut: usize,
    /// The answer is partial output of a failed run.
    pub partial: bool,
    /// The card about a truncated answer; empty if it is complete.
    pub truncation: String,
    /// The result of the check against the output schema, and the JSON Pointers of its violations.
    pub schema_result: String,
    pub violations: Vec<String>,
    /// Calls were repeated, so the page has a Loop tab.
    pub loops: bool,
    pub tab: TabContent,
}

/// The time of the run at the point that is shown, and what a replay in the original speed shows next.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplayClock {
    /// Milliseconds after the start.
    pub elapsed_ms: u64,
    /// Events, with the milliseconds after the start at which they happened. Empty at the end of the log.
    pub next: Vec<(u64, u64)>,
}

/// The content of the open tab, where it isn't part of the state already.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TabContent {
    #[default]
    None,
    Html(String),
    Spec(SpecTab),
}

/// The visible rows and their position among all rows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RowWindow {
    pub rows: Vec<Row>,
    pub start: usize,
    pub total: usize,
    /// The number of rows that match the search, and the event of the current match.
    pub hits: usize,
    pub hit_seq: Option<u64>,
    /// HTML: a link to the density that has matches, if this one has none.
    pub hits_elsewhere: String,
    /// The key of the row that a replay is at.
    pub current: Option<String>,
}

/// The run's spec.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpecTab {
    /// Secrets are masked. `None` if the spec is unknown.
    pub spec: Option<Value>,
    /// Code samples that launch the spec, by language.
    pub samples: Vec<(String, String)>,
}
