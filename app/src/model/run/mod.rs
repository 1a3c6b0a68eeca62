//! The run page.
//!
//! ```text
//!   URL ──RunView──┐
//!                  ├──▶ server::pages::run ──▶ RunState: findings, strip, rows, answer, open tab
//!   log ─Timeline──┘
//! ```
//!
//! The server builds the state for any point of the log, during and after the run; the browser renders it. The state has
//! a bounded size: a log of a hundred thousand events sends no more rows than a log of a few hundred, and bodies only for
//! open rows. Parts without interaction arrive as HTML, so neither the reducer nor their rules are in the client.

mod row;
mod state;
mod view;
mod zoom;

use domain::{Feedback, RunSummary};
use serde::{Deserialize, Serialize};

pub use row::{Body, CallBody, CallOutcome, CallRow, Row, RowKind, Tone};
pub use state::{ReplayClock, RowWindow, RunState, SpecTab, TabContent};
pub use view::{Find, RunView, TABS_ID, Tab, density_name};
pub use zoom::{Zoom, ZoomStep};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunPageModel {
    pub run: RunSummary,
    pub system_prompt: Option<String>,
    pub state: RunState,
    /// The last event of the whole log, also while the page shows an earlier point.
    pub end_seq: u64,
    /// The sign-in may cancel the run and answer its calls.
    pub can_write: bool,
    /// The spec is known, so the run can be relaunched.
    pub has_spec: bool,
    pub feedback: Option<Feedback>,
    /// HTML: the source of an imported run, or a link that shows more of a run in progress without JavaScript; and links to
    /// the run that this one repeats, to its relaunches and to its failure group.
    pub notice: String,
    /// Set when the data may be behind MANTYX.
    pub stale: Option<String>,
    pub now_ms: i64,
}
