//! Parses a list's filter and builds the filter bar.

use app::model::list::{Chip, FilterBarModel, FilterErrors, FilterPiece, ListAddress};
use app::plain_text::visible;
use domain::ViewList;
use protocol::Query;
use protocol::query::{QueryError, Term, When};

use super::Links;

pub fn build_filter_bar(links: &Links, query: &Query) -> FilterBarModel {
    let chip =
        |(i, text): (usize, String)| Chip { text: visible(&text).into_owned(), href: links.url(&query.without(i)) };
    let chips = query.clauses.iter().map(ToString::to_string).enumerate().map(chip).collect();
    FilterBarModel {
        text: query.to_string(),
        chips,
        kept: links.kept(),
        view: links.view().map(str::to_owned),
        ..FilterBarModel::default()
    }
}

/// Returns the query of a list's URL, or a filter bar with the errors in it. `default` is the default view's filter.
pub fn parse_filter(links: &Links, address: &ListAddress, default: &str) -> Result<Query, Box<FilterBarModel>> {
    let list = links.list();
    let parse = |text: &str| match list {
        ViewList::Runs => Query::parse(text),
        ViewList::Sessions => Query::parse_for_sessions(text),
    };
    let text = if address.opens_default { default } else { &address.q };
    let invalid = |errors: FilterErrors| {
        Box::new(FilterBarModel {
            text: text.to_owned(),
            errors,
            kept: links.kept(),
            view: links.view().map(str::to_owned),
            ..FilterBarModel::default()
        })
    };
    let mut query = parse(text).map_err(|_| invalid(mark_errors(text, &errors(list, text))))?;
    let in_field = |message: String| invalid(FilterErrors { messages: vec![message], ..FilterErrors::default() });
    for word in &address.status {
        let status = Term::status(list == ViewList::Sessions, word);
        let status = status.ok_or_else(|| in_field(format!("Unknown status `{word}`.")))?;
        query.clauses.retain(|clause| !clause.term.is_status());
        query = query.with(status);
    }
    for pair in &address.metadata {
        query = query.with(Term::parse_metadata(pair).map_err(in_field)?);
    }
    for (word, to_term) in [(&address.since, Term::Since as fn(When) -> Term), (&address.before, Term::Before)] {
        let Some(word) = word else { continue };
        let when = When::parse(word.trim());
        let when = when.ok_or_else(|| in_field(format!("`{word}` is not a date. Write it as 2026-10-31.")))?;
        query = query.with(to_term(when));
    }
    Ok(query)
}

fn errors(list: ViewList, text: &str) -> Vec<QueryError> {
    match list {
        ViewList::Runs => Query::errors(text),
        ViewList::Sessions => Query::errors_for_sessions(text),
    }
}

/// Divides the text at its errors, which are in the order of their positions.
fn mark_errors(text: &str, errors: &[QueryError]) -> FilterErrors {
    let mut pieces = Vec::new();
    let mut done = 0;
    let mut push = |range: std::ops::Range<usize>, is_invalid: bool| {
        if let Some(text) = text.get(range).filter(|text| !text.is_empty()) {
            pieces.push(FilterPiece { text: visible(text).into_owned(), is_invalid });
        }
    };
    for error in errors {
        let (start, end) = (error.at.start.clamp(done, text.len()), error.at.end.clamp(done, text.len()));
        push(done..start, false);
        push(start..end, true);
        done = end.max(start);
    }
    push(done..text.len(), false);
    let message = |error: &QueryError| visible(&error.to_string()).into_owned();
    FilterErrors { messages: errors.iter().map(message).collect(), pieces }
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
        let query = parse_filter(&Links::to_list(ViewList::Runs), &address, "").expect("a query");
        assert_eq!(query.to_string(), "customer:acme status:running env:prod team:\"a b\"");
    }

    #[test]
    fn a_session_status_becomes_part_of_the_filter() {
        let address = ListAddress { status: vec!["ended".to_owned()], ..address("status:active customer:acme") };
        let query = parse_filter(&Links::to_list(ViewList::Sessions), &address, "").expect("a query");
        assert_eq!(query.to_string(), "customer:acme status:ended");
        assert!(parse_filter(&Links::to_list(ViewList::Runs), &address, "").is_err());
    }

    #[test]
    fn only_a_url_without_a_filter_opens_the_default_view() {
        assert_eq!(
            parse_filter(
                &Links::to_list(ViewList::Runs),
                &ListAddress { opens_default: true, ..ListAddress::default() },
                "env:prod"
            )
            .expect("a query")
            .to_string(),
            "env:prod"
        );
        assert!(parse_filter(&Links::to_list(ViewList::Runs), &address(""), "env:prod").expect("a query").is_empty());
    }

    #[test]
    fn an_invalid_filter_stays_in_the_bar_with_its_errors_marked() {
        let bar = parse_filter(&Links::to_list(ViewList::Runs), &address("env:prod status:lost x tokens:many"), "");
        let bar = bar.expect_err("no such status");
        assert_eq!(bar.text, "env:prod status:lost x tokens:many");
        assert_eq!(bar.errors.messages.len(), 2);
        assert!(bar.errors.messages[0].contains("Unknown status `lost`"));
        let pieces: Vec<(&str, bool)> =
            bar.errors.pieces.iter().map(|piece| (piece.text.as_str(), piece.is_invalid)).collect();
        assert_eq!(pieces, [("env:prod status:", false), ("lost", true), (" x tokens:", false), ("many", true)]);
    }

    #[test]
    fn a_custom_time_range_becomes_part_of_the_filter() {
        let dates = |since: &str| ListAddress {
            since: Some(since.to_owned()),
            before: Some("2026-10-08".to_owned()),
            ..address("env:prod")
        };
        let links = Links::to_list(ViewList::Runs);
        let query = parse_filter(&links, &dates("2026-10-01"), "").expect("a query");
        assert_eq!(query.to_string(), "env:prod since:2026-10-01 before:2026-10-08");
        let bar = parse_filter(&links, &dates("someday"), "").expect_err("no date");
        assert_eq!(bar.errors.messages, ["`someday` is not a date. Write it as 2026-10-31."]);
    }

    #[test]
    fn every_chip_links_to_the_list_without_its_clause() {
        let query = Query::parse("status:failed env:prod").expect("a query");
        let bar = build_filter_bar(&Links::to_list(ViewList::Runs), &query);
        let hrefs: Vec<&str> = bar.chips.iter().map(|chip| chip.href.as_str()).collect();
        assert_eq!(hrefs, ["/runs?q=env:prod", "/runs?q=status:failed"]);
    }
}
