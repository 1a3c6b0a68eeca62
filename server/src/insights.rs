//! Figures of the runs that match a filter. The page and the JSON API read them through this module.

use app::AppError;
use domain::Insights;
use protocol::Query;
use protocol::query::{Term, When};

use crate::auth::Caller;
use crate::clock::now_ms;
use crate::error::Error;
use crate::is_mine;
use crate::state::AppState;

/// The key whose values are shown if none is chosen.
pub const DEFAULT_KEY: &str = "model";

/// Returns the figures of the matching runs, with those of the values of `key`. A time range that is empty is an error.
pub async fn load(state: &AppState, caller: &Caller, query: &Query, key: &str) -> Result<Insights, Error> {
    let query = is_mine::resolve(state, caller, query).await?;
    let now_ms = now_ms();
    if is_empty_range(&query, now_ms) {
        return Err(invalid(
            "before",
            "The time range is empty: it ends before it begins. Change its start or its end.",
        ));
    }
    let plan = state.store.plan(caller.workspace_id, &query, now_ms).await?;
    Ok(state.store.insights(&plan, key).await?)
}

/// Adds a limit of the time range that was given beside the filter.
pub fn with_time(query: Query, field: &str, text: Option<&str>, term: fn(When) -> Term) -> Result<Query, Error> {
    let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) else { return Ok(query) };
    match When::parse(text) {
        Some(when) => Ok(query.with(term(when))),
        None => {
            Err(invalid(field, &format!("`{text}` is not a time. Use a duration like 7d, or a date like 2026-10-31.")))
        }
    }
}

/// Returns true if the range ends before it begins.
fn is_empty_range(query: &Query, now_ms: i64) -> bool {
    let (mut from, mut before) = (i64::MIN, i64::MAX);
    for clause in &query.clauses {
        match (&clause.term, clause.negated) {
            (Term::Since(when), false) | (Term::Before(when), true) => from = from.max(when.resolve(now_ms)),
            (Term::Before(when), false) | (Term::Since(when), true) => before = before.min(when.resolve(now_ms)),
            _ => {}
        }
    }
    from >= before
}

fn invalid(field: &str, message: &str) -> Error {
    AppError::Invalid { field: field.to_owned(), message: message.to_owned() }.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_that_ends_before_it_begins_is_empty() {
        let is_empty = |text: &str| is_empty_range(&Query::parse(text).expect("a query"), 1_790_000_000_000);
        for text in
            ["since:2026-01-02 before:2026-01-01", "since:1h before:2h", "since:1d -since:1d", "before:2d -before:1d"]
        {
            assert!(is_empty(text), "{text}");
        }
        for text in ["", "since:7d", "before:7d", "since:2h before:1h env:prod", "since:2027-01-01"] {
            assert!(!is_empty(text), "{text}");
        }
    }

    #[test]
    fn a_time_beside_the_filter_must_be_a_time() {
        let with = |text| with_time(Query::default(), "since", text, Term::Since).map(|query| query.to_string());
        assert_eq!((with(None).ok(), with(Some(" "))).0.as_deref(), Some(""));
        assert_eq!(with(Some("7d")).ok().as_deref(), Some("since:7d"));
        let error = with(Some("someday")).expect_err("not a time");
        assert!(matches!(error, Error::App(AppError::Invalid { field, .. }) if field == "since"));
    }
}
