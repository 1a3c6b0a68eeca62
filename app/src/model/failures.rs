//! Failure groups. Both pages have no interaction besides links and plain forms, so they arrive as HTML.

use serde::{Deserialize, Serialize};

use crate::query_string::QueryString;

/// The state of both pages, as their URL carries it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FailuresAddress {
    /// The open tab: open, resolved or muted.
    pub state: Option<String>,
    /// The time range, as the filter bar writes times. `all` is no limit.
    pub since: Option<String>,
    pub before: Option<String>,
    pub sort: Option<String>,
    pub cursor: Option<String>,
}

impl FailuresAddress {
    pub fn from_query(query: &QueryString) -> Self {
        let one = |name: &str| query.get(name).filter(|value| !value.trim().is_empty());
        Self {
            state: one("state"),
            since: one("since"),
            before: one("before"),
            sort: one("sort"),
            cursor: one("cursor"),
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailuresModel {
    /// HTML: title, tabs, groups.
    pub html: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailureModel {
    pub title: String,
    /// HTML: title, actions, trend, finding, runs, values.
    pub html: String,
}
