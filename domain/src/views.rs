//! Saved views: named queries of a list.

use serde::{Deserialize, Serialize};

use crate::url::encode;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct View {
    pub id: String,
    pub name: String,
    /// The text of the filter bar.
    pub query: String,
    pub list: ViewList,
    pub scope: ViewScope,
    /// The viewer created it and may change it.
    #[serde(rename = "mine")]
    pub is_mine: bool,
    /// The viewer's list opens with it.
    pub default: bool,
}

/// The list that a view belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ViewList {
    #[default]
    Runs,
    Sessions,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ViewScope {
    BuiltIn,
    Private,
    Shared,
}

/// A new view, or the changes to one. Fields that are `None` are not changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ViewChange {
    pub list: ViewList,
    pub name: Option<String>,
    pub query: Option<String>,
    pub shared: Option<bool>,
}

impl View {
    /// The address of the list with this view. A saved view's id is included, because two views may have the same query.
    pub fn href(&self) -> String {
        let (path, id, query) = (self.list.path(), encode(&self.id), encode(&self.query));
        match self.scope {
            ViewScope::BuiltIn => format!("{path}?q={query}"),
            _ if query.is_empty() => format!("{path}?view={id}"),
            _ => format!("{path}?view={id}&q={query}"),
        }
    }
}

impl ViewList {
    /// The address of the list.
    pub fn path(self) -> &'static str {
        match self {
            Self::Runs => "/runs",
            Self::Sessions => "/sessions",
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Runs => "runs",
            Self::Sessions => "sessions",
        }
    }
}
