//! Runs over time, counted by status.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Runs over time, oldest first, by status.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Histogram {
    pub bucket_ms: i64,
    pub buckets: Vec<Bucket>,
    /// What the filter says of time, where it does: the first and the last bucket count only runs from here on, and before
    /// there.
    pub from_ms: Option<i64>,
    pub before_ms: Option<i64>,
    /// Only so many of the newest matching runs were counted; `None` where all were.
    pub counted_newest: Option<u64>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Bucket {
    pub start_ms: i64,
    pub runs: BTreeMap<String, u64>,
}
