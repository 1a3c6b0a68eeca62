//! Histograms: runs over time, by status.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Histogram {
    pub bucket_ms: i64,
    /// Oldest first; empty ones are left out.
    pub buckets: Vec<Bucket>,
    /// The whole time of the histogram: the query's time range, widened to whole buckets. Without a range, from the first
    /// bucket to the end of the last.
    pub start_ms: i64,
    pub end_ms: i64,
    /// The number of runs in the largest bucket.
    pub max_runs: u64,
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
