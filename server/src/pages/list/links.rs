//! Links to a list under other filters.

use app::model::list::ListAddress;
use domain::url::encode;
use domain::{RunSort, View, ViewList, ViewScope};
use protocol::Query;

/// Links keep the id of the opened saved view, so that it can be changed, the order of the list, and what its chart shows.
#[derive(Clone, Debug)]
pub struct Links {
    list: ViewList,
    path: &'static str,
    view: Option<String>,
    sort: RunSort,
    /// Other parameters.
    more: Vec<(&'static str, String)>,
}

impl Links {
    pub fn to_list(list: ViewList) -> Self {
        Self { list, path: list.path(), view: None, sort: RunSort::default(), more: Vec::new() }
    }

    pub fn with_view(list: ViewList, view: Option<&View>) -> Self {
        let saved = view.filter(|view| view.scope != ViewScope::BuiltIn);
        Self { view: saved.map(|view| view.id.clone()), ..Self::to_list(list) }
    }

    /// The same links to a list in another order.
    pub fn sorted(&self, sort: RunSort) -> Self {
        Self { sort, ..self.clone() }
    }

    /// The same links to another page with a filter of this list.
    pub fn to_page(&self, path: &'static str) -> Self {
        Self { path, ..self.clone() }
    }

    /// The same links with another parameter, or without it.
    pub fn with(&self, name: &'static str, value: Option<&str>) -> Self {
        let mut links = self.clone();
        links.more.retain(|(known, _)| *known != name);
        links.more.extend(value.map(|value| (name, value.to_owned())));
        links
    }

    pub fn list(&self) -> ViewList {
        self.list
    }

    /// The id of the opened saved view.
    pub fn view(&self) -> Option<&str> {
        self.view.as_deref()
    }

    /// The parameters beside the filter, with their values.
    pub fn kept(&self) -> Vec<(String, String)> {
        let view = self.view.clone().map(|id| ("view".to_owned(), id));
        let sort = (!self.sort.is_default()).then(|| ("sort".to_owned(), self.sort.to_string()));
        let more = self.more.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
        view.into_iter().chain(sort).chain(more).collect()
    }

    /// The URL of the list under a query. `q` is always present: without it the default view would open.
    pub fn url(&self, query: &Query) -> String {
        let kept = self.kept().into_iter().map(|(name, value)| format!("{name}={}&", encode(&value)));
        format!("{}?{}q={}", self.path, kept.collect::<String>(), encode(&query.to_string()))
    }

    /// The URL of the list under a query, ending where another clause can be appended.
    pub fn appendable_url(&self, query: &Query) -> String {
        let base = self.url(query);
        if query.is_empty() { base } else { format!("{base}+") }
    }
}

/// Returns the view that a URL opens: the named one; the viewer's default if the URL has no filter at all; or the saved
/// view with exactly this filter, for example one that was just saved.
pub fn opened_view<'a>(address: &ListAddress, views: &'a [View]) -> Option<&'a View> {
    let has_same_filter = |view: &&View| view.scope != ViewScope::BuiltIn && view.query == address.q.trim();
    match &address.view {
        Some(id) => views.iter().find(|view| view.id == *id),
        None if address.opens_default => views.iter().find(|view| view.default),
        None => views.iter().find(has_same_filter),
    }
}
