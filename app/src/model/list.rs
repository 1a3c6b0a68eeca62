//! Parts that the lists of runs and sessions share: URL parameters, filter bar, facets and completion.

use serde::{Deserialize, Serialize};

use crate::query_string::QueryString;

/// The state of a list, as its URL carries it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ListAddress {
    pub q: String,
    /// The URL has no `q` at all, so the list opens with the viewer's default view.
    pub opens_default: bool,
    /// Values that the form's own fields add to the filter.
    pub status: Vec<String>,
    pub metadata: Vec<String>,
    pub cursor: Option<String>,
    /// The id of the saved view that was opened; the filter may have changed since.
    pub view: Option<String>,
}

impl ListAddress {
    pub fn from_query(query: &QueryString) -> Self {
        let all = |name: &str| {
            let values = query.get_all(name);
            values.into_iter().filter(|value| !value.trim().is_empty()).collect()
        };
        let q = query.get("q");
        Self {
            opens_default: q.is_none(),
            q: q.unwrap_or_default(),
            status: all("status"),
            metadata: all("metadata"),
            cursor: query.get("cursor"),
            view: query.get("view"),
        }
    }
}

/// The filter as text and as chips, or the error in it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FilterBarModel {
    pub text: String,
    pub error: Option<FilterError>,
    /// One chip per clause; its link removes the clause.
    pub chips: Vec<Chip>,
    /// A `key:value` pair that could not be added.
    pub invalid_pair: String,
    /// The id of the saved view that was opened.
    pub view: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chip {
    pub text: String,
    pub href: String,
}

/// An error in the filter, with the text before and after the part it is about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FilterError {
    pub message: String,
    pub before: String,
    pub invalid: String,
    pub after: String,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FacetPanelModel {
    pub groups: Vec<FacetGroup>,
    /// Set when only some runs were counted.
    pub note: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FacetGroup {
    pub title: String,
    pub links: Vec<FacetLink>,
    pub more: bool,
    pub open: bool,
}

/// A facet value whose link adds it to the filter, or removes it when `on`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FacetLink {
    pub value: String,
    pub count: String,
    pub href: String,
    pub on: bool,
}

/// One suggestion of the filter bar or the command palette.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suggestion {
    pub label: String,
    pub note: String,
    /// The whole filter after the suggestion is accepted, or the URL to open.
    pub value: String,
    /// The caret position after that, in UTF-16 code units as browsers count.
    pub caret: u32,
}
