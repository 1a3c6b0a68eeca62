//! The filter bar: what is filtered by, as text and as chips, or what is wrong with it and where.

use protocol::Query;
use protocol::query::Term;
use serde::{Deserialize, Serialize};

use super::{Links, ListAddress};
use domain::ViewList;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bar {
    pub text: String,
    pub fault: Option<Fault>,
    /// Each part of the filter, and the list without it.
    pub chips: Vec<Chip>,
    /// What was to be added and could not be.
    pub pair: String,
    /// The saved view that was opened.
    pub view: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chip {
    pub text: String,
    pub href: String,
}

/// What is wrong, with the text around it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    pub message: String,
    pub before: String,
    pub wrong: String,
    pub after: String,
}

impl Bar {
    pub fn of(links: &Links, query: &Query) -> Self {
        let chip = |(i, text): (usize, String)| Chip { text, href: links.under(&query.without(i)) };
        let chips = query.clauses.iter().map(ToString::to_string).enumerate().map(chip).collect();
        Self { text: query.to_string(), chips, view: links.view().map(str::to_owned), ..Self::default() }
    }

    /// This filter, which can be read but not used.
    pub fn faulty(self, message: String) -> Self {
        Self { fault: Some(Fault { message, ..Fault::default() }), ..self }
    }
}

/// The query that an address names, or a bar that says why there is none. `default` is what the list opens with.
pub fn read_bar(list: ViewList, address: &ListAddress, default: &str) -> Result<Query, Box<Bar>> {
    let parse = |text: &str| match list {
        ViewList::Runs => Query::parse(text),
        ViewList::Sessions => Query::parse_for_sessions(text),
    };
    let text = if address.opens_default { default } else { &address.q };
    let pair = address.metadata.last().cloned().unwrap_or_default();
    let faulty = |fault: Fault| {
        Box::new(Bar { text: text.to_owned(), fault: Some(fault), pair: pair.clone(), ..Bar::default() })
    };
    let mut query = parse(text).map_err(|error| {
        let part = |range: std::ops::Range<usize>| text.get(range).unwrap_or_default().to_owned();
        let (start, end) = (error.at.start.min(text.len()), error.at.end.min(text.len()));
        faulty(Fault {
            before: part(0..start),
            wrong: part(start..end),
            after: part(end..text.len()),
            message: error.to_string(),
        })
    })?;
    let of_field = |message: String| faulty(Fault { message, ..Fault::default() });
    for word in &address.status {
        let status = Term::status(list == ViewList::Sessions, word);
        let status = status.ok_or_else(|| of_field(format!("There is no status `{word}`.")))?;
        query.clauses.retain(|clause| !clause.term.is_status());
        query = query.with(status);
    }
    for pair in &address.metadata {
        query = query.with(Term::parse_metadata(pair).map_err(of_field)?);
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
    fn the_forms_fields_are_added_to_the_text() {
        let address = ListAddress {
            status: vec!["running".to_owned()],
            metadata: vec!["env:prod".to_owned(), "team:a b".to_owned()],
            ..address("status:failed customer:acme")
        };
        let query = read_bar(ViewList::Runs, &address, "").expect("a query");
        assert_eq!(query.to_string(), "customer:acme status:running env:prod team:\"a b\"");
    }

    #[test]
    fn a_state_of_sessions_is_a_part_of_their_filter() {
        let address = ListAddress { status: vec!["ended".to_owned()], ..address("status:active customer:acme") };
        let query = read_bar(ViewList::Sessions, &address, "").expect("a query");
        assert_eq!(query.to_string(), "customer:acme status:ended");
        assert!(read_bar(ViewList::Runs, &address, "").is_err());
    }

    #[test]
    fn an_address_without_a_filter_opens_with_the_default_and_an_empty_filter_does_not() {
        assert_eq!(
            read_bar(ViewList::Runs, &ListAddress { opens_default: true, ..ListAddress::default() }, "env:prod")
                .expect("a query")
                .to_string(),
            "env:prod"
        );
        assert!(read_bar(ViewList::Runs, &address(""), "env:prod").expect("a query").is_empty());
    }

    #[test]
    fn what_cannot_be_read_is_kept_as_typed_and_marked() {
        let bar = read_bar(ViewList::Runs, &address("env:prod status:lost x"), "").expect_err("no such status");
        assert_eq!(bar.text, "env:prod status:lost x");
        let fault = bar.fault.expect("a fault");
        assert!(fault.message.contains("There is no status `lost`"));
        assert_eq!(
            (fault.before.as_str(), fault.wrong.as_str(), fault.after.as_str()),
            ("env:prod status:", "lost", " x")
        );
    }

    #[test]
    fn what_could_not_be_added_is_kept_as_typed() {
        let address = ListAddress { metadata: vec!["a/b:c".to_owned()], ..address("env:prod") };
        let bar = read_bar(ViewList::Runs, &address, "").expect_err("no key");
        assert_eq!((&*bar.text, &*bar.pair), ("env:prod", "a/b:c"));
    }

    #[test]
    fn every_chip_leads_to_the_list_without_it() {
        let query = Query::parse("status:failed env:prod").expect("a query");
        let bar = Bar::of(&Links::to_list(ViewList::Runs), &query);
        let hrefs: Vec<&str> = bar.chips.iter().map(|chip| chip.href.as_str()).collect();
        assert_eq!(hrefs, ["/runs?q=env:prod", "/runs?q=status:failed"]);
    }
}
