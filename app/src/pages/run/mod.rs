//! The run page: the cause, the timeline, and what to do next.
//!
//! The server renders the view that the URL names. In the browser the page follows its URL and the run's live stream:
//! text is appended as it arrives, and for everything else the page asks the server, where the one reducer runs.

mod actions;
mod answer_call;
mod header;
mod jump;
mod output;
mod replay;
mod rows;
mod spec;
mod toolbar;
mod view_fields;

use leptos::prelude::*;
use leptos_router::hooks::use_params_map;

use crate::api::run::load_run;
use crate::browser::{
    Connection, RefreshState, RunContext, ScrollFollow, control_waterfall, count_ages, focus_tabs_on_hash, follow_run,
    follow_scroll, sync_with_url,
};
use crate::components::error_view::ErrorView;
use crate::components::icon::{Icon, IconView};
use crate::components::page_data::PageData;
use crate::components::page_title::PageTitle;
use crate::model::run::{RunPageModel, RunView, TABS_ID, Tab, TabContent};
use crate::pages::lazy::lazy_page;
use crate::query_string::use_query_string;
use domain::RunSummary;

lazy_page!(RunRoute = RunPage, run);

#[component]
fn RunPage() -> impl IntoView {
    let params = use_params_map();
    let query = use_query_string();
    let id = Memo::new(move |_| params.with(|params| params.get("id")).unwrap_or_default());
    let view = Memo::new(move |_| query.with(RunView::from_query));
    // Only another run reloads the page. Another view of the same run is loaded by `sync_with_url`.
    let first = PageData::load(move || id.get(), move |id| load_run(id, view.get_untracked()));
    view! {
        {first.show(move |first| match first {
            Ok(page) => view! { <Loaded page view /> }.into_any(),
            Err(error) => view! { <PageTitle text=error.title() /><h1 class="visually-hidden">"Run"</h1><ErrorView error /> }.into_any(),
        })}
    }
}

#[component]
fn Loaded(page: RunPageModel, view: Memo<RunView>) -> impl IntoView {
    let run = RunContext {
        id: StoredValue::new(page.run.id.clone()),
        end_seq: RwSignal::new(page.end_seq),
        refresh_state: StoredValue::new(RefreshState::default()),
        follow: ScrollFollow::new(page.end_seq),
        summary: RwSignal::new(page.run),
        state: RwSignal::new(page.state),
        view,
        can_write: page.can_write,
        has_spec: page.has_spec,
    };
    provide_context(run);
    let connection = RwSignal::new(Connection::Idle);
    // A page that was opened during the run reserves room for what is not known yet, so that nothing moves.
    let is_live = !run.state.with_untracked(|state| state.ended);
    if is_live {
        follow_run(run, connection);
        count_ages();
    }
    sync_with_url(run);
    control_waterfall(run);
    focus_tabs_on_hash();
    follow_scroll(run);
    let title = run.summary.with_untracked(RunSummary::title);
    view! {
        <PageTitle text=title />
        <header::Header now_ms=page.now_ms feedback=page.feedback />
        {page.stale.map(|stale| view! { <p class="notice" role="status"><IconView icon=Icon::Alert />{stale}</p> })}
        <div inner_html=page.notice></div>
        {move || connection.get().notice().map(|notice| view! { <p class="notice live-notice" role="status">{notice}</p> })}
        // HTML from the server, which escapes all text in it.
        <div class="findings" class:live=is_live inner_html=move || run.state.with(|state| state.findings.clone())></div>
        <p class="visually-hidden" role="status">{new_banner_titles(run)}</p>
        <replay::ReplayBar is_live />
        <div class="run-body">
            <section class="run-main" aria-label="Timeline">
                <h2 class="visually-hidden">"Timeline"</h2>
                <toolbar::Toolbar />
                <rows::Timeline />
            </section>
            <aside class="run-side" id=TABS_ID tabindex="-1">
                <Tabs />
                {move || match view.with(|view| view.tab) {
                    Tab::Output => view! { <output::Output /> }.into_any(),
                    Tab::Tools | Tab::Loop => view! { <HtmlTab /> }.into_any(),
                    Tab::Spec => view! { <spec::Spec system_prompt=page.system_prompt.clone() /> }.into_any(),
                }}
            </aside>
        </div>
        <jump::JumpToNewest />
    }
}

/// The titles of banners that just appeared, for screen readers. The banners themselves are replaced with every view.
fn new_banner_titles(run: RunContext) -> Memo<String> {
    let titles = Memo::new(move |_| run.state.with(|state| state.banner_titles.clone()));
    let known = StoredValue::new(titles.get_untracked());
    Memo::new(move |_| {
        let now = titles.get();
        let before = known.try_update_value(|known| std::mem::replace(known, now.clone())).unwrap_or_default();
        let new: Vec<String> = now.into_iter().filter(|title| !before.contains(title)).collect();
        new.join(". ")
    })
}

/// A tab whose content the server renders.
#[component]
fn HtmlTab() -> impl IntoView {
    let run = expect_context::<RunContext>();
    let html = move || {
        run.state.with(|state| match &state.tab {
            TabContent::Html(html) => html.clone(),
            _ => String::new(),
        })
    };
    view! { <div inner_html=html></div> }
}

#[component]
fn Tabs() -> impl IntoView {
    let run = expect_context::<RunContext>();
    let tab = move |tab: Tab| {
        let href = move || run.href(|view| RunView { tab, focus: None, ..view.clone() });
        let shown =
            move || tab != Tab::Loop || run.view.with(|view| view.tab == tab) || run.state.with(|state| state.loops);
        let current = move || (run.view.with(|view| view.tab) == tab).then_some("page");
        view! { <a href=href aria-current=current hidden=move || !shown() data-noscroll="">{tab.label()}</a> }
    };
    view! { <nav class="tabs" aria-label="About this run">{Tab::ALL.map(tab).collect_view()}</nav> }
}
