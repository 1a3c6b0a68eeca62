//! The list of sessions.

use domain::{SessionSummary, View};
use serde::{Deserialize, Serialize};

use super::list::{Chip, FacetPanelModel, FilterBarModel};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SessionListModel {
    pub filter_bar: FilterBarModel,
    pub views: Vec<View>,
    pub sessions: Vec<SessionSummary>,
    pub facets: FacetPanelModel,
    /// The URL of this filter, ending where a clause can be appended.
    pub add: String,
    pub newest: Option<String>,
    pub older: Option<String>,
    /// For an empty list: the clauses whose removal would show results.
    pub excluding: Vec<Chip>,
    /// Set when the data may be behind MANTYX.
    pub stale: Option<String>,
    pub now_ms: i64,
}
