//! The list of runs: filter, views, facets, chart, table and preview.

mod cell;
mod display;
mod preview;
mod selection;
mod sync;
mod table;

use leptos::prelude::*;

use crate::AppError;
use crate::api::runs::load_runs;
use crate::browser::{WatchedList, watch_runs};
use crate::components::batch_line::BatchLine;
use crate::components::chart::ChartView;
use crate::components::error_view::ErrorView;
use crate::components::facet_panel::FacetPanel;
use crate::components::filter_bar::FilterBar;
use crate::components::icon::{Icon, IconView};
use crate::components::no_match::NoMatch;
use crate::components::page_data::PageData;
use crate::components::page_title::PageTitle;
use crate::components::time_range::TimeRangePicker;
use crate::components::view_tabs::ViewTabs;
use crate::model::Column;
use crate::model::list::ListAddress;
use crate::model::runs::{NO_RUN, RunListModel, SortDirection, SortLink};
use crate::pages::lazy::lazy_page;
use crate::query_string::use_query_string;
use domain::{RunSummary, ViewList};

lazy_page!(RunsRoute = RunsPage, runs);

#[component]
fn RunsPage() -> impl IntoView {
    let params = use_query_string();
    // The default view also has a URL with its filter. Changing from one to the other, as the preview's links do, must
    // not reload the list.
    let default_view = StoredValue::new(None);
    let address = Memo::new(move |shown: Option<&ListAddress>| {
        let next = params.with(ListAddress::from_query);
        let is_default_view = default_view.with_value(|address| address.as_ref() == Some(&next));
        shown.filter(|shown| shown.opens_default && is_default_view).cloned().unwrap_or(next)
    });
    let previewed_id = Memo::new(move |_| params.with(|params| params.get("preview")).filter(|id| !id.is_empty()));
    let batch = Memo::new(move |_| params.with(|params| params.get("batch")));
    let reload_count = RwSignal::new(0_u32);
    let reload = Callback::new(move |()| reload_count.update(|count| *count += 1));
    // Reloads once per batch, because the list may have been loaded before the batch's last run existed.
    let reloaded_batch = StoredValue::new(None);
    let batch_done = Callback::new(move |()| {
        let id = batch.get_untracked();
        if reloaded_batch.get_value() != id {
            reloaded_batch.set_value(id);
            reload.run(());
        }
    });
    let list = PageData::load(move || (address.get(), reload_count.get()), |(address, _)| load_runs(address));
    view! {
        <PageTitle text="Runs" />
        {list.show(move |list| match list {
            Ok(list) => {
                default_view.set_value(Some(ListAddress::from_url(&list.here)));
                view! { <Loaded list previewed_id batch batch_done reload /> }.into_any()
            }
            Err(error) => view! { <header class="page-head"><h1>"Runs"</h1></header><ErrorView error /> }.into_any(),
        })}
    }
}

