//! What pages are given to draw. Plain data, sent from the server to the browser.

mod compare;
pub mod launch;
mod sessions;

use domain::{Feedback, RunSummary};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::run::RunState;

pub use compare::{
    ComparedCall, ComparedRun, ComparedTurn, Comparison, Excerpt, Parting, Piece, SpecDifference, TurnLines,
};
pub use sessions::{SessionMessages, SessionPage, SessionsPage};

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
