//! Builds the facet panel: each value links to the filter with it, or without it if it is on.

use app::format::grouped;
use app::model::list::{FacetGroup, FacetLink, FacetPanelModel};
use domain::{FacetValue, Facets, ViewList};
use protocol::Query;
use protocol::query::{Clause, Field, Is, Term};

use super::Links;

/// The number of groups that start open. A group with a selected value is always open.
const OPEN_GROUPS: usize = 6;

pub fn build_facets(links: &Links, facets: Facets, query: &Query) -> FacetPanelModel {
    let note = facets.counted_newest.map(|counted| format!("Counted in the newest {} that match.", grouped(counted)));
    let mut facets = facets.facets;
    // Metadata is the team's own vocabulary, so it comes before models and tools.
    facets.sort_by_key(|facet| match facet.key.as_str() {
        "status" | "is" => 0,
        key if key.starts_with("metadata.") => 1,
        _ => 2,
    });
    let groups = facets.into_iter().enumerate().map(|(i, facet)| {
        let links: Vec<FacetLink> =
            facet.values.iter().filter_map(|value| link(links, &facet.key, value, query)).collect();
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
    let clause = Clause::from(term(links.list(), key, &value.value)?);
    let at = query.clauses.iter().position(|known| *known == clause);
    let target = match at {
        Some(at) => query.without(at),
        None => query.with(clause.term),
    };
    Some(FacetLink {
        value: value.value.clone(),
        count: grouped(value.runs),
        href: links.url(&target),
        on: at.is_some(),
    })
}

fn title(key: &str) -> String {
    match key {
        "status" => "Status".to_owned(),
        "is" => "Noticed".to_owned(),
        "model" => "Model".to_owned(),
        "agent" => "Agent".to_owned(),
        "name" => "Name".to_owned(),
        "tool" => "Tool".to_owned(),
        "error" => "Error".to_owned(),
        other => other.strip_prefix("metadata.").unwrap_or(other).to_owned(),
    }
}

fn term(list: ViewList, key: &str, value: &str) -> Option<Term> {
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

    #[test]
    fn a_value_links_to_the_filter_with_or_without_it() {
        let value = |value: &str| FacetValue { value: value.to_owned(), runs: 1_200 };
        let facet = |key: &str, values: Vec<FacetValue>| Facet { key: key.to_owned(), values, more: false };
        let facets = Facets {
            facets: vec![
                facet("status", vec![value("failed")]),
                facet("metadata.team", vec![value("a b")]),
                facet("later", vec![value("x")]),
            ],
            counted_newest: Some(500),
        };
        let query = Query::parse("status:failed").expect("a query");
        let panel = build_facets(&Links::to_list(ViewList::Runs), facets, &query);
        let links: Vec<(&str, &str, bool)> = panel
            .groups
            .iter()
            .flat_map(|group| &group.links)
            .map(|link| (&*link.value, &*link.href, link.on))
            .collect();
        assert_eq!(
            links,
            [("failed", "/runs?q=", true), ("a b", "/runs?q=status:failed+team:%22a+b%22", false)],
            "keys that can't be filtered by are left out"
        );
        assert_eq!(panel.groups[0].links[0].count, "1,200");
        assert_eq!(panel.note.as_deref(), Some("Counted in the newest 500 that match."));
    }
}
