//! The filter: a plain GET form, and a chip for each part of what it says.

use leptos::prelude::*;
use leptos_router::components::Form;
use leptos_router::params::ParamsMap;
use protocol::query::{Clause, Term};
use protocol::{Query, RunStatus};

use super::icon::{Icon, IconView};

/// What the address says: the query, or why it cannot be read, and the text as it was typed.
#[derive(Clone, Debug, PartialEq)]
pub struct Filter {
    pub text: String,
    pub query: Result<Query, String>,
}

impl Filter {
    /// `q` holds the whole filter; `status` and `metadata` are what the form's own fields add to it.
    pub fn from_params(params: &ParamsMap) -> Self {
        let text = params.get("q").unwrap_or_default();
        let query = Query::parse(&text).map_err(|error| error.to_string()).and_then(|mut query| {
            for word in values(params, "status") {
                let status = RunStatus::parse(&word).ok_or_else(|| format!("There is no status `{word}`."))?;
                query.clauses.retain(|clause| !matches!(clause.term, Term::Status(_)));
                query = query.with(Term::Status(status));
            }
            for pair in values(params, "metadata") {
                query = query.with(Term::parse_metadata(&pair)?);
            }
            Ok(query)
        });
        let text = query.as_ref().map_or(text, ToString::to_string);
        Self { text, query }
    }
}

fn values(params: &ParamsMap, name: &str) -> Vec<String> {
    params.get_all(name).unwrap_or_default().into_iter().filter(|value| !value.trim().is_empty()).collect()
}

/// The list under a query, as an address.
pub fn runs_url(query: &Query) -> String {
    if query.is_empty() { "/runs".to_owned() } else { format!("/runs?q={}", encode(&query.to_string())) }
}

/// Escapes what has a meaning in an address; the rest stays readable.
pub fn encode(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b':' => out.push(byte as char),
            b' ' => out.push('+'),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[component]
pub fn FilterBar(filter: Filter) -> impl IntoView {
    let error = filter.query.as_ref().err().cloned();
    let query = filter.query.clone().unwrap_or_default();
    let invalid = error.is_some().then_some("true");
    let described = error.is_some().then_some("filter-error");
    view! {
        <nav class="views" aria-label="Status">{status_links(&query)}</nav>
        <Form method="GET" action="/runs" attr:class="filter" attr:role="search">
            <label class="filter-text">
                <span class="visually-hidden">"Filter"</span>
                <input
                    name="q"
                    value=filter.text
                    placeholder="status:failed customer:acme -env:dev"
                    maxlength="2000"
                    autocomplete="off"
                    spellcheck="false"
                    aria-invalid=invalid
                    aria-describedby=described
                />
            </label>
            <label class="filter-pair">
                <span class="visually-hidden">"Add metadata, as key:value"</span>
                <input name="metadata" placeholder="add key:value" maxlength="321" autocomplete="off" spellcheck="false" />
            </label>
            <button class="button primary" type="submit">"Filter"</button>
        </Form>
        {error.map(|error| view! { <p class="field-error" id="filter-error" role="alert">{error}</p> })}
        {(!query.is_empty()).then(|| view! { <div class="chips filter-chips">{clause_chips(&query)}<a class="clear" href="/runs">"Clear all"</a></div> })}
    }
}

/// All, and one for each status; the other parts of the filter stay.
fn status_links(query: &Query) -> impl IntoView + use<> {
    let rest = Query {
        clauses: query.clauses.iter().filter(|clause| !matches!(clause.term, Term::Status(_))).cloned().collect(),
    };
    let has_status = rest.clauses.len() != query.clauses.len();
    let link = move |label: &'static str, status: Option<RunStatus>| {
        let target = status.map_or_else(|| rest.clone(), |status| rest.with(Term::Status(status)));
        let current = match status {
            None => !has_status,
            Some(status) => query.status() == Some(status),
        };
        view! { <a href=runs_url(&target) aria-current=current.then_some("page")>{label}</a> }
    };
    [
        link("All", None),
        link("Running", Some(RunStatus::Running)),
        link("Succeeded", Some(RunStatus::Succeeded)),
        link("Failed", Some(RunStatus::Failed)),
        link("Cancelled", Some(RunStatus::Cancelled)),
    ]
    .into_iter()
    .collect_view()
}

fn clause_chips(query: &Query) -> impl IntoView + use<> {
    let chips: Vec<_> =
        query.clauses.iter().enumerate().map(|(i, clause)| (runs_url(&query.without(i)), clause.clone())).collect();
    chips
        .into_iter()
        .map(|(href, clause): (String, Clause)| {
            let text = clause.to_string();
            let label = format!("Remove the filter {text}");
            view! { <a class="chip removable" href=href aria-label=label>{text}<IconView icon=Icon::Cross /></a> }
        })
        .collect_view()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter(pairs: &[(&str, &str)]) -> Filter {
        let mut params = ParamsMap::new();
        for (name, value) in pairs {
            params.insert((*name).to_owned(), (*value).to_owned());
        }
        Filter::from_params(&params)
    }

    #[test]
    fn the_forms_fields_are_added_to_the_text() {
        let filter = filter(&[
            ("q", "status:failed customer:acme"),
            ("status", "running"),
            ("metadata", "env:prod"),
            ("metadata", "team:a b"),
            ("metadata", ""),
        ]);
        assert_eq!(filter.text, "customer:acme status:running env:prod team:\"a b\"");
    }

    #[test]
    fn what_cannot_be_read_is_kept_as_typed() {
        let filter = filter(&[("q", "status:lost")]);
        assert_eq!(filter.text, "status:lost");
        assert!(filter.query.expect_err("no such status").contains("There is no status `lost`"));
    }

    #[test]
    fn addresses_carry_any_text() {
        let query = Query::default().with(Term::metadata("note", "50% & \"more\""));
        assert_eq!(runs_url(&query), "/runs?q=note:%2250%25+%26+%5C%22more%5C%22%22");
    }
}
