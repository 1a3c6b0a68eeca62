//! What a list's address says, and the addresses of other lists.

use protocol::Query;
use serde::{Deserialize, Serialize};

use crate::query_string::QueryString;
use domain::url::encode;
use domain::{View, ViewList, ViewScope};

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
    /// The saved view that was opened; the filter may say something else by now.
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

/// Links to a list under other filters. A saved view that was opened stays named, so that it can be changed.
#[derive(Clone, Debug)]
pub struct Links {
    list: ViewList,
    view: Option<String>,
}

impl Links {
    pub fn to_list(list: ViewList) -> Self {
        Self { list, view: None }
    }

    pub fn with_view(list: ViewList, view: Option<&View>) -> Self {
        let saved = view.filter(|view| view.scope != ViewScope::BuiltIn);
        Self { list, view: saved.map(|view| view.id.clone()) }
    }

    pub fn list(&self) -> ViewList {
        self.list
    }

    /// The view that stays named.
    pub fn view(&self) -> Option<&str> {
        self.view.as_deref()
    }

    /// The list under a query. The query is always named, so that the empty one means all and not the default view.
    pub fn under(&self, query: &Query) -> String {
        let view = self.view().map(|id| format!("view={}&", encode(id))).unwrap_or_default();
        format!("{}?{view}q={}", self.list.path(), encode(&query.to_string()))
    }

    /// The address of a list to which one more clause can be written.
    pub fn adding_to(&self, query: &Query) -> String {
        let base = self.under(query);
        if query.is_empty() { base } else { format!("{base}+") }
    }
}

/// The view that an address opens: the one that it names; the viewer's default where it says nothing at all; or the saved one
/// whose filter it is, as where one was only just saved.
pub fn opened_view<'a>(address: &ListAddress, views: &'a [View]) -> Option<&'a View> {
    let says = |view: &&View| view.scope != ViewScope::BuiltIn && view.query == address.q.trim();
    match &address.view {
        Some(id) => views.iter().find(|view| view.id == *id),
        None if address.opens_default => views.iter().find(|view| view.default),
        None => views.iter().find(says),
    }
}
