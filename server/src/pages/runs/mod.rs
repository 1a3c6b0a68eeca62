//! The list of runs.

mod matches;
pub mod preview;
mod sorting;
pub mod updates;

use app::format::grouped;
use app::model::Column;
use app::model::chart::Chart;
use app::model::list::{FacetPanelModel, ListAddress};
use app::model::runs::RunListModel;
use app::preferences::ListPreferences;
use domain::url::encode;
use domain::{Facets, Histogram, MatchCount, RunSort, SyncProgress, ViewList};
use protocol::Query;
use protocol::query::Term;

use super::list::{
    ChartMeasure, Links, PAGE_SIZE, build_chart, build_facets, build_filter_bar, build_measure_chart, build_time_range,
    excluding_chips, only_time_range, opened_view, parse_filter,
};
use crate::clock::now_ms;
use crate::error::Error;
use crate::masking::{mask_runs, masked_views};
use crate::runs::{History, list_runs, parse_cursor};
use crate::state::AppState;
use crate::store::WorkspaceId;
use crate::views;
use crate::workspace::SignedInWorkspace;
use sorting::build_sorting;

/// Bars of the chart.
const BARS: i64 = 60;
/// The note of the facets when no run matches.
const ALL_COUNTED: &str = "Counts for all runs.";

pub async fn load(
    workspace: &SignedInWorkspace,
    address: &ListAddress,
    preferences: ListPreferences,
) -> Result<RunListModel, Error> {
    let (state, caller) = (&workspace.state, &workspace.caller);
    let views = views::list(state, caller, ViewList::Runs).await?;
    let opened = opened_view(address, &views);
    let sort: RunSort = address.sort.as_deref().and_then(|text| text.parse().ok()).unwrap_or_default();
    let measure = ChartMeasure::parse(address.chart.as_deref());
    let links = Links::with_view(ViewList::Runs, opened).sorted(sort).with("chart", measure.parameter());
    let (rows, zone) = (preferences.rows, preferences.zone);
    let columns_chosen = preferences.columns.is_some();
    let columns = preferences.columns.unwrap_or_else(|| Column::DEFAULT.to_vec());
    let query = match parse_filter(&links, address, opened.map_or("", |view| view.query.as_str())) {
        Ok(query) => query,
        Err(filter_bar) => {
            let sync = state.mirror.progress(state, caller.workspace_id).await?;
            let valid = Query::valid_parts(&filter_bar.text);
            let (facets, histogram) = counts_without_matches(state, caller.workspace_id, &valid).await?;
            return Ok(RunListModel {
                facets: FacetPanelModel { note: Some(ALL_COUNTED.to_owned()), ..build_facets(&links, facets, &valid) },
                chart: build_chart(&links, &histogram, &valid, zone),
                time_range: build_time_range(&links, &valid),
                here: ViewList::Runs.path().to_owned(),
                filter_bar: *filter_bar,
                views: masked_views(views),
                columns,
                sync,
                notices: workspace.cannot_save_notice().into_iter().collect(),
                ..RunListModel::default()
            });
        }
    };
    let cursor = address.cursor.as_deref();
    // Runs first: loading them syncs new ones, which the counts must include.
    let (plan, mut page) = list_runs(state, caller, &query, sort, cursor, PAGE_SIZE, History::Sync).await?;
    mask_runs(&mut page.runs);
    // Without runs there is nothing to count, and counting could take as long as the search did.
    let is_empty = page.runs.is_empty() && cursor.is_none();
    let counts = async {
        if is_empty {
            let count = MatchCount { runs: 0, is_exact: page.scanned.is_none() };
            let counted = counts_without_matches(state, caller.workspace_id, &query).await;
            return counted.map(|(facets, histogram)| (facets, histogram, count));
        }
        let store = &state.store;
        futures::try_join!(store.facets(&plan), store.histogram(&plan, BARS), store.count_matches(&plan))
            .map_err(Error::from)
    };
    let measured = async {
        match measure {
            ChartMeasure::Runs => Ok(None),
            _ => state.store.figures_over_time(&plan, BARS).await.map(Some).map_err(Error::from),
        }
    };
    let ((facets, histogram, count), sync, measured) =
        futures::try_join!(counts, state.mirror.progress(state, caller.workspace_id), measured)?;
    let chart = match measured {
        Some(over_time) => build_measure_chart(&links, &over_time, &query, measure, zone),
        None => build_chart(&links, &histogram, &query, zone),
    };
    let choices = measure.choices(&links, &query);
    let url = links.url(&query);
    let at = |cursor: &str| format!("{url}&cursor={}", encode(cursor));
    let newer = match cursor {
        Some(cursor) => {
            let previous = state.store.cursor_before(&plan, sort, parse_cursor(cursor, sort)?, PAGE_SIZE).await?;
            Some(previous.map_or_else(|| url.clone(), |cursor| at(&cursor.to_string())))
        }
        None => None,
    };
    let mut facets = build_facets(&links, facets, &query);
    if is_empty && !facets.groups.is_empty() {
        facets.note = Some(ALL_COUNTED.to_owned());
    }
    Ok(RunListModel {
        facets,
        chart: chart.map(|chart| Chart { choices, ..chart }),
        time_range: build_time_range(&links, &query),
        matching: matching(count).filter(|_| !query.is_empty()),
        sorting: build_sorting(&links, &query, sort),
        here: cursor.map_or_else(|| url.clone(), at),
        newest: cursor.map(|_| url.clone()),
        newer,
        older: page.next_cursor.as_deref().map(at),
        notices: page
            .stale
            .into_iter()
            .chain(page.query_hints)
            .chain(missing_logs(&query, &sync))
            .chain(workspace.cannot_save_notice())
            .collect(),
        missing: missing_runs(&sync).filter(|_| page.next_cursor.is_none()),
        scanned: page.scanned.map(|runs| scanned(runs, cursor.is_none())),
        excluding: excluding_chips(&links, &query, page.excluding),
        add: links.appendable_url(&query),
        filter_bar: build_filter_bar(&links, &query),
        runs: page.runs,
        now_ms: page.now_ms,
        views: masked_views(views),
        columns,
        columns_chosen,
        rows,
        sync,
    })
}

