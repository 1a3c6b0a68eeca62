//! Histograms: runs over time, by status.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Histogram {
    pub bucket_ms: i64,
    /// Oldest first; empty ones are left out.
    pub buckets: Vec<Bucket>,
    /// The query's time range. The first and the last bucket only count runs within it.
    pub from_ms: Option<i64>,
    pub before_ms: Option<i64>,
    /// The number of newest matching runs that were counted. `None` if all were.
    pub counted_newest: Option<u64>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Bucket {
    pub start_ms: i64,
    pub runs: BTreeMap<String, u64>,
}
