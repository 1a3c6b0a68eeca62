//! Insights: figures of the runs that match a filter.

use serde::{Deserialize, Serialize};

use super::chart::Chart;
use super::list::{FilterBarModel, ListAddress};
use super::runs::TimeRange;
use crate::query_string::QueryString;

/// The state of the page, as its URL carries it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct InsightsAddress {
    pub list: ListAddress,
    /// The key of the breakdown.
    pub by: Option<String>,
    /// What the charts of duration, tokens and cost show.
    pub show: Option<String>,
}

impl InsightsAddress {
    pub fn from_query(query: &QueryString) -> Self {
        let one = |name: &str| query.get(name).filter(|value| !value.is_empty());
        Self { list: ListAddress::from_query(query), by: one("by"), show: one("show") }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct InsightsModel {
    pub filter_bar: FilterBarModel,
    pub time_range: TimeRange,
    /// `12,431 runs`
    pub runs: String,
    /// What the figures don't include.
    pub notices: Vec<String>,
    /// Runs over time. `None` if the filter is invalid, or without runs.
    pub chart: Option<Chart>,
    /// HTML: the rates above the chart, and everything below it.
    pub rates: String,
    pub body: String,
}
