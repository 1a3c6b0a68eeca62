//! Builds the facet panel: each value links to the filter with it, or without it if it is on. A second value of a key
//! becomes an alternative to the first.

use app::format::grouped;
use app::model::list::{FacetGroup, FacetLink, FacetPanelModel};
use app::plain_text::visible;
use domain::{FacetValue, Facets, ViewList};
use protocol::Query;
use protocol::query::{Field, Is, Term};

use super::Links;
use crate::masking::is_redacted;

/// The number of groups that start open. A group with a selected value is always open.
const OPEN_GROUPS: usize = 6;

pub fn build_facets(links: &Links, facets: Facets, query: &Query) -> FacetPanelModel {
    let note = facets.counted_newest.map(|counted| format!("Counted in the newest {} that match.", grouped(counted)));
    let mut facets = facets.facets;
    // Metadata is the team's own vocabulary, so it comes before models and tools. Otherwise the order is the store's, which
    // is the same under every filter.
    facets.sort_by_key(|facet| match facet.key.as_str() {
        "status" | "is" => 0,
        key if key.starts_with("metadata.") => 1,
        _ => 2,
    });
    facets.retain(|facet| !is_redacted(&title(&facet.key)));
    let groups = facets.into_iter().enumerate().map(|(i, facet)| {
        let links: Vec<FacetLink> = facet
            .values
            .iter()
            .filter(|value| !is_redacted(value.label.as_ref().unwrap_or(&value.value)))
            .filter_map(|value| link(links, &facet.key, value, query))
            .collect();
        FacetGroup {
            title: title(&facet.key),
            open: i < OPEN_GROUPS || links.iter().any(|link| link.on),
            more: facet.more,
            links,
        }
    });
    FacetPanelModel { groups: groups.filter(|group| !group.links.is_empty()).collect(), note }
}

fn link(links: &Links, key: &str, value: &FacetValue, query: &Query) -> Option<FacetLink> {
    let term = term(links.list(), key, &value.value)?;
    Some(FacetLink {
        value: visible(value.label.as_deref().unwrap_or(&value.value)).into_owned(),
        count: grouped(value.runs),
        on: query.includes(&term),
        href: links.url(&query.toggled(term)),
    })
}

/// The name of a key for people.
pub fn title(key: &str) -> String {
    match key {
        "status" => "Status".to_owned(),
        "is" => "Signals".to_owned(),
        "model" => "Model".to_owned(),
        "agent" => "Agent".to_owned(),
        "name" => "Name".to_owned(),
        "tool" => "Tool".to_owned(),
        "error" => "Error".to_owned(),
        "group" => "Failure group".to_owned(),
        other => other.strip_prefix("metadata.").unwrap_or(other).to_owned(),
    }
}

/// The filter by a value of a key, if the key can be filtered by.
pub fn term(list: ViewList, key: &str, value: &str) -> Option<Term> {
    if let Some(key) = key.strip_prefix("metadata.") {
        return Some(Term::metadata(key, value));
    }
    match key {
        "status" => Term::status(list == ViewList::Sessions, value),
        "is" => Is::ALL.into_iter().find(|is| is.as_str() == value).map(Term::Is),
        _ => {
            let field = Field::ALL.into_iter().find(|field| field.as_str() == key)?;
            Some(Term::Field { field, value: value.to_owned() })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::Facet;

    fn value(value: &str) -> FacetValue {
        FacetValue { value: value.to_owned(), runs: 1_200, ..FacetValue::default() }
    }

    fn facet(key: &str, values: &[&str]) -> Facet {
        Facet { key: key.to_owned(), values: values.iter().map(|word| value(word)).collect(), ..Facet::default() }
    }

    fn panel(facets: Vec<Facet>, query: &str) -> FacetPanelModel {
        let facets = Facets { facets, counted_newest: Some(500) };
        let query = Query::parse(query).expect("a query");
        build_facets(&Links::to_list(ViewList::Runs), facets, &query)
    }

    fn links(panel: &FacetPanelModel) -> Vec<(&str, &str, bool)> {
        let links = panel.groups.iter().flat_map(|group| &group.links);
        links.map(|link| (&*link.value, &*link.href, link.on)).collect()
    }

    #[test]
    fn a_value_links_to_the_filter_with_or_without_it() {
        let facets = vec![facet("status", &["failed"]), facet("metadata.team", &["a b"]), facet("later", &["x"])];
        let panel = panel(facets, "status:failed");
        assert_eq!(
            links(&panel),
            [("failed", "/runs?q=", true), ("a b", "/runs?q=status:failed+team:%22a+b%22", false)],
            "keys that can't be filtered by are left out"
        );
        assert_eq!(panel.groups[0].links[0].count, "1,200");
        assert_eq!(panel.note.as_deref(), Some("Counted in the newest 500 that match."));
    }

    #[test]
    fn a_second_value_is_an_alternative_to_the_first() {
        let customers = || vec![facet("metadata.customer", &["acme", "globex", "initech"])];
        assert_eq!(
            links(&panel(customers(), "env:prod customer:acme,globex -status:failed")),
            [
                ("acme", "/runs?q=env:prod+customer:globex+-status:failed", true),
                ("globex", "/runs?q=env:prod+customer:acme+-status:failed", true),
                ("initech", "/runs?q=env:prod+customer:acme,globex,initech+-status:failed", false),
            ]
        );
        assert!(!links(&panel(customers(), "-customer:acme"))[0].2, "an excluded value is not selected");
    }

    #[test]
    fn groups_keep_their_order() {
        let facets = vec![
            facet("tool", &["recall"]),
            facet("metadata.env", &["prod", "dev"]),
            facet("status", &["succeeded", "failed"]),
            facet("metadata.customer", &["acme"]),
        ];
        let panel = panel(facets, "env:prod");
        let titles: Vec<&str> = panel.groups.iter().map(|group| group.title.as_str()).collect();
        assert_eq!(titles, ["Status", "env", "customer", "Tool"]);
    }
}
