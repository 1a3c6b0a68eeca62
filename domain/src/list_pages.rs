//! One page of the runs list or of the sessions list.
//!
//! The store fills in the rows and the cursors, the server the rest. The JSON API serialises these types as they are.

use serde::{Deserialize, Serialize, Serializer};

use crate::{RunSummary, SessionSummary};

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RunsPage {
    /// In the order that was asked for.
    pub runs: Vec<RunSummary>,
    pub next_cursor: Option<String>,
    /// The reason why the list may be behind MANTYX.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stale: Option<String>,
    /// If nothing matches: the clauses whose removal would show runs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub excluding: Vec<ExcludingClause>,
    /// The number of runs that were checked, if the store stopped before the page was full. `next_cursor` continues.
    #[serde(rename = "lookedAt", skip_serializing_if = "Option::is_none")]
    pub scanned: Option<u64>,
    /// Sentences about parts of the query that are probably misspelt.
    #[serde(rename = "notices", skip_serializing_if = "Vec::is_empty")]
    pub query_hints: Vec<String>,
    /// The server's clock, so that server and browser render the same relative times.
    #[serde(skip)]
    pub now_ms: i64,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionsPage {
    /// Last used first.
    pub sessions: Vec<SessionSummary>,
    pub next_cursor: Option<String>,
    /// The reason why the list may be behind MANTYX.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stale: Option<String>,
    /// If nothing matches: the clauses whose removal would show sessions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub excluding: Vec<ExcludingClause>,
    /// The server's clock.
    #[serde(skip)]
    pub now_ms: i64,
}

/// The number of runs that match a query. Counting stops at a limit: then there are more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MatchCount {
    pub runs: u64,
    pub is_exact: bool,
}

/// A clause that alone makes a query match nothing. Serialised as its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExcludingClause {
    /// Its index in the query.
    pub index: usize,
    pub text: String,
}

impl Serialize for ExcludingClause {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}
