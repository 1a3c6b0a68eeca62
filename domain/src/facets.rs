//! Facets: the values that matching runs or sessions have, with counts.

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
