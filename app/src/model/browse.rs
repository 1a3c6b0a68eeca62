//! What stands around a list of runs: facets, the histogram, how far the mirror is.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Values that runs have, with counts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Facets {
    pub facets: Vec<Facet>,
    /// Only so many of the newest matching runs were counted; `None` where all were.
    pub counted_newest: Option<u64>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Facet {
    /// As a filter is written: `status`, `model`, or `metadata.customer`.
    pub key: String,
    /// Most frequent first.
    pub values: Vec<FacetValue>,
    /// There are more values than these.
    pub more: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FacetValue {
    pub value: String,
    pub runs: u64,
}

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

/// How far a workspace is mirrored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SyncProgress {
    /// Runs stored here.
    pub runs: u64,
    /// How many MANTYX said there are, where it did.
    pub total: Option<u64>,
    pub history: HistoryState,
    /// Ended runs whose log is here, or cannot be had any more.
    pub logs: u64,
    /// Ended runs whose log is still to come; some thousands stand for any more.
    pub logs_missing: u64,
    pub paused: bool,
    /// This MANTYX has no list of runs: only those that were opened, launched or imported here are listed.
    pub can_list: bool,
    pub synced_at_ms: Option<i64>,
    pub last_error: Option<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HistoryState {
    #[default]
    NotBegun,
    UnderWay,
    Complete,
}
