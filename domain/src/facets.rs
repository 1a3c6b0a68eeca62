//! Facets: the values of matching runs or sessions, with counts.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Facets {
    pub facets: Vec<Facet>,
    /// The number of newest matching runs that were counted. `None` if all were.
    pub counted_newest: Option<u64>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Facet {
    /// The key in the query language: `status`, `model`, or `metadata.customer`.
    pub key: String,
    /// Most frequent in the whole workspace first, so that the order stays the same under every filter.
    pub values: Vec<FacetValue>,
    /// There are further values.
    pub more: bool,
    /// The number of newest matching runs that were counted for this key. `None` if all were.
    #[serde(default)]
    pub counted_newest: Option<u64>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FacetValue {
    pub value: String,
    /// The value in words, if it is an id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Matching runs, if the filter had no clause about this key.
    pub runs: u64,
    /// The filter has this value.
    #[serde(default)]
    pub selected: bool,
}