#[component]
fn Loaded(
    list: RunListModel,
    previewed_id: Memo<Option<String>>,
    batch: Memo<Option<String>>,
    batch_done: Callback<()>,
    reload: Callback<()>,
) -> impl IntoView {
    let is_invalid = !list.filter_bar.errors.is_empty();
    if is_invalid {
        AppError::Invalid { field: "q".to_owned(), message: String::new() }.set_response_status();
    }
    let ids: Vec<String> = list.runs.iter().map(|run| run.id.clone()).collect();
    let (first, last) = (ids.first().cloned(), ids.last().cloned());
    let previewed_id = Memo::new(move |_| match previewed_id.get() {
        // Links from the previous or next page don't know the run's id.
        Some(id) if id == "first" => first.clone(),
        Some(id) if id == "last" => last.clone(),
        other => other,
    });
    let is_newest_first =
        |sort: &SortLink| sort.column == Column::Created && sort.direction == Some(SortDirection::Descending);
    let newest_first = list.sorting.iter().any(is_newest_first);
    let rows: Vec<RwSignal<RunSummary>> = list.runs.into_iter().map(RwSignal::new).collect();
    let watched = WatchedList {
        q: StoredValue::new(list.filter_bar.text.clone()),
        first: StoredValue::new(
            (list.newest.is_none() && newest_first).then(|| ids.first().cloned().unwrap_or_else(|| NO_RUN.to_owned())),
        ),
        rows: StoredValue::new(rows.clone()),
        reload_when_synced: StoredValue::new((list.sync.logs_missing > 0).then_some(reload)),
        sync: RwSignal::new(list.sync),
        updates: RwSignal::default(),
    };
    if !is_invalid {
        watch_runs(watched);
    }
    let filtered = !list.filter_bar.text.is_empty();
    let filters = list.filter_bar.chips.len();
    let (text, opened) = (list.filter_bar.text.clone(), list.filter_bar.view.clone());
    let (here, kept, filter) = (list.here, list.filter_bar.kept.clone(), list.filter_bar.text.clone());
    let selection = selection::Selection::default();
    let body = if is_invalid {
        view! { <section class="empty"><IconView icon=Icon::Alert /><p>"Fix the filter to see runs."</p></section> }
            .into_any()
    } else if rows.is_empty() && (filtered || list.newest.is_some()) {
        let so_far = list.scanned.is_some() || list.missing.is_some();
        view! { <NoMatch list=ViewList::Runs filters excluding=list.excluding so_far /> }.into_any()
    } else if rows.is_empty() {
        view! { <Empty /> }.into_any()
    } else {
        let table = table::Table {
            columns: StoredValue::new(list.columns.clone()),
            here: StoredValue::new(here.clone()),
            add: StoredValue::new(list.add),
            now_ms: list.now_ms,
            selection,
            previewed_id,
        };
        view! { <table::RunTable rows table columns_chosen=list.columns_chosen height=list.rows sorting=list.sorting /> }
            .into_any()
    };
    let (first_label, previous_label, next_label) = match newest_first {
        true => ("Newest", "Newer runs", "Older runs"),
        false => ("First page", "Previous page", "Next page"),
    };
    let next_label = if list.scanned.is_some() { "Search further" } else { next_label };
    let end = list.scanned.or(list.missing);
    view! {
        <header class="page-head page-head-actions">
            <h1>"Runs"</h1>
            <sync::SyncLine matching=list.matching sync=watched.sync />
            <TimeRangePicker action="/runs" range=list.time_range kept />
            <a class="button" href="/import">"Import"</a>
            <a class="button primary" href="/launch?draft=new"><IconView icon=Icon::Play />"Launch"</a>
        </header>
        <ViewTabs list=ViewList::Runs views=list.views text opened changed=reload />
        <FilterBar list=ViewList::Runs bar=list.filter_bar placeholder="Filter: status:failed customer:acme duration:>30s, or any words" />
        {list.notices.into_iter().map(|note| view! { <p class="notice" role="status"><IconView icon=Icon::Alert />{note}</p> }).collect_view()}
        {move || batch.get().map(|id| view! { <BatchLine id done=batch_done /> })}
        <div class="list-body">
            <div class="list-main">
                {list.chart.filter(|_| !is_invalid).map(|chart| view! { <ChartView chart /> })}
                {(!is_invalid).then(|| view! {
                    <div class="list-tools">
                        <NewRuns watched reload />
                        <selection::SelectionBar selection />
                        <a class="to-facets" href="#facets">"Facets"</a>
                        <display::DisplayMenu columns=list.columns columns_chosen=list.columns_chosen rows=list.rows here=here.clone() />
                    </div>
                })}
                {body}
                {end.map(|label| view! { <p class="list-end hint" role="status">{label}</p> })}
                <nav class="pager" aria-label="Pages">
                    {list.newest.map(|href| view! { <a class="button" href=href>{first_label}</a> })}
                    {list.newer.clone().map(|href| view! { <a class="button" href=href>{previous_label}</a> })}
                    {list.older.clone().map(|href| view! { <a class="button" href=href>{next_label}</a> })}
                </nav>
            </div>
            <FacetPanel panel=list.facets><OpenRun /></FacetPanel>
        </div>
        <preview::PreviewPanel previewed_id ids here filter newer=list.newer older=list.older />
    }
}

/// Announces new runs instead of inserting them while the viewer reads. The space is reserved, so that nothing moves.
#[component]
fn NewRuns(watched: WatchedList, reload: Callback<()>) -> impl IntoView {
    let label = move || match watched.updates.get() {
        (0, _) => None,
        (1, false) => Some("1 new run".to_owned()),
        (runs, more) => Some(format!("{runs}{} new runs", if more { "+" } else { "" })),
    };
    view! {
        <span class="news" role="status">
            {move || label().map(|label| view! {
                <button type="button" class="button quiet" on:click=move |_| reload.run(())><IconView icon=Icon::Up />{label}</button>
            })}
        </span>
    }
}

/// Opens a run by its id, also one that is not in the list.
#[component]
fn OpenRun() -> impl IntoView {
    view! {
        <form class="open-run" method="get" action="/open-run">
            <label for="open-run">"Open a run by its id"</label>
            <span class="joined">
                <input id="open-run" name="id" placeholder="run_…" required=true maxlength="200" autocomplete="off" spellcheck="false" />
                <button class="button" type="submit">"Open"</button>
            </span>
        </form>
    }
}

#[component]
fn Empty() -> impl IntoView {
    view! {
        <section class="empty">
            <IconView icon=Icon::Runs />
            <h2>"No runs yet"</h2>
            <p>"Runs appear here as soon as a program starts one in this workspace."</p>
            <p class="empty-actions">
                <a class="button primary" href="/launch?draft=new"><IconView icon=Icon::Play />"Launch a run"</a>
                <a class="button" href="/import">"Import logs"</a>
            </p>
        </section>
    }
}
