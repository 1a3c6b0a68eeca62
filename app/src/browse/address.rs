//! What a list's address says, and the addresses of other lists.

use leptos_router::params::ParamsMap;
use protocol::Query;
use serde::{Deserialize, Serialize};

use crate::components::filter_bar::encode;
use crate::model::ViewList;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ListAddress {
    pub q: String,
    /// The address names no filter, not even an empty one: the list opens with the viewer's default view.
    pub opens_default: bool,
    /// What the form's own fields add to the filter.
    pub status: Vec<String>,
    pub metadata: Vec<String>,
    pub cursor: Option<String>,
}

impl ListAddress {
    pub fn from_params(params: &ParamsMap) -> Self {
        let all = |name: &str| {
            let values = params.get_all(name).unwrap_or_default();
            values.into_iter().filter(|value| !value.trim().is_empty()).collect()
        };
        let q = params.get("q");
        Self {
            opens_default: q.is_none(),
            q: q.unwrap_or_default(),
            status: all("status"),
            metadata: all("metadata"),
            cursor: params.get("cursor"),
        }
    }
}

/// A list under a query. The query is always named, so that the empty one means all and not the default view.
pub fn list_url(list: ViewList, query: &Query) -> String {
    format!("{}?q={}", list.path(), encode(&query.to_string()))
}

/// The address of a list to which one more clause can be written.
pub fn append_url(list: ViewList, query: &Query) -> String {
    let base = list_url(list, query);
    if query.is_empty() { base } else { format!("{base}+") }
}
