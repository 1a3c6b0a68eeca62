//! The palette: where what somebody types could lead.

use protocol::Query;
use protocol::query::{Clause, Term};

use super::{Links, Suggestion};
use domain::url::encode;
use domain::{View, ViewList};

/// Offered at once.
const MAX_PLACES: usize = 14;
const PAGES: [(&str, &str); 7] = [
    ("Runs", "/runs"),
    ("Sessions", "/sessions"),
    ("Launch a run", "/launch"),
    ("Launch a batch of runs", "/launch/batch"),
    ("Compare two runs", "/compare"),
    ("Import a log", "/import"),
    ("Documentation of the API", "/api/docs"),
];

/// The filter that finds what was typed as text; `None` where it has no word.
pub fn text_query(text: &str) -> Option<Query> {
    let query = Query { clauses: vec![Clause::from(Term::Text(text.to_owned()))] };
    // As if it had been typed in the bar: what that refuses is not asked for.
    Query::parse(&query.to_string()).ok()
}

/// Pages and views whose names have what was typed, runs that have it in their text (by id and title), and what it could
/// be besides.
pub fn places(text: &str, views: &[View], runs: &[(String, String)]) -> Vec<Suggestion> {
    let text = text.trim();
    let lower = text.to_lowercase();
    let named = |name: &str| name.to_lowercase().contains(&lower);
    let place = |label: &str, note: &str, href: String| Suggestion {
        label: label.to_owned(),
        note: note.to_owned(),
        value: href,
        caret: 0,
    };
    let pages =
        PAGES.iter().filter(|(name, _)| named(name)).map(|(name, href)| place(name, "page", (*href).to_owned()));
    let views = views.iter().filter(|view| named(&view.name)).map(|view| {
        let note = if view.list == ViewList::Runs { "view of runs" } else { "view of sessions" };
        place(&view.name, note, view.href())
    });
    let mut places: Vec<Suggestion> = pages.chain(views).collect();
    if !text.is_empty() {
        places.truncate(MAX_PLACES / 2);
        places.extend(runs.iter().map(|(id, title)| place(title, "run", format!("/runs/{}", encode(id)))));
        if looks_like_id(text) {
            places.push(place(text, "open the run with this id", format!("/runs/{}", encode(text))));
            places.push(place(text, "open the session with this id", format!("/sessions/{}", encode(text))));
        }
        if let Some(query) = text_query(text) {
            places.push(place(text, "find runs with this text", Links::to_list(ViewList::Runs).under(&query)));
        }
    }
    places.truncate(MAX_PLACES);
    places
}

fn looks_like_id(text: &str) -> bool {
    text.len() >= 8 && protocol::ids::is_path_id(text) && text.bytes().any(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ViewScope;

    fn labels(text: &str, runs: &[(String, String)]) -> Vec<String> {
        let view = View {
            id: "v1".to_owned(),
            name: "Late in prod".to_owned(),
            query: "env:prod duration:>30s".to_owned(),
            list: ViewList::Runs,
            scope: ViewScope::Private,
            mine: true,
            default: false,
        };
        let found = places(text, &[view], runs);
        found.into_iter().map(|place| format!("{} → {}", place.label, place.value)).collect()
    }

    #[test]
    fn names_of_pages_and_views_are_found_by_any_part() {
        assert_eq!(labels("laun", &[])[..2], ["Launch a run → /launch", "Launch a batch of runs → /launch/batch"]);
        assert_eq!(labels(" PROD", &[])[0], "Late in prod → /runs?view=v1&q=env:prod+duration:%3E30s");
        assert_eq!(labels("", &[]).len(), PAGES.len() + 1);
    }

    #[test]
    fn an_id_is_opened_and_any_text_is_looked_for() {
        let run = ("run_1".to_owned(), "Refunds".to_owned());
        assert_eq!(labels("order", &[run]), ["Refunds → /runs/run_1", "order → /runs?q=order"]);
        assert_eq!(
            labels("run_8f3a21", &[]),
            ["run_8f3a21 → /runs/run_8f3a21", "run_8f3a21 → /sessions/run_8f3a21", "run_8f3a21 → /runs?q=run_8f3a21"]
        );
        assert_eq!(labels("«»", &[]), Vec::<String>::new());
    }
}
