//! The list of runs: filter, views, facets, chart, table and preview.

mod chart;
mod columns;
mod preview;
mod sync;
mod table;

use leptos::prelude::*;

use crate::AppError;
use crate::api::runs::load_runs;
use crate::browser::{WatchedList, watch_runs};
use crate::components::batch_line::BatchLine;
use crate::components::error_view::ErrorView;
use crate::components::facet_panel::FacetPanel;
use crate::components::filter_bar::FilterBar;
use crate::components::icon::{Icon, IconView};
use crate::components::no_match::NoMatch;
use crate::components::page_title::PageTitle;
use crate::components::view_tabs::ViewTabs;
use crate::model::list::ListAddress;
use crate::model::runs::{NO_RUN, RunListModel};
use crate::pages::lazy::lazy_page;
use crate::query_string::use_query_string;
use crate::wire::Wire;
use domain::{RunSummary, ViewList};

lazy_page!(RunsRoute = RunsPage, runs);

#[component]
fn RunsPage() -> impl IntoView {
    let params = use_query_string();
    let address = Memo::new(move |_| params.with(ListAddress::from_query));
    let previewed_id = Memo::new(move |_| params.with(|params| params.get("peek")).filter(|id| !id.is_empty()));
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
    let list = Resource::new_blocking(move || (address.get(), reload_count.get()), |(address, _)| load_runs(address));
    view! {
        <PageTitle text="Runs" />
        <Transition fallback=|| view! { <p class="skeleton" aria-hidden="true"></p> }>
            {move || Suspend::new(async move {
                match list.await {
                    Ok(Wire(list)) => view! { <Loaded list previewed_id batch batch_done reload /> }.into_any(),
                    Err(error) => view! { <header class="page-head"><h1>"Runs"</h1></header><ErrorView error /> }.into_any(),
                }
            })}
        </Transition>
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
    let is_invalid = list.filter_bar.error.is_some();
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
    let rows: Vec<RwSignal<RunSummary>> = list.runs.into_iter().map(RwSignal::new).collect();
    let watched = WatchedList {
        q: StoredValue::new(list.filter_bar.text.clone()),
        first: StoredValue::new(
            list.newest.is_none().then(|| ids.first().cloned().unwrap_or_else(|| NO_RUN.to_owned())),
        ),
        rows: StoredValue::new(rows.clone()),
        sync: RwSignal::new(list.sync),
        updates: RwSignal::default(),
    };
    if !is_invalid {
        watch_runs(watched);
    }
    let filtered = !list.filter_bar.text.is_empty();
    let (text, opened) = (list.filter_bar.text.clone(), list.filter_bar.view.clone());
    let here = list.here;
    let body = if is_invalid {
        view! { <p class="hint">"Mend the filter to see runs."</p> }.into_any()
    } else if rows.is_empty() && (filtered || list.newest.is_some()) {
        let so_far = list.scanned.is_some() || list.missing.is_some();
        view! { <NoMatch list=ViewList::Runs excluding=list.excluding so_far /> }.into_any()
    } else if rows.is_empty() {
        view! { <Empty /> }.into_any()
    } else {
        view! { <table::RunTable rows columns=list.columns.clone() columns_chosen=list.columns_chosen here=here.clone() add=list.add now_ms=list.now_ms previewed_id /> }.into_any()
    };
    let older_label = if list.scanned.is_some() { "Look further" } else { "Older runs" };
    let end = list.scanned.or(list.missing);
    view! {
        <header class="page-head page-head-actions">
            <h1>"Runs"</h1>
            <sync::SyncLine sync=watched.sync reload />
            <a class="button" href="/import">"Import a log"</a>
            <a class="button primary" href="/launch"><IconView icon=Icon::Play />"Launch"</a>
        </header>
        <ViewTabs list=ViewList::Runs views=list.views text opened changed=reload />
        <FilterBar list=ViewList::Runs bar=list.filter_bar placeholder="status:failed customer:acme -env:dev duration:>30s" />
        {list.notices.into_iter().map(|note| view! { <p class="notice" role="status"><IconView icon=Icon::Alert />{note}</p> }).collect_view()}
        {move || batch.get().map(|id| view! { <BatchLine id done=batch_done /> })}
        <div class="list-body">
            <FacetPanel panel=list.facets><OpenRun /></FacetPanel>
            <div class="list-main">
                {list.chart.map(|chart| view! { <chart::ChartView chart /> })}
                <div class="list-tools">
                    <NewRuns watched reload />
                    <a class="to-facets" href="#facets">"Facets"</a>
                    <columns::ColumnChoice columns=list.columns columns_chosen=list.columns_chosen here=here.clone() />
                </div>
                {body}
                {end.map(|label| view! { <p class="list-end hint" role="status">{label}</p> })}
                <nav class="pager" aria-label="Pages">
                    {list.newest.map(|href| view! { <a class="button" href=href>"Newest"</a> })}
                    {list.newer.clone().map(|href| view! { <a class="button" href=href>"Newer runs"</a> })}
                    {list.older.clone().map(|href| view! { <a class="button" href=href>{older_label}</a> })}
                </nav>
            </div>
        </div>
        <preview::PreviewPanel previewed_id ids here newer=list.newer older=list.older />
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
        </section>
    }
}
