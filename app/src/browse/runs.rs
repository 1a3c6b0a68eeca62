//! The list of runs with everything around it, a look at one of them, and what changed since.

use protocol::RunStatus;
use serde::{Deserialize, Serialize};

use super::{Bar, Chart, Chip, Column, FacetPanel};
use domain::{RunSummary, SyncProgress, View};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunList {
    pub bar: Bar,
    pub views: Vec<View>,
    pub runs: Vec<RunSummary>,
    pub facets: FacetPanel,
    pub chart: Option<Chart>,
    pub sync: SyncProgress,
    pub columns: Vec<Column>,
    /// Somebody chose the columns; else some give way on a middling screen.
    pub columns_chosen: bool,
    /// This list as an address, to which more can be written with `&`.
    pub here: String,
    /// This filter as an address to which a clause can be written.
    pub add: String,
    pub newest: Option<String>,
    pub newer: Option<String>,
    pub older: Option<String>,
    /// Where nothing matches: the parts of the filter without which something would.
    pub drops: Vec<Chip>,
    /// What there is to know about the list: that it may be old, what cannot be found yet, what is misspelt.
    pub notices: Vec<String>,
    /// At the end of what is here: that older runs are still to come.
    pub missing: Option<String>,
    /// How far was looked, where that is neither to the end nor to a full page.
    pub looked: Option<String>,
    pub now_ms: i64,
}

/// What happened to a list since it was drawn.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunNews {
    /// Runs that would stand above the first one.
    pub newer: usize,
    /// There are more than were counted.
    pub more: bool,
    /// Rows that were asked for, as they are now.
    pub rows: Vec<RunSummary>,
    pub sync: SyncProgress,
}

/// A run as the panel beside the list shows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Peek {
    pub run: RunSummary,
    pub status: RunStatus,
    /// Drawn.
    pub verdict: String,
    pub prompt: Option<String>,
    pub answer: String,
    pub now_ms: i64,
}
