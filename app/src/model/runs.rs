//! The list of runs, the preview of one of them, and updates while the list is open.

use domain::{RunSummary, SyncProgress, View};
use protocol::RunStatus;
use serde::{Deserialize, Serialize};

use super::Column;
use super::chart::Chart;
use super::list::{Chip, FacetPanelModel, FilterBarModel};

/// The `first` parameter of a request for updates when the list is empty.
pub const NO_RUN: &str = "-";

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunListModel {
    pub filter_bar: FilterBarModel,
    pub views: Vec<View>,
    pub runs: Vec<RunSummary>,
    pub facets: FacetPanelModel,
    pub chart: Option<Chart>,
    pub sync: SyncProgress,
    pub columns: Vec<Column>,
    /// The viewer chose the columns. Otherwise some are hidden on medium screens.
    pub columns_chosen: bool,
    /// The URL of this page of the list; parameters can be appended with `&`.
    pub here: String,
    /// The URL of this filter, ending where a clause can be appended.
    pub add: String,
    pub newest: Option<String>,
    pub newer: Option<String>,
    pub older: Option<String>,
    /// For an empty list: the clauses whose removal would show results.
    pub excluding: Vec<Chip>,
    /// Notices above the list: stale data, logs still missing, misspelt values.
    pub notices: Vec<String>,
    /// Shown at the end of the list: older runs are still being synced.
    pub missing: Option<String>,
    /// Shown at the end of the list: how many runs were scanned, if the scan stopped early.
    pub scanned: Option<String>,
    pub now_ms: i64,
}

/// Changes to a list since it was rendered.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunListUpdate {
    /// The number of runs newer than the first one.
    pub newer: usize,
    /// There are more than `newer`.
    pub more: bool,
    /// The requested rows in their current state.
    pub rows: Vec<RunSummary>,
    pub sync: SyncProgress,
}

/// A run as the panel beside the list shows it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunPreview {
    pub run: RunSummary,
    pub status: RunStatus,
    /// HTML, as are prompt and answer.
    pub verdict: String,
    pub prompt: String,
    pub answer: String,
    pub now_ms: i64,
}
