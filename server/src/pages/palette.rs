//! The command palette: pages, views and runs that match a text.

use app::format::relative;
use app::model::list::Suggestion;
use domain::url::encode;
use domain::{RunSort, RunSummary, View, ViewList};
use protocol::Query;
use protocol::json::preview;
use protocol::query::{Clause, Field, Term, words};

use super::list::Links;
use crate::auth::scopes::RUNS_READ;
use crate::clock::now_ms;
use crate::error::Error;
use crate::masking::{mask_runs, masked_views};
use crate::runs::{History, list_runs};
use crate::views;
use crate::workspace::SignedInWorkspace;

/// Runs in the results.
const MAX_RUNS: u32 = 5;
/// Characters of a run's prompt.
const PROMPT_CHARS: usize = 40;
/// All results.
const MAX_RESULTS: usize = 14;
const PAGES: [(&str, &str); 12] = [
    ("Runs", "/runs"),
    ("Sessions", "/sessions"),
    ("New session", "/sessions/new"),
    ("Failures", "/failures"),
    ("Waiting", "/waiting"),
    ("Insights", "/insights"),
    ("Launch a run", "/launch?draft=new"),
    ("Launch a batch of runs", "/launch#fold-batch"),
    ("Compare two runs", "/compare"),
    ("Import logs", "/import"),
    ("Settings", "/settings"),
    ("Documentation of the API", "/api/docs"),
];

pub async fn load(workspace: &SignedInWorkspace, text: &str) -> Result<Vec<Suggestion>, Error> {
    let (state, caller) = (&workspace.state, &workspace.caller);
    let mut views = Vec::new();
    for list in [ViewList::Runs, ViewList::Sessions] {
        if workspace.has_scope(views::scope_of(list)) {
            views.extend(masked_views(views::list(state, caller, list).await?));
        }
    }
    let mut runs: Vec<RunSummary> = Vec::new();
    // Runs with such a name come before those that have the text elsewhere.
    for query in [name_query(text), text_query(text)].into_iter().flatten() {
        if workspace.has_scope(RUNS_READ) && runs.len() < MAX_RUNS as usize {
            let sort = RunSort::default();
            let (_, mut page) = list_runs(state, caller, &query, sort, None, MAX_RUNS, History::StoredOnly).await?;
            mask_runs(&mut page.runs);
            let is_new = |run: &RunSummary| !runs.iter().any(|known| known.id == run.id);
            let new: Vec<RunSummary> = page.runs.into_iter().filter(is_new).collect();
            runs.extend(new);
        }
    }
    runs.truncate(MAX_RUNS as usize);
    Ok(results(text, &views, &runs, now_ms()))
}

/// Returns a query that searches for the words of the text, or `None` if it has none.
fn text_query(text: &str) -> Option<Query> {
    let pieces = text.split(|c: char| c.is_whitespace() || matches!(c, '"' | ',' | ':'));
    let with_words = pieces.filter(|piece| words(piece).next().is_some());
    checked(with_words.map(|piece| Term::Word(piece.to_owned()).into()).collect())
}

/// Returns a query that searches for runs whose name has the words of the text, or `None` if it has none.
fn name_query(text: &str) -> Option<Query> {
    words(text).next()?;
    checked(vec![Term::Field { field: Field::Name, value: text.trim().to_owned() }.into()])
}

/// Parses the clauses again, so that the filter bar's limits apply.
fn checked(clauses: Vec<Clause>) -> Option<Query> {
    Query::parse(&Query { clauses }.to_string()).ok().filter(|query| !query.is_empty())
}

/// What distinguishes runs with the same title: `run · failed · 3 h ago · What is 12 * 12?`.
fn describe(run: &RunSummary, now_ms: i64) -> String {
    let prompt = run.input_preview.as_deref().filter(|_| run.name.is_some());
    let prompt = prompt.map(|prompt| preview(prompt, PROMPT_CHARS)).filter(|prompt| !prompt.is_empty());
    let status = if run.end_is_unknown() { "incomplete" } else { run.status.as_str() };
    let parts = ["run".to_owned(), status.to_owned(), relative(run.created_at_ms, now_ms)];
    parts.into_iter().chain(prompt).collect::<Vec<_>>().join(" · ")
}

