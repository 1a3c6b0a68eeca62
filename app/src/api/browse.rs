//! Lists with what stands around them, what is completed in their bar, and what happened to them since.

use leptos::prelude::*;

use crate::AppError;
use crate::browse::{ListAddress, Peek, RunList, RunNews, Suggestion};
use crate::wire::Wire;
use domain::ViewList;

/// Rows on one page of the list.
pub const PAGE_SIZE: u32 = 25;
/// Stands for the first run of a list that has none.
pub const NO_RUN: &str = "-";
/// Bars of the histogram.
#[cfg(feature = "ssr")]
const BARS: u32 = 60;
/// Runs offered by the palette.
#[cfg(feature = "ssr")]
const PALETTE_RUNS: u32 = 5;
/// Characters of a prompt or an answer beside the list.
#[cfg(feature = "ssr")]
const PEEK_CHARS: usize = 4_000;

#[server(prefix = "/rpc", endpoint = "runs", input = leptos::server_fn::codec::GetUrl)]
pub async fn browse_runs(#[server(default)] address: ListAddress) -> Result<Wire<RunList>, AppError> {
    use crate::browse::{Bar, Chip, Column, Links, compose_chart, compose_facets, opened_view, read_bar};
    use domain::ExcludingClause;
    use domain::url::encode;

    let composed = async {
        let workspace = crate::backend::workspace()?;
        let views = workspace.views(ViewList::Runs).await?;
        let opened = opened_view(&address, &views);
        let links = Links::with_view(ViewList::Runs, opened);
        let default = opened.map_or("", |view| view.query.as_str());
        let chosen = crate::preferences::columns_from_request();
        let columns_chosen = chosen.is_some();
        let columns = chosen.unwrap_or_else(|| Column::DEFAULT.to_vec());
        let query = match read_bar(ViewList::Runs, &address, default) {
            Ok(query) => query,
            Err(bar) => {
                let sync = workspace.sync_progress().await?;
                let here = ViewList::Runs.path().to_owned();
                return Ok(RunList { bar: *bar, views, columns, sync, here, ..RunList::default() });
            }
        };
        // First of all: it brings in what is new, which the rest then counts.
        let page = workspace.runs(&query, address.cursor.as_deref(), PAGE_SIZE).await?;
        // Counting nothing may take as long as finding nothing did.
        let nothing = page.runs.is_empty() && address.cursor.is_none();
        let counts = async {
            if nothing {
                return Ok(Default::default());
            }
            futures::try_join!(workspace.facets(&query), workspace.histogram(&query, BARS))
        };
        let ((facets, histogram), sync) = futures::try_join!(counts, workspace.sync_progress())?;
        let url = links.under(&query);
        let at = |cursor: &str| format!("{url}&cursor={}", encode(cursor));
        let drop =
            |clause: ExcludingClause| Chip { text: clause.text, href: links.under(&query.without(clause.index)) };
        Ok(RunList {
            facets: compose_facets(&links, facets, &query),
            chart: compose_chart(&links, &histogram, &query),
            here: address.cursor.as_deref().map_or_else(|| url.clone(), at),
            newest: address.cursor.as_ref().map(|_| url.clone()),
            newer: address.cursor.as_ref().map(|_| page.previous_cursor.as_deref().map_or_else(|| url.clone(), at)),
            older: page.next_cursor.as_deref().map(at),
            notices: page.stale.into_iter().chain(page.query_hints).chain(note_on_logs(&query, &sync)).collect(),
            missing: missing(&sync).filter(|_| page.next_cursor.is_none()),
            looked: page.scanned.map(|runs| looked(runs, address.cursor.is_none())),
            drops: page.excluding.into_iter().map(drop).collect(),
            add: links.adding_to(&query),
            bar: Bar::of(&links, &query),
            runs: page.runs,
            now_ms: page.now_ms,
            views,
            columns,
            columns_chosen,
            sync,
        })
    };
    super::with_status(composed.await).map(Wire)
}

