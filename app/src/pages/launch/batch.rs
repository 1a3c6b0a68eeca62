//! The page of a batch: its progress and its runs.

use std::time::Duration;

use leptos::prelude::*;
use leptos_router::hooks::use_params_map;

use crate::api::launch::read_batch;
use crate::components::error_view::ErrorView;
use crate::components::icon::{Icon, IconView};
use crate::components::page_title::PageTitle;
use crate::components::when_loaded::WhenLoaded;
use crate::pages::lazy::lazy_page;
use crate::wire::Wire;
use domain::url::encode;
use domain::{Batch, BatchItem, BatchItemState, BatchProgress};

const REFRESH_EVERY: Duration = Duration::from_secs(1);

lazy_page!(BatchRoute = BatchPage, more);

#[component]
fn BatchPage() -> impl IntoView {
    let params = use_params_map();
    let id = Memo::new(move |_| params.with(|params| params.get("id")).unwrap_or_default());
    let batch = Resource::new_blocking(move || id.get(), read_batch);
    view! {
        <PageTitle text="Batch" />
        <header class="page-head"><h1>"Batch"</h1></header>
        <WhenLoaded
            data=batch
            show=move |loaded| match loaded {
                Ok(Wire(found)) => {
                    if !found.done {
                        refresh_later(batch);
                    }
                    view! { <Progress batch=found /> }.into_any()
                }
                Err(error) => view! { <ErrorView error /> }.into_any(),
            }
        />
    }
}

/// Reloads the batch after a while, in the browser.
fn refresh_later(batch: Resource<Result<Wire<Batch>, crate::AppError>>) {
    Effect::new(move |_| {
        set_timeout(move || batch.refetch(), REFRESH_EVERY);
    });
}

#[component]
fn Progress(batch: Batch) -> impl IntoView {
    let BatchProgress { words, problem, settled, all, .. } = batch.progress();
    let query = batch.query;
    let row = |(i, item): (usize, BatchItem)| {
        let run = item.run_id.map(|id| view! { <a href=format!("/runs/{id}")>{id.clone()}</a> });
        let state = match item.state {
            BatchItemState::Waiting => "waiting",
            BatchItemState::Launched => "launched",
            BatchItemState::Failed => "failed",
        };
        view! { <tr><td>{i + 1}</td><td>{state}</td><td>{run}{item.problem}</td></tr> }.into_any()
    };
    view! {
        <section class="batch">
            <p role="status">{words}</p>
            <progress max=all.to_string() value=settled.to_string() aria-label="Launched"></progress>
            {problem.map(|problem| view! { <p class="notice" role="status"><IconView icon=Icon::Clock />{problem}</p> })}
            <p class="form-buttons">
                <a class="button primary" href=format!("/runs?q={}", encode(&query))>"Its runs"</a>
                <a class="button" href="/launch">"Back to the form"</a>
            </p>
            <table class="batch-rows">
                <thead><tr><th>"Input"</th><th>"State"</th><th>"Run"</th></tr></thead>
                <tbody>{batch.items.into_iter().enumerate().map(row).collect_view()}</tbody>
            </table>
        </section>
    }
}
