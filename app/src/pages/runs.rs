//! The list of runs.

use leptos::prelude::*;
use leptos_router::hooks::use_query_map;
use protocol::Query;

use crate::AppError;
use crate::api::runs::list_runs;
use crate::components::error_view::ErrorView;
use crate::components::filter_bar::{Filter, FilterBar, encode, runs_url};
use crate::components::icon::{Icon, IconView};
use crate::components::page_title::PageTitle;
use crate::components::run_table::RunTable;
use crate::model::RunsPage as Page;
use crate::pages::lazy::lazy_page;
use crate::wire::Wire;

lazy_page!(RunsRoute = RunsPage, runs);

#[component]
fn RunsPage() -> impl IntoView {
    let params = use_query_map();
    let filter = Memo::new(move |_| params.with(Filter::from_params));
    let cursor = Memo::new(move |_| params.with(|params| params.get("cursor")));
    let page = Resource::new_blocking(
        move || (filter.get(), cursor.get()),
        |(filter, cursor)| async move {
            match filter.query {
                Ok(query) => list_runs(query.to_string(), cursor).await.map(Some),
                // The bar says what is wrong; nothing is asked for.
                Err(_) => Ok(None),
            }
        },
    );
    view! {
        <PageTitle text="Runs" />
        <header class="page-head page-head-actions">
            <h1>"Runs"</h1>
            <a class="button" href="/import">"Import a log"</a>
            <a class="button primary" href="/launch"><IconView icon=Icon::Play />"Launch"</a>
        </header>
        {move || view! { <FilterBar filter=filter.get() /> }}
        <Transition fallback=|| view! { <p class="skeleton" aria-hidden="true"></p> }>
            {move || Suspend::new(async move {
                match page.await {
                    Ok(Some(Wire(page))) => {
                        let query = filter.get_untracked().query.unwrap_or_default();
                        view! { <List page query first_page=cursor.get_untracked().is_none() /> }.into_any()
                    }
                    Ok(None) => {
                        AppError::Invalid { field: "q".to_owned(), message: String::new() }.set_response_status();
                        view! { <p class="hint">"Mend the filter to see runs."</p> }.into_any()
                    }
                    Err(error) => view! { <ErrorView error /> }.into_any(),
                }
            })}
        </Transition>
    }
}

#[component]
fn List(page: Page, query: Query, first_page: bool) -> impl IntoView {
    let next = page.next_cursor.map(|cursor| {
        let base = runs_url(&query);
        let mark = if query.is_empty() { '?' } else { '&' };
        format!("{base}{mark}cursor={}", encode(&cursor))
    });
    let first = (!first_page).then(|| runs_url(&query));
    let table = if page.runs.is_empty() {
        view! { <Empty query excluding=page.excluding /> }.into_any()
    } else {
        view! { <RunTable runs=page.runs query now_ms=page.now_ms /> }.into_any()
    };
    view! {
        {page.stale.map(|stale| view! { <p class="notice" role="status"><IconView icon=Icon::Alert />{stale}</p> })}
        {table}
        <nav class="pager" aria-label="Pages">
            {first.map(|href| view! { <a class="button" href=href>"Newest"</a> })}
            {next.map(|href| view! { <a class="button" href=href>"Older runs"</a> })}
        </nav>
    }
}

/// `excluding`: the parts of the filter without which something would be found.
#[component]
fn Empty(query: Query, excluding: Vec<usize>) -> impl IntoView {
    if query.is_empty() {
        view! {
            <section class="empty">
                <IconView icon=Icon::Runs />
                <h2>"No runs yet"</h2>
                <p>"Runs appear here as soon as a program starts one in this workspace."</p>
            </section>
        }
        .into_any()
    } else {
        let drops: Vec<_> = excluding
            .into_iter()
            .filter_map(|at| {
                let clause = query.clauses.get(at)?.to_string();
                let href = runs_url(&query.without(at));
                Some(view! { <a class="button" href=href>"Search without " <code>{clause}</code></a> })
            })
            .collect();
        let advice = match drops.len() {
            0 => "Several parts of the filter together exclude every run. Remove some above, or start over.",
            1 => "Without this part of the filter there would be runs:",
            _ => "Without any one of these parts of the filter there would be runs:",
        };
        view! {
            <section class="empty">
                <IconView icon=Icon::Runs />
                <h2>"No run matches"</h2>
                <p>{advice}</p>
                <p class="empty-actions">{drops}<a class="button" href="/runs">"Clear all"</a></p>
            </section>
        }
        .into_any()
    }
}
