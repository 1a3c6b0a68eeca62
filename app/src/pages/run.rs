//! One run: what happened, and what to do.

use leptos::prelude::*;
use leptos_router::hooks::use_params_map;
use protocol::messages::Tokens;
use protocol::{RunStatus, Timeline};

use crate::api::runs::open_run;
use crate::components::banners::Banners;
use crate::components::copy::CopyButton;
use crate::components::error_view::ErrorView;
use crate::components::icon::{Icon, IconView};
use crate::components::metadata::MetadataChips;
use crate::components::page_title::PageTitle;
use crate::components::status::StatusBadge;
use crate::components::time::RelativeTime;
use crate::components::timeline::TimelineView;
use crate::format;
use crate::live::{Connection, follow_run};
use crate::model::{RunPage as Page, RunSummary};

#[component]
pub fn RunPage() -> impl IntoView {
    let params = use_params_map();
    let id = Memo::new(move |_| params.with(|params| params.get("id")).unwrap_or_default());
    let page = Resource::new_blocking(move || id.get(), open_run);
    view! {
        <Transition fallback=|| view! { <p class="skeleton" aria-hidden="true"></p> }>
            {move || Suspend::new(async move {
                match page.await {
                    Ok(page) => view! { <Loaded page /> }.into_any(),
                    Err(error) => view! { <PageTitle text=error.title() /><ErrorView error /> }.into_any(),
                }
            })}
        </Transition>
    }
}

#[component]
fn Loaded(page: Page) -> impl IntoView {
    let run = RwSignal::new(page.run);
    let timeline = RwSignal::new(page.timeline);
    let connection = RwSignal::new(Connection::Idle);
    follow_run(run, timeline, connection);
    let banners = Memo::new(move |_| timeline.with(Timeline::banners));
    let answer = Memo::new(move |_| timeline.with(|timeline| timeline.answer().to_owned()));
    let salvaged = Memo::new(move |_| timeline.with(|timeline| timeline.status() == RunStatus::Failed));
    let title = run.with_untracked(RunSummary::title);
    view! {
        <PageTitle text=title />
        <Header run timeline now_ms=page.now_ms />
        {page.stale.map(|stale| view! { <p class="notice" role="status"><IconView icon=Icon::Alert />{stale}</p> })}
        {move || connection.get().notice().map(|notice| view! { <p class="notice" role="status">{notice}</p> })}
        <Banners banners />
        <div class="run-body">
            <section class="run-main" aria-label="Timeline">
                <h2 class="visually-hidden">"Timeline"</h2>
                <TimelineView timeline />
            </section>
            <aside class="run-side">
                <section class="panel">
                    <h2>{move || if salvaged.get() { "Salvaged output" } else { "Output" }}</h2>
                    <p class="prose output">{move || Some(answer.get()).filter(|text| !text.is_empty()).unwrap_or_else(|| "Nothing was written.".to_owned())}</p>
                </section>
                {page.prompt.map(|prompt| view! { <section class="panel"><h2>"Prompt"</h2><p class="prose">{prompt}</p></section> })}
                {page.system_prompt.map(|prompt| view! { <section class="panel"><h2>"System prompt"</h2><p class="prose">{prompt}</p></section> })}
            </aside>
        </div>
    }
}

#[component]
fn Header(run: RwSignal<RunSummary>, timeline: RwSignal<Timeline>, now_ms: i64) -> impl IntoView {
    let first = run.get_untracked();
    // The log is ahead of the summary while a run is followed.
    let status = Memo::new(move |_| {
        timeline.with(|timeline| timeline.outcome.as_ref().map(|_| timeline.status())).unwrap_or(run.get().status)
    });
    let tokens = Memo::new(move |_| {
        timeline.with(|timeline| timeline.outcome.as_ref().and_then(|outcome| outcome.tokens)).or(run.get().tokens)
    });
    let turns = Memo::new(move |_| timeline.with(|timeline| timeline.turns.len() as u64));
    let calls = Memo::new(move |_| timeline.with(|timeline| timeline.calls().count() as u64));
    let figure = |value: Option<String>| value.unwrap_or_else(|| "–".to_owned());
    view! {
        <header class="page-head run-head">
            <p class="crumbs"><a href="/runs">"Runs"</a></p>
            <div class="run-title">
                <h1>{first.title()}</h1>
                {move || view! { <StatusBadge status=status.get() /> }}
                <span class="run-id"><code title=first.id.clone()>{format::short_id(&first.id)}</code><CopyButton text=first.id.clone() label="Copy the run's id" /></span>
            </div>
            <dl class="facts">
                <div><dt>"Model"</dt><dd>{move || figure(run.get().model)}</dd></div>
                <div><dt>"Turns"</dt><dd>{move || format::grouped(turns.get())}</dd></div>
                <div><dt>"Tool calls"</dt><dd>{move || format::grouped(calls.get())}</dd></div>
                <div><dt>"Tokens"</dt><dd>{move || figure(tokens.get().map(Tokens::total).map(format::grouped))}</dd></div>
                <div><dt>"Duration"</dt><dd>{move || figure(run.get().duration_ms.map(format::duration))}</dd></div>
                <div><dt>"Created"</dt><dd><RelativeTime at_ms=first.created_at_ms now_ms /></dd></div>
                {first.session_id.clone().map(|session| view! { <div><dt>"Session"</dt><dd><code title=session.clone()>{format::short_id(&session)}</code></dd></div> })}
            </dl>
            <MetadataChips metadata=first.metadata.clone() />
        </header>
    }
}
