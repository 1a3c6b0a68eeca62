//! The list of runs, the preview of one of them, and updates while the list is open.

use domain::{RunSummary, SyncProgress, View};
use protocol::RunStatus;
use serde::{Deserialize, Serialize};

use super::Column;
use super::chart::Chart;
use super::list::{Chip, FacetPanelModel, FilterBarModel};
use crate::preferences::RowHeight;

/// The `first` parameter of a request for updates when the list is empty.
pub const NO_RUN: &str = "-";

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RunListModel {
    pub filter_bar: FilterBarModel,
    pub views: Vec<View>,
    pub runs: Vec<RunSummary>,
    pub facets: FacetPanelModel,
    pub chart: Option<Chart>,
    pub time_range: TimeRange,
    /// The number of runs that match, if there is a filter: `12,431 matching`.
    pub matching: Option<String>,
    pub sync: SyncProgress,
    pub columns: Vec<Column>,
    /// The columns that the list can be sorted by.
    pub sorting: Vec<SortLink>,
    pub rows: RowHeight,
    /// The viewer chose the columns. Otherwise some are hidden in tables of medium width.
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

/// A column header that sorts the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SortLink {
    pub column: Column,
    pub href: String,
    /// The direction, if the list is sorted by this column.
    pub direction: Option<SortDirection>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum SortDirection {
    Ascending,
    Descending,
}

impl SortDirection {
    /// The value of `aria-sort`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ascending => "ascending",
            Self::Descending => "descending",
        }
    }
}

/// The time range of the filter, and others to choose.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeRange {
    pub label: String,
    pub presets: Vec<RangeLink>,
    /// The filter without its time range.
    pub rest: String,
    /// The dates of a custom range, as date fields want them. Empty if there is none.
    pub since: String,
    pub before: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RangeLink {
    pub label: String,
    pub href: String,
    pub on: bool,
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
    /// HTML: where words of the filter are that neither row nor preview shows.
    pub matches: String,
    /// HTML, as are prompt and answer.
    pub findings: String,
    pub prompt: String,
    pub answer: String,
    pub now_ms: i64,
}
