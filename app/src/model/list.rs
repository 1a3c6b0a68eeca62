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
    /// Values that the forms' own fields add to the filter.
    pub status: Vec<String>,
    pub metadata: Vec<String>,
    pub since: Option<String>,
    pub before: Option<String>,
    pub sort: Option<String>,
    pub cursor: Option<String>,
    /// The id of the saved view that was opened; the filter may have changed since.
    pub view: Option<String>,
    /// What the chart shows.
    pub chart: Option<String>,
}

impl ListAddress {
    pub fn from_url(url: &str) -> Self {
        Self::from_query(&QueryString::parse(url.split_once('?').map_or("", |(_, query)| query)))
    }

    pub fn from_query(query: &QueryString) -> Self {
        let all = |name: &str| -> Vec<String> {
            let values = query.get_all(name);
            values.into_iter().filter(|value| !value.trim().is_empty()).collect()
        };
        let one = |name: &str| query.get(name).filter(|value| !value.trim().is_empty());
        Self {
            opens_default: query.get("q").is_none(),
            // Without JavaScript, the filter bar sends the filter so far and the typed text as two values.
            q: all("q").join(" "),
            status: all("status"),
            metadata: all("metadata"),
            since: one("since"),
            before: one("before"),
            sort: one("sort"),
            cursor: query.get("cursor"),
            view: query.get("view"),
            chart: one("chart"),
        }
    }
}

/// The filter as text and as chips, or the errors in it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FilterBarModel {
    pub text: String,
    /// One chip per clause; its link removes the clause. A filter with errors has none: it stays in the text field.
    pub chips: Vec<Chip>,
    pub errors: FilterErrors,
    /// Parameters of the URL that the form keeps, with their values.
    pub kept: Vec<(String, String)>,
    /// The id of the saved view that was opened.
    pub view: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chip {
    pub text: String,
    pub href: String,
}

/// All errors of a filter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FilterErrors {
    pub messages: Vec<String>,
    /// The filter in pieces, those with an error marked. Empty if the errors are not in its text.
    pub pieces: Vec<FilterPiece>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FilterPiece {
    pub text: String,
    pub is_invalid: bool,
}

impl FilterErrors {
    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }
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

/// A facet value whose link adds it to the filter's values of this key, or removes it when `on`.
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
