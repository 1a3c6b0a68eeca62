//! What pages are given to draw. Plain data, sent from the server to the browser.

mod browse;
mod compare;
mod import;
mod sessions;
mod views;

use protocol::messages::{Metadata, Tokens};
use protocol::{RunStatus, Timeline};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::run::RunState;

pub use browse::{Bucket, Facet, FacetValue, Facets, Histogram, HistoryState, Incomplete, SyncProgress};
pub use compare::{
    ComparedCall, ComparedRun, ComparedTurn, Comparison, Excerpt, Parting, Piece, SpecDifference, TurnLines,
};
pub use import::{ImportFault, ImportReport};
pub use sessions::{SessionMessages, SessionPage, SessionSummary, SessionTotals, SessionsPage};
pub use views::{View, ViewChange, ViewList, ViewScope};

/// Who is signed in, and where.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Viewer {
    pub email: String,
    pub workspace: String,
    pub workspace_slug: String,
}

/// What came of a plain form that could not be done: told on the page that it leads back to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    pub message: String,
    /// What had been written, so that it is not lost.
    pub written: Vec<String>,
}

/// One run as a list shows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunSummary {
    pub id: String,
    pub session_id: Option<String>,
    pub status: RunStatus,
    pub name: Option<String>,
    pub agent_id: Option<String>,
    pub model: Option<String>,
    pub input_preview: Option<String>,
    pub output_preview: Option<String>,
    pub error: Option<String>,
    pub tokens: Option<Tokens>,
    pub turns: Option<u64>,
    pub tool_calls: Option<u64>,
    pub duration_ms: Option<u64>,
    /// Millionths of a US dollar, at the price that the catalogue named when the run was stored.
    #[serde(default)]
    pub cost_micros: Option<u64>,
    #[serde(default)]
    pub error_class: Option<String>,
    pub created_at_ms: i64,
    pub metadata: Metadata,
    pub marks: Marks,
    #[serde(default)]
    pub origin: Origin,
}

/// Where a stored run comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// From MANTYX.
    #[default]
    Mirrored,
    /// From a file.
    Imported,
    /// Made up by `runlens seed`.
    Seeded,
}

/// What stands out in a run's log, known once the log was read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Marks {
    pub truncated: bool,
    pub looping: bool,
    pub over_budget: bool,
    /// Somebody owes a local tool's answer.
    #[serde(default)]
    pub waiting: bool,
    /// The run has ended, and a tool call was never answered.
    #[serde(default)]
    pub orphan_call: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunsPage {
    pub runs: Vec<RunSummary>,
    pub next_cursor: Option<String>,
    /// Why the list may be behind MANTYX, where it is.
    pub stale: Option<String>,
    /// Where the page before this one begins; empty for the first.
    #[serde(default)]
    pub previous_cursor: Option<String>,
    /// Where nothing matches: the clauses without which something would, by their place in the query.
    #[serde(default)]
    pub excluding: Vec<usize>,
    /// The page is not full, and yet not the last: only so many runs were looked at.
    #[serde(default)]
    pub looked_at: Option<u64>,
    /// Parts of the filter that no run can match as they are spelt, in words.
    #[serde(default)]
    pub notices: Vec<String>,
    /// The server's clock, so that both sides render the same relative times.
    pub now_ms: i64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunPage {
    pub run: RunSummary,
    pub prompt: Option<String>,
    pub system_prompt: Option<String>,
    pub state: RunState,
    /// The last event of the whole log, whatever point is looked at.
    pub end_seq: u64,
    /// Whether the sign-in may cancel and answer.
    pub can_write: bool,
    /// Its spec is known: it can be launched again.
    pub has_spec: bool,
    pub feedback: Option<Feedback>,
    /// Where an imported run comes from, drawn.
    pub imported: String,
    pub stale: Option<String>,
    pub now_ms: i64,
}

/// What a run was asked to do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunSpecPage {
    /// With secrets hidden. `None` where it is not known.
    pub spec: Option<Value>,
    /// Programs that start such a run, by the name of their language.
    pub programs: Vec<(String, String)>,
}

/// A part of a log, as it came.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RawEvents {
    /// Seq, type, and the envelope as JSON.
    pub events: Vec<(u64, String, String)>,
    pub next_after: Option<u64>,
}

/// Which way a judgement of a run goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Thumb {
    #[default]
    Up,
    Down,
}

/// What somebody here thinks of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Feedback {
    pub thumb: Thumb,
    pub explanation: String,
    pub given_by: String,
    pub given_at_ms: i64,
    /// MANTYX has it too. Where the sign-in may not send it, it stays here.
    pub sent: bool,
}

impl Thumb {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Up => "UP",
            Self::Down => "DOWN",
        }
    }
}

/// The error of an imported run whose log has no end.
pub const IMPORT_WITHOUT_END: &str = "The imported log stops before the run's end.";

impl RunSummary {
    /// The name to show: the spec's, the agent's, or that it has none.
    pub fn title(&self) -> String {
        let nameless = match self.origin {
            Origin::Imported => "imported log",
            _ => "ephemeral",
        };
        self.name.clone().or_else(|| self.agent_id.clone()).unwrap_or_else(|| nameless.to_owned())
    }

    /// It counts as failed only because the file that it is from stops before the end.
    pub fn end_is_unknown(&self) -> bool {
        self.origin == Origin::Imported && self.error.as_deref() == Some(IMPORT_WITHOUT_END)
    }
}

impl Marks {
    pub fn of(timeline: &Timeline) -> Self {
        use protocol::timeline::BannerKind;
        let kinds: Vec<BannerKind> = timeline.banners().iter().map(|banner| banner.kind).collect();
        let has = |kind| kinds.contains(&kind);
        Self {
            truncated: has(BannerKind::Truncated),
            looping: has(BannerKind::LoopNudged) || has(BannerKind::LoopGaveUp),
            over_budget: has(BannerKind::BudgetExceeded),
            waiting: timeline.outcome.is_none() && timeline.waiting_calls().next().is_some(),
            orphan_call: timeline.outcome.is_some() && timeline.calls().any(|call| call.answer.is_none()),
        }
    }
}
