//! The page of a batch: its progress, and a table that compares its runs.

use leptos::prelude::*;
use leptos_router::hooks::use_params_map;

use crate::api::batch::load_batch;
use crate::browser::{POLL_EVERY, poll_while_visible};
use crate::components::error_view::ErrorView;
use crate::components::icon::{Icon, IconView};
use crate::components::page_data::PageData;
use crate::components::page_title::PageTitle;
use crate::model::batch::BatchModel;
use crate::pages::lazy::lazy_page;
use crate::query_string::use_query_string;

lazy_page!(BatchRoute = BatchPage, more);

#[component]
fn BatchPage() -> impl IntoView {
    let params = use_params_map();
    let query = use_query_string();
    let address = Memo::new(move |_| {
        (params.with(|params| params.get("id")).unwrap_or_default(), query.with(|query| query.get("sort")))
    });
    let batch = PageData::load(move || address.get(), |(id, sort)| load_batch(id, sort));
    view! {
        <PageTitle text="Batch" />
        {batch.show(move |loaded| match loaded {
            Ok(found) => {
                if found.in_progress {
                    poll_while_visible(POLL_EVERY, Callback::new(move |()| batch.reload()));
                }
                view! { <Loaded batch=found /> }.into_any()
            }
            Err(error) => view! { <h1 class="visually-hidden">"Batch"</h1><ErrorView error /> }.into_any(),
        })}
    }
}

#[component]
fn Loaded(batch: BatchModel) -> impl IntoView {
    let figures = batch.figures.into_iter().map(|(name, value)| view! { <div><dt>{name}</dt><dd>{value}</dd></div> });
    view! {
        <header class="page-head">
            <div class="crumb-title">
                <p class="crumbs"><a href="/launch?draft=new">"Launch"</a></p>
                <h1>"Batch"</h1>
            </div>
            <a class="button" href=batch.runs_href>"Show in the list of runs"</a>
        </header>
        <section class="batch">
            <p role="status">{batch.progress}" "{batch.in_progress.then(|| view! { <a class="no-js-only" href="">"Refresh"</a> })}</p>
            <progress max=batch.all.to_string() value=batch.settled.to_string() aria-label="Launched"></progress>
            {batch.problem.map(|problem| view! { <p class="notice" role="status"><IconView icon=Icon::Clock />{problem}</p> })}
            <dl class="facts">{figures.collect_view()}</dl>
            // HTML from the server, which escapes all text in it.
            <div class="table-scroll" role="region" aria-label="Runs of this batch" tabindex="0" inner_html=batch.table></div>
        </section>
    }
}