/// The facets of all runs, and the time range without runs: beside an empty list, the page keeps its layout.
async fn counts_without_matches(
    state: &AppState,
    workspace: WorkspaceId,
    query: &Query,
) -> Result<(Facets, Histogram), Error> {
    let (store, now_ms) = (&state.store, now_ms());
    let all = store.plan(workspace, &Query::default(), now_ms).await?;
    let in_range = store.plan(workspace, &only_time_range(query), now_ms).await?;
    let (facets, histogram) = futures::try_join!(store.facets(&all), store.histogram(&in_range, BARS))?;
    Ok((facets, Histogram { buckets: Vec::new(), max_runs: 0, counted_newest: None, ..histogram }))
}

fn matching(count: MatchCount) -> Option<String> {
    match (count.runs, count.is_exact) {
        (0, false) => None,
        (runs, true) => Some(format!("{} matching", grouped(runs))),
        (runs, false) => Some(format!("at least {} matching", grouped(runs))),
    }
}

/// Says what the filter can't find yet because logs are missing.
fn missing_logs(query: &Query, sync: &SyncProgress) -> Option<String> {
    let filters_by = |about: fn(&Term) -> bool| query.clauses.iter().flat_map(|clause| clause.terms()).any(about);
    let limitation = match (filters_by(Term::is_text), filters_by(Term::needs_log)) {
        (true, true) => "only the beginnings of their texts are searched, and nothing in their logs is found",
        (true, false) => "only the beginnings of their texts are searched",
        (false, true) => "their tools, errors and signals are unknown",
        (false, false) => return None,
    };
    let logs = grouped(sync.logs_missing);
    let runs = if sync.logs_missing == 1 { "run" } else { "runs" };
    (sync.logs_missing > 0).then(|| format!("The logs of {logs} {runs} are not synced yet. Until then {limitation}."))
}

fn missing_runs(sync: &SyncProgress) -> Option<String> {
    match sync.incomplete()?.runs_missing {
        Some(0) => None,
        Some(1) => Some("1 older run is not synced yet.".to_owned()),
        Some(runs) => Some(format!("{} older runs are not synced yet.", grouped(runs))),
        None => Some("Older runs are not synced yet.".to_owned()),
    }
}

fn scanned(runs: u64, first_page: bool) -> String {
    let runs = grouped(runs);
    if first_page { format!("Searched the newest {runs} runs.") } else { format!("Searched {runs} more runs.") }
}

#[cfg(test)]
mod tests {
    use domain::HistoryState;

    use super::*;

    #[test]
    fn filters_that_need_logs_say_that_some_are_missing() {
        let sync = SyncProgress { logs_missing: 6_201, ..SyncProgress::default() };
        let notice = |text: &str| missing_logs(&Query::parse(text).expect("a query"), &sync);
        for text in
            ["words", "tool:recall", "-error:rate_limit", "is:failed,truncated", "is:looping", "has:orphan-call"]
        {
            assert!(notice(text).is_some_and(|notice| notice.starts_with("The logs of 6,201 runs")), "{text}");
        }
        for text in ["", "env:prod", "status:failed", "is:failed,running", "has:env", "turns:>3"] {
            assert_eq!(notice(text), None, "{text}");
        }
        assert_eq!(missing_logs(&Query::parse("words").expect("a query"), &SyncProgress::default()), None);
    }

    #[test]
    fn a_count_that_stopped_early_says_so() {
        let words = |runs, is_exact| matching(MatchCount { runs, is_exact });
        assert_eq!(words(12_431, true).as_deref(), Some("12,431 matching"));
        assert_eq!(words(10_000, false).as_deref(), Some("at least 10,000 matching"));
        assert_eq!((words(0, true).as_deref(), words(0, false)), (Some("0 matching"), None));
    }

    #[test]
    fn missing_runs_are_counted_if_the_total_is_known() {
        let sync = SyncProgress { runs: 6_201, total: Some(8_351), can_list: true, ..SyncProgress::default() };
        assert_eq!(missing_runs(&sync).as_deref(), Some("2,150 older runs are not synced yet."));
        assert_eq!(
            missing_runs(&SyncProgress { total: None, ..sync.clone() }).as_deref(),
            Some("Older runs are not synced yet.")
        );
        assert_eq!(missing_runs(&SyncProgress { history: HistoryState::Complete, ..sync }), None);
    }
}
