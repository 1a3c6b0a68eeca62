//! One run: what happened, why, and what to do.
//!
//! The server renders what the address says. In the browser the page follows its address and the run's live stream: text
//! is added as it comes, everything else is asked of the server, where the one reducer runs.

mod actions;
mod answer_call;
mod header;
mod jump;
mod kept_view;
mod output;
mod raw;
mod replay;
mod rows;
mod spec;
mod toolbar;

use leptos::prelude::*;
use leptos_router::hooks::use_params_map;

use crate::api::runs::open_run;
use crate::browser::{Asking, Connection, Follow, count_ages, follow_address, follow_hash, follow_place, follow_run};
use crate::components::error_view::ErrorView;
use crate::components::icon::{Icon, IconView};
use crate::components::page_title::PageTitle;
use crate::model::RunPage as Page;
use crate::pages::lazy::lazy_page;
use crate::query_string::use_query_string;
use crate::run::{RunState, RunView, SIDE_ID, Side, Tab};
use crate::wire::Wire;
use domain::RunSummary;

/// What the parts of the page share. Handed down as context: every part reads some of it.
#[derive(Clone, Copy)]
pub struct Run {
    pub id: StoredValue<String>,
    pub summary: RwSignal<RunSummary>,
    pub state: RwSignal<RunState>,
    pub view: Memo<RunView>,
    /// The last event of the whole log, whatever point is looked at.
    pub end_seq: RwSignal<u64>,
    pub asking: StoredValue<Asking>,
    pub follow: Follow,
    pub can_write: bool,
    pub has_spec: bool,
}

impl Run {
    /// The event as of which the run is shown. None at its end, and beyond.
    pub fn at(&self) -> Option<u64> {
        self.view.with(|view| view.at).filter(|at| *at < self.end_seq.get())
    }

    /// The address of another view of this run.
    pub fn href(&self, change: impl FnOnce(&RunView) -> RunView) -> String {
        self.view.with(|view| self.id.with_value(|id| change(view).href(id)))
    }
}

lazy_page!(RunRoute = RunPage, run);

#[component]
fn RunPage() -> impl IntoView {
    let params = use_params_map();
    let query = use_query_string();
    let id = Memo::new(move |_| params.with(|params| params.get("id")).unwrap_or_default());
    let view = Memo::new(move |_| query.with(RunView::from_query));
    // Only another run is another page; another view of it is fetched by the page itself.
    let first = Resource::new_blocking(move || id.get(), move |id| open_run(id, view.get_untracked()));
    view! {
        <Transition fallback=|| view! { <p class="skeleton" aria-hidden="true"></p> }>
            {move || Suspend::new(async move {
                match first.await {
                    Ok(Wire(page)) => view! { <Loaded page view /> }.into_any(),
                    Err(error) => view! { <PageTitle text=error.title() /><ErrorView error /> }.into_any(),
                }
            })}
        </Transition>
    }
}

#[component]
fn Loaded(page: Page, view: Memo<RunView>) -> impl IntoView {
    let run = Run {
        id: StoredValue::new(page.run.id.clone()),
        end_seq: RwSignal::new(page.end_seq),
        asking: StoredValue::new(Asking::default()),
        follow: Follow::new(page.end_seq),
        summary: RwSignal::new(page.run),
        state: RwSignal::new(page.state),
        view,
        can_write: page.can_write,
        has_spec: page.has_spec,
    };
    provide_context(run);
    let connection = RwSignal::new(Connection::Idle);
    if !run.state.with_untracked(|state| state.ended) {
        follow_run(run, connection);
        count_ages();
    }
    follow_address(run);
    follow_hash();
    follow_place(run);
    let title = run.summary.with_untracked(RunSummary::title);
    view! {
        <PageTitle text=title />
        <header::Header now_ms=page.now_ms feedback=page.feedback />
        {page.stale.map(|stale| view! { <p class="notice" role="status"><IconView icon=Icon::Alert />{stale}</p> })}
        <div inner_html=page.imported></div>
        {move || connection.get().notice().map(|notice| view! { <p class="notice" role="status">{notice}</p> })}
        // Drawn on the server: every text in them is escaped there.
        <section class="verdict" aria-label="Verdict" inner_html=move || run.state.with(|state| state.verdict.clone())></section>
        <div class="banners" inner_html=move || run.state.with(|state| state.banners.clone())></div>
        <p class="visually-hidden" role="status">{news_of_banners(run)}</p>
        <replay::ReplayBar />
        <div class="run-body">
            <section class="run-main" aria-label="Timeline">
                <h2 class="visually-hidden">"Timeline"</h2>
                <toolbar::Toolbar />
                <rows::Timeline />
            </section>
            <aside class="run-side" id=SIDE_ID tabindex="-1">
                <Tabs />
                {move || match view.with(|view| view.tab) {
                    Tab::Output => view! { <output::Output prompt=page.prompt.clone() system_prompt=page.system_prompt.clone() /> }.into_any(),
                    Tab::Tools | Tab::Loop => view! { <Drawn /> }.into_any(),
                    Tab::Spec => view! { <spec::Spec /> }.into_any(),
                    Tab::Raw => view! { <raw::Raw /> }.into_any(),
                }}
            </aside>
        </div>
        <jump::JumpToPlace />
    }
}

/// The titles of banners that were not there before: the banners themselves are drawn anew with every view.
fn news_of_banners(run: Run) -> Memo<String> {
    let titles = Memo::new(move |_| run.state.with(|state| state.banner_titles.clone()));
    let known = StoredValue::new(titles.get_untracked());
    Memo::new(move |_| {
        let now = titles.get();
        let before = known.try_update_value(|known| std::mem::replace(known, now.clone())).unwrap_or_default();
        let new: Vec<String> = now.into_iter().filter(|title| !before.contains(title)).collect();
        new.join(". ")
    })
}

/// A tab that the server draws.
#[component]
fn Drawn() -> impl IntoView {
    let run = expect_context::<Run>();
    let html = move || {
        run.state.with(|state| match &state.side {
            Side::Html(html) => html.clone(),
            _ => String::new(),
        })
    };
    view! { <div inner_html=html></div> }
}

#[component]
fn Tabs() -> impl IntoView {
    let run = expect_context::<Run>();
    let tab = move |tab: Tab| {
        let href = move || run.href(|view| RunView { tab, focus: None, ..view.clone() });
        let shown =
            move || tab != Tab::Loop || run.view.with(|view| view.tab == tab) || run.state.with(|state| state.loops);
        let current = move || (run.view.with(|view| view.tab) == tab).then_some("page");
        view! { <a href=href aria-current=current hidden=move || !shown() data-noscroll="">{tab.label()}</a> }
    };
    view! { <nav class="tabs" aria-label="About this run">{Tab::ALL.map(tab).collect_view()}</nav> }
}