/// What a filter cannot find yet, because logs are not here.
#[cfg(feature = "ssr")]
fn note_on_logs(query: &protocol::Query, sync: &domain::SyncProgress) -> Option<String> {
    use protocol::query::Term;

    let asks = |about: fn(&Term) -> bool| query.clauses.iter().flat_map(|clause| clause.terms()).any(about);
    let lacking = match (asks(|term| matches!(term, Term::Text(_))), asks(Term::is_told_by_log)) {
        (true, true) => "only the beginnings of their texts are searched, and nothing that their logs tell is found",
        (true, false) => "only the beginnings of their texts are searched",
        (false, true) => "their tools, errors and whatever else only a log tells are not known",
        (false, false) => return None,
    };
    let logs = crate::format::grouped(sync.logs_missing);
    let runs = if sync.logs_missing == 1 { "run" } else { "runs" };
    (sync.logs_missing > 0).then(|| format!("The logs of {logs} {runs} are still to come: until then {lacking}."))
}

#[cfg(feature = "ssr")]
fn missing(sync: &domain::SyncProgress) -> Option<String> {
    match sync.incomplete()?.runs_missing {
        Some(0) => None,
        Some(1) => Some("One older run is not here yet.".to_owned()),
        Some(runs) => Some(format!("{} older runs are not here yet.", crate::format::grouped(runs))),
        None => Some("Older runs are not here yet.".to_owned()),
    }
}

#[cfg(feature = "ssr")]
fn looked(runs: u64, first: bool) -> String {
    let runs = crate::format::grouped(runs);
    if first { format!("Looked at the newest {runs} runs.") } else { format!("Looked at {runs} runs more.") }
}

/// What happened to the first page of a list whose first run was `first`, and how the runs in `rows` are now. Without
/// `first`, nothing is counted.
#[server(prefix = "/rpc", endpoint = "runs-news", input = leptos::server_fn::codec::GetUrl)]
pub async fn news_of_runs(
    q: String,
    first: Option<String>,
    #[server(default)] rows: Vec<String>,
) -> Result<Wire<RunNews>, AppError> {
    use protocol::Query;
    use protocol::query::{Clause, Field, Term};

    let read = async {
        let workspace = crate::backend::workspace()?;
        let query = Query::parse(&q)
            .map_err(|error| AppError::Invalid { field: "q".to_owned(), message: error.to_string() })?;
        let newest = workspace.newest_runs(&query, PAGE_SIZE).await?.runs;
        let (newer, more) = match first.as_deref() {
            None => (0, false),
            Some(NO_RUN) => (newest.len(), newest.len() == PAGE_SIZE as usize),
            Some(first) => match newest.iter().position(|run| run.id == first) {
                Some(newer) => (newer, false),
                None => (newest.len(), true),
            },
        };
        let mut ids = rows.into_iter().take(PAGE_SIZE as usize).map(|value| Term::Field { field: Field::Id, value });
        let rows = match ids.next() {
            Some(term) => {
                let clause = Clause { negated: false, term, or: ids.collect() };
                workspace.newest_runs(&Query { clauses: vec![clause] }, PAGE_SIZE).await?.runs
            }
            None => Vec::new(),
        };
        Ok(RunNews { newer, more, rows, sync: workspace.sync_progress().await? })
    };
    super::with_status(read.await).map(Wire)
}

#[server(prefix = "/rpc", endpoint = "peek", input = leptos::server_fn::codec::GetUrl)]
pub async fn peek_run(id: String) -> Result<Wire<Peek>, AppError> {
    let read = async {
        let page = crate::backend::workspace()?.run(&id, &Default::default()).await?;
        let head = |text: &str| match text.char_indices().nth(PEEK_CHARS) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text.to_owned(),
        };
        Ok(Peek {
            status: if page.state.status.is_terminal() { page.state.status } else { page.run.status },
            verdict: page.state.verdict,
            prompt: page.prompt.as_deref().map(head),
            answer: head(&page.state.answer),
            run: page.run,
            now_ms: page.now_ms,
        })
    };
    super::with_status(read.await).map(Wire)
}