/// Pages and views whose names contain the text, the given runs, and links for the text itself.
fn results(text: &str, views: &[View], runs: &[RunSummary], now_ms: i64) -> Vec<Suggestion> {
    let text = text.trim();
    let lower = text.to_lowercase();
    let named = |name: &str| name.to_lowercase().contains(&lower);
    let result = |label: &str, note: &str, href: String| Suggestion {
        label: label.to_owned(),
        note: note.to_owned(),
        value: href,
        caret: 0,
    };
    let pages =
        PAGES.iter().filter(|(name, _)| named(name)).map(|(name, href)| result(name, "page", (*href).to_owned()));
    let views = views.iter().filter(|view| named(&view.name)).map(|view| {
        let note = if view.list == ViewList::Runs { "view of runs" } else { "view of sessions" };
        result(&view.name, note, view.href())
    });
    let mut found: Vec<Suggestion> = pages.chain(views).collect();
    if !text.is_empty() {
        found.truncate(MAX_RESULTS / 2);
        let run = |run: &RunSummary| result(&run.title(), &describe(run, now_ms), format!("/runs/{}", encode(&run.id)));
        found.extend(runs.iter().map(run));
        if looks_like_id(text) && !text.starts_with("ses_") {
            found.push(result(text, "open the run with this id", format!("/runs/{}", encode(text))));
        }
        if looks_like_id(text) && !text.starts_with("run_") {
            found.push(result(text, "open the session with this id", format!("/sessions/{}", encode(text))));
        }
        if let Some(query) = text_query(text) {
            found.push(result(text, "find runs with this text", Links::to_list(ViewList::Runs).url(&query)));
        }
    }
    found.truncate(MAX_RESULTS);
    found
}

fn looks_like_id(text: &str) -> bool {
    text.len() >= 8 && protocol::ids::is_path_id(text) && text.bytes().any(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ViewScope;

    fn run(name: Option<&str>) -> RunSummary {
        serde_json::from_value(serde_json::json!({
            "id": "run_1",
            "status": "failed",
            "name": name,
            "inputPreview": "What is  12 * 12?",
            "createdAtMs": 0,
            "metadata": {},
            "marks": { "truncated": false, "looping": false, "over_budget": false },
        }))
        .expect("a run")
    }

    fn labels(text: &str, runs: &[RunSummary]) -> Vec<String> {
        let view = View {
            id: "v1".to_owned(),
            name: "Late in prod".to_owned(),
            query: "env:prod duration:>30s".to_owned(),
            list: ViewList::Runs,
            scope: ViewScope::Private,
            is_mine: true,
            default: false,
        };
        let found = results(text, &[view], runs, 0);
        found.into_iter().map(|result| format!("{} → {}", result.label, result.value)).collect()
    }

    #[test]
    fn pages_and_views_are_found_by_any_part_of_their_name() {
        assert_eq!(
            labels("laun", &[])[..2],
            ["Launch a run → /launch?draft=new", "Launch a batch of runs → /launch#fold-batch"]
        );
        assert_eq!(labels(" PROD", &[])[0], "Late in prod → /runs?view=v1&q=env:prod+duration:%3E30s");
        assert_eq!(labels("", &[]).len(), PAGES.len() + 1);
    }

    #[test]
    fn an_id_links_to_its_run_and_any_text_to_a_search() {
        assert_eq!(labels("order", &[run(Some("Refunds"))]), ["Refunds → /runs/run_1", "order → /runs?q=order"]);
        assert_eq!(labels("run_8f3a21", &[]), ["run_8f3a21 → /runs/run_8f3a21", "run_8f3a21 → /runs?q=run_8f3a21"]);
        assert_eq!(labels("ses_8f3a21", &[])[0], "ses_8f3a21 → /sessions/ses_8f3a21");
        assert_eq!(labels("0198-8f3a21", &[])[1], "0198-8f3a21 → /sessions/0198-8f3a21");
        assert_eq!(labels("«»", &[]), Vec::<String>::new());
    }

    #[test]
    fn runs_with_one_name_are_told_apart() {
        assert_eq!(describe(&run(Some("Refunds")), 3_600_000), "run · failed · 1 h ago · What is 12 * 12?");
        assert_eq!(describe(&run(None), 3_600_000), "run · failed · 1 h ago", "the prompt is the title");
    }
}
