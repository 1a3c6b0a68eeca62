//! Parses a list's filter and builds the filter bar.

use app::model::list::{Chip, FilterBarModel, FilterError, ListAddress};
use domain::ViewList;
use protocol::Query;
use protocol::query::Term;

use super::Links;

pub fn build_filter_bar(links: &Links, query: &Query) -> FilterBarModel {
    let chip = |(i, text): (usize, String)| Chip { text, href: links.url(&query.without(i)) };
    let chips = query.clauses.iter().map(ToString::to_string).enumerate().map(chip).collect();
    FilterBarModel {
        text: query.to_string(),
        chips,
        view: links.view().map(str::to_owned),
        ..FilterBarModel::default()
    }
}

/// Returns the query of a list's URL, or a filter bar with the error in it. `default` is the default view's filter.
pub fn parse_filter(list: ViewList, address: &ListAddress, default: &str) -> Result<Query, Box<FilterBarModel>> {
    let parse = |text: &str| match list {
        ViewList::Runs => Query::parse(text),
        ViewList::Sessions => Query::parse_for_sessions(text),
    };
    let text = if address.opens_default { default } else { &address.q };
    let pair = address.metadata.last().cloned().unwrap_or_default();
    let invalid = |error: FilterError| {
        let invalid_pair = pair.clone();
        Box::new(FilterBarModel {
            text: text.to_owned(),
            error: Some(error),
            invalid_pair,
            ..FilterBarModel::default()
        })
    };
    let mut query = parse(text).map_err(|error| {
        let part = |range: std::ops::Range<usize>| text.get(range).unwrap_or_default().to_owned();
        let (start, end) = (error.at.start.min(text.len()), error.at.end.min(text.len()));
        invalid(FilterError {
            before: part(0..start),
            invalid: part(start..end),
            after: part(end..text.len()),
            message: error.to_string(),
        })
    })?;
    let in_field = |message: String| invalid(FilterError { message, ..FilterError::default() });
    for word in &address.status {
        let status = Term::status(list == ViewList::Sessions, word);
        let status = status.ok_or_else(|| in_field(format!("There is no status `{word}`.")))?;
        query.clauses.retain(|clause| !clause.term.is_status());
        query = query.with(status);
    }
    for pair in &address.metadata {
        query = query.with(Term::parse_metadata(pair).map_err(in_field)?);
    }
    Ok(query)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(q: &str) -> ListAddress {
        ListAddress { q: q.to_owned(), ..ListAddress::default() }
    }

    #[test]
    fn form_fields_are_added_to_the_text() {
        let address = ListAddress {
            status: vec!["running".to_owned()],
            metadata: vec!["env:prod".to_owned(), "team:a b".to_owned()],
            ..address("status:failed customer:acme")
        };
        let query = parse_filter(ViewList::Runs, &address, "").expect("a query");
        assert_eq!(query.to_string(), "customer:acme status:running env:prod team:\"a b\"");
    }

    #[test]
    fn a_session_status_becomes_part_of_the_filter() {
        let address = ListAddress { status: vec!["ended".to_owned()], ..address("status:active customer:acme") };
        let query = parse_filter(ViewList::Sessions, &address, "").expect("a query");
        assert_eq!(query.to_string(), "customer:acme status:ended");
        assert!(parse_filter(ViewList::Runs, &address, "").is_err());
    }

    #[test]
    fn only_a_url_without_a_filter_opens_the_default_view() {
        assert_eq!(
            parse_filter(ViewList::Runs, &ListAddress { opens_default: true, ..ListAddress::default() }, "env:prod")
                .expect("a query")
                .to_string(),
            "env:prod"
        );
        assert!(parse_filter(ViewList::Runs, &address(""), "env:prod").expect("a query").is_empty());
    }

    #[test]
    fn an_invalid_filter_stays_in_the_bar_with_its_error_marked() {
        let bar = parse_filter(ViewList::Runs, &address("env:prod status:lost x"), "").expect_err("no such status");
        assert_eq!(bar.text, "env:prod status:lost x");
        let error = bar.error.expect("an error");
        assert!(error.message.contains("There is no status `lost`"));
        assert_eq!(
            (error.before.as_str(), error.invalid.as_str(), error.after.as_str()),
            ("env:prod status:", "lost", " x")
        );
    }

    #[test]
    fn an_invalid_pair_stays_in_its_field() {
        let address = ListAddress { metadata: vec!["a/b:c".to_owned()], ..address("env:prod") };
        let bar = parse_filter(ViewList::Runs, &address, "").expect_err("no key");
        assert_eq!((&*bar.text, &*bar.invalid_pair), ("env:prod", "a/b:c"));
    }

    #[test]
    fn every_chip_links_to_the_list_without_its_clause() {
        let query = Query::parse("status:failed env:prod").expect("a query");
        let bar = build_filter_bar(&Links::to_list(ViewList::Runs), &query);
        let hrefs: Vec<&str> = bar.chips.iter().map(|chip| chip.href.as_str()).collect();
        assert_eq!(hrefs, ["/runs?q=env:prod", "/runs?q=status:failed"]);
    }
}
