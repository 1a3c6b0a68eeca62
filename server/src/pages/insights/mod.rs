//! Insights: figures of the runs that match a filter. Everything but filter and main chart is HTML.

mod bars;
mod breakdown;
mod change;
mod measures;
mod rates;
mod slots;
mod tables;
mod tools;

use app::AppError;
use app::format::grouped;
use app::model::insights::{InsightsAddress, InsightsModel};
use app::model::list::FilterErrors;
use app::zone::TimeZone;
use domain::{Bucket, FiguresOverTime, Histogram, Insights, ViewList};
use leptos::prelude::*;
use protocol::Query;
use protocol::query::Term;

use self::measures::Shown;
use self::slots::Slots;
use super::list::{Links, build_chart, build_filter_bar, build_time_range, parse_filter, term, without_time_range};
use crate::error::Error;
use crate::html::render;
use crate::insights::{self, DEFAULT_KEY};
use crate::workspace::SignedInWorkspace;

/// The filter of a URL without one.
const DEFAULT_FILTER: &str = "since:7d";

/// What the parts of the page need: the figures, the filter, and links to the page and to the list of runs.
struct Page<'a> {
    insights: &'a Insights,
    query: &'a Query,
    slots: Slots,
    /// To this page.
    here: Links,
    runs: Links,
    zone: TimeZone,
    shown: Shown,
}

pub async fn load(
    workspace: &SignedInWorkspace,
    address: &InsightsAddress,
    zone: TimeZone,
) -> Result<InsightsModel, Error> {
    let (state, caller) = (&workspace.state, &workspace.caller);
    let runs = Links::to_list(ViewList::Runs);
    let key = address.by.as_deref().unwrap_or(DEFAULT_KEY);
    let shown = Shown::parse(address.show.as_deref());
    let here = runs.to_page("/insights").with("by", address.by.as_deref()).with("show", shown.parameter());
    let has_range = address.list.since.is_some() || address.list.before.is_some();
    let default = if has_range { "" } else { DEFAULT_FILTER };
    let query = match parse_filter(&here, &address.list, default) {
        Ok(query) => query,
        Err(filter_bar) => {
            let time_range = build_time_range(&here, &Query::valid_parts(&filter_bar.text));
            return Ok(InsightsModel { filter_bar: *filter_bar, time_range, ..InsightsModel::default() });
        }
    };
    let stale = state.mirror.sync_newest(state, caller).await?.stale();
    let mut filter_bar = build_filter_bar(&here, &query);
    let time_range = build_time_range(&here, &query);
    let insights = match insights::load(state, caller, &query, key).await {
        Err(Error::App(AppError::Invalid { message, .. })) => {
            filter_bar.errors = FilterErrors { messages: vec![message], ..FilterErrors::default() };
            return Ok(InsightsModel { filter_bar, time_range, ..InsightsModel::default() });
        }
        insights => insights?,
    };
    let model =
        InsightsModel { filter_bar, time_range, runs: counted(insights.figures.runs), ..InsightsModel::default() };
    let notices = stale.into_iter().chain(notices(&insights)).chain(workspace.cannot_save_notice()).collect();
    if insights.figures.runs == 0 {
        return Ok(InsightsModel { notices, ..model });
    }
    let page = Page {
        slots: Slots::new(&insights.over_time, &runs, &without_time_range(&query), zone),
        insights: &insights,
        query: &query,
        here,
        runs,
        zone,
        shown,
    };
    Ok(InsightsModel {
        notices,
        chart: build_chart(&page.runs, &histogram(&insights.over_time), &query, zone),
        rates: html(rates::tiles(&page)),
        body: html(body(&page)),
        ..model
    })
}

/// Renders a view without the marks of hydration, which are a fifth of a page of small parts.
fn html(view: AnyView) -> String {
    render(view).replace("<!>", "")
}

fn body(page: &Page<'_>) -> AnyView {
    view! {
        {tables::outcomes(page)}
        {measures::section(page)}
        {breakdown::section(page)}
        {tools::section(page)}{tools::errors(page)}
    }
    .into_any()
}

impl Page<'_> {
    /// The URL of the list with one more filter.
    fn list_with(&self, term: Term) -> String {
        self.runs.url(&self.query.with(term))
    }

    /// The URL of the list with a value of a key, and one more filter.
    fn list_of(&self, key: &str, value: &str, more: Option<Term>) -> String {
        let query = term(ViewList::Runs, key, value).map_or_else(|| self.query.clone(), |term| self.query.with(term));
        self.runs.url(&more.map_or_else(|| query.clone(), |more| query.with(more)))
    }
}

fn counted(runs: u64) -> String {
    match runs {
        1 => "1 run".to_owned(),
        runs => format!("{} runs", grouped(runs)),
    }
}

fn notices(insights: &Insights) -> Vec<String> {
    let mut notices = Vec::new();
    match (insights.counted_newest, insights.details_counted_newest) {
        (Some(runs), _) => notices.push(format!(
            "More runs match than can be counted at once: all figures are those of the newest {}.",
            grouped(runs)
        )),
        (None, Some(runs)) => notices.push(format!(
            "The figures by value, tool and error are those of the newest {} matching runs. All others are of all {}.",
            grouped(runs),
            grouped(insights.figures.runs)
        )),
        (None, None) => {}
    }
    if insights.runs_missing > 0 {
        let runs = grouped(insights.runs_missing);
        notices.push(format!(
            "{runs} runs of an earlier version are still being counted. Figures without them are shown."
        ));
    }
    notices
}

/// Runs over time, by status.
fn histogram(over_time: &FiguresOverTime) -> Histogram {
    let bucket = |bucket: &domain::FiguresBucket| {
        let outcomes = bucket.figures.outcomes;
        let runs = [
            ("succeeded", outcomes.succeeded),
            ("failed", outcomes.failed),
            ("cancelled", outcomes.cancelled),
            ("running", outcomes.running),
            ("pending", outcomes.pending),
        ];
        let runs = runs.into_iter().filter(|(_, runs)| *runs > 0).map(|(status, runs)| (status.to_owned(), runs));
        Bucket { start_ms: bucket.start_ms, runs: runs.collect() }
    };
    Histogram {
        bucket_ms: over_time.bucket_ms,
        buckets: over_time.buckets.iter().map(bucket).collect(),
        start_ms: over_time.start_ms,
        end_ms: over_time.end_ms,
        max_runs: over_time.buckets.iter().map(|bucket| bucket.figures.runs).max().unwrap_or(0),
        from_ms: over_time.from_ms,
        before_ms: over_time.before_ms,
        counted_newest: over_time.counted_newest,
    }
}