/// What could be meant by what stands at the caret of the bar.
#[server(prefix = "/rpc", endpoint = "suggest", input = leptos::server_fn::codec::GetUrl)]
pub async fn suggest(
    #[server(default)] list: ViewList,
    text: String,
    caret: u32,
) -> Result<Wire<Vec<Suggestion>>, AppError> {
    use crate::browse::{Typed, typed};

    let read = async {
        let workspace = crate::backend::workspace()?;
        let typed = typed(&text, caret);
        let known = async |key: &str, prefix: &str| match list {
            ViewList::Runs => workspace.values(key, prefix).await,
            ViewList::Sessions => workspace.session_values(key, prefix).await,
        };
        Ok(match (&typed, typed.counted_key()) {
            (Typed::Key { prefix, .. }, _) => {
                let known = known("has", &format!("metadata.{prefix}")).await?;
                typed.suggest_keys(list, &text, &known)
            }
            (Typed::Value { prefix, .. }, Some(key)) => {
                let begins = |prefix: &str| if key == "has" { format!("metadata.{prefix}") } else { prefix.to_owned() };
                let mut found = Vec::new();
                for spelling in spellings(prefix) {
                    found.append(&mut known(&key, &begins(&spelling)).await?);
                }
                // A state that runs have by their status.
                if key == "is" && list == ViewList::Runs && "failed".starts_with(&prefix.to_ascii_lowercase()) {
                    found.append(&mut known("status", "failed").await?);
                }
                typed.suggest_values(list, &text, &found)
            }
            (Typed::Value { .. }, None) => typed.suggest_values(list, &text, &[]),
        })
    };
    super::with_status(read.await).map(Wire)
}

/// What was typed in the cases of letters that values are written in: nobody knows beforehand which it is.
#[cfg(feature = "ssr")]
fn spellings(prefix: &str) -> Vec<String> {
    let lower = prefix.to_ascii_lowercase();
    let mut capital = lower.clone();
    if let Some(first) = capital.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    let mut all = vec![prefix.to_owned()];
    for spelling in [lower, capital, prefix.to_ascii_uppercase()] {
        if !all.contains(&spelling) {
            all.push(spelling);
        }
    }
    all
}

/// Where what was typed in the palette could lead.
#[server(prefix = "/rpc", endpoint = "places", input = leptos::server_fn::codec::GetUrl)]
pub async fn find_places(#[server(default)] text: String) -> Result<Wire<Vec<Suggestion>>, AppError> {
    use crate::browse::{places, text_query};

    let read = async {
        let workspace = crate::backend::workspace()?;
        let (mut views, of_sessions) =
            futures::try_join!(workspace.views(ViewList::Runs), workspace.views(ViewList::Sessions))?;
        views.extend(of_sessions);
        let runs = match text_query(text.trim()) {
            Some(query) => workspace.newest_runs(&query, PALETTE_RUNS).await?.runs,
            None => Vec::new(),
        };
        let runs: Vec<_> = runs.into_iter().map(|run| (run.id.clone(), run.title())).collect();
        Ok(places(&text, &views, &runs))
    };
    super::with_status(read.await).map(Wire)
}

#[cfg(all(test, feature = "ssr"))]
mod tests {
    use protocol::Query;

    use super::*;
    use domain::SyncProgress;

    #[test]
    fn whatever_rests_on_logs_says_that_some_are_missing() {
        let sync = SyncProgress { logs_missing: 6_201, ..SyncProgress::default() };
        let note = |text: &str| note_on_logs(&Query::parse(text).expect("a query"), &sync);
        for text in
            ["words", "tool:recall", "-error:rate_limit", "is:failed,truncated", "is:looping", "has:orphan-call"]
        {
            assert!(note(text).is_some_and(|note| note.starts_with("The logs of 6,201 runs")), "{text}");
        }
        for text in ["", "env:prod", "status:failed", "is:failed,running", "has:env", "turns:>3"] {
            assert_eq!(note(text), None, "{text}");
        }
        assert_eq!(note_on_logs(&Query::parse("words").expect("a query"), &SyncProgress::default()), None);
    }

    #[test]
    fn values_are_completed_whatever_the_case_of_letters() {
        assert_eq!(spellings("pRo"), ["pRo", "pro", "Pro", "PRO"]);
        assert_eq!(spellings("7"), ["7"]);
        assert_eq!(spellings(""), [""]);
        assert_eq!(spellings("\u{fc}b"), ["\u{fc}b", "\u{fc}B"]);
    }

    #[test]
    fn runs_that_are_still_to_come_are_counted_where_that_is_known() {
        let sync = SyncProgress { runs: 6_201, total: Some(8_351), can_list: true, ..SyncProgress::default() };
        assert_eq!(missing(&sync).as_deref(), Some("2,150 older runs are not here yet."));
        assert_eq!(
            missing(&SyncProgress { total: None, ..sync.clone() }).as_deref(),
            Some("Older runs are not here yet.")
        );
        assert_eq!(missing(&SyncProgress { history: domain::HistoryState::Complete, ..sync }), None);
    }
}
