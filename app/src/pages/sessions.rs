//! The list of sessions.

use leptos::prelude::*;

use crate::AppError;
use crate::api::sessions::load_sessions;
use crate::components::error_view::ErrorView;
use crate::components::facet_panel::FacetPanel;
use crate::components::filter_bar::FilterBar;
use crate::components::icon::{Icon, IconView};
use crate::components::metadata::MetadataChips;
use crate::components::no_match::NoMatch;
use crate::components::page_data::PageData;
use crate::components::page_title::PageTitle;
use crate::components::status::SessionStatus;
use crate::components::time::RelativeTime;
use crate::components::view_tabs::ViewTabs;
use crate::model::list::ListAddress;
use crate::model::sessions::SessionListModel;
use crate::pages::lazy::lazy_page;
use crate::plain_text::visible;
use crate::query_string::use_query_string;
use domain::{SessionSummary, ViewList};

lazy_page!(SessionsRoute = SessionsPage, runs);

#[component]
fn SessionsPage() -> impl IntoView {
    let params = use_query_string();
    let address = Memo::new(move |_| params.with(ListAddress::from_query));
    let reload_count = RwSignal::new(0_u32);
    let reload = Callback::new(move |()| reload_count.update(|count| *count += 1));
    let list = PageData::load(move || (address.get(), reload_count.get()), |(address, _)| load_sessions(address));
    view! {
        <PageTitle text="Sessions" />
        <header class="page-head">
            <h1>"Sessions"</h1>
            <a class="button primary" href="/sessions/new"><IconView icon=Icon::Chat />"New session"</a>
        </header>
        {list.show(move |list| match list {
            Ok(list) => view! { <Loaded list reload /> }.into_any(),
            Err(error) => view! { <ErrorView error /> }.into_any(),
        })}
    }
}

#[component]
fn Loaded(list: SessionListModel, reload: Callback<()>) -> impl IntoView {
    let is_invalid = !list.filter_bar.errors.is_empty();
    if is_invalid {
        AppError::Invalid { field: "q".to_owned(), message: String::new() }.set_response_status();
    }
    let filters = list.filter_bar.chips.len();
    let (text, opened) = (list.filter_bar.text.clone(), list.filter_bar.view.clone());
    let body = if is_invalid {
        view! { <section class="empty"><IconView icon=Icon::Alert /><p>"Fix the filter to see sessions."</p></section> }
            .into_any()
    } else if list.sessions.is_empty() && filters > 0 {
        view! { <NoMatch list=ViewList::Sessions filters excluding=list.excluding /> }.into_any()
    } else if list.sessions.is_empty() {
        view! { <Empty /> }.into_any()
    } else {
        view! { <Table sessions=list.sessions add=list.add now_ms=list.now_ms /> }.into_any()
    };
    view! {
        <ViewTabs list=ViewList::Sessions views=list.views text opened changed=reload />
        <FilterBar list=ViewList::Sessions bar=list.filter_bar placeholder="Filter: status:active customer:acme since:7d, or words of a name or summary" />
        {list.stale.map(|stale| view! { <p class="notice" role="status"><IconView icon=Icon::Alert />{stale}</p> })}
        <div class="list-body">
            <div class="list-main">
                <a class="to-facets" href="#facets">"Facets"</a>
                {body}
                <nav class="pager" aria-label="Pages">
                    {list.newest.map(|href| view! { <a class="button" href=href>"Last used"</a> })}
                    {list.older.map(|href| view! { <a class="button" href=href>"Older sessions"</a> })}
                </nav>
            </div>
            <FacetPanel panel=list.facets />
        </div>
    }
}

#[component]
fn Table(sessions: Vec<SessionSummary>, add: String, now_ms: i64) -> impl IntoView {
    let row = |session: SessionSummary| {
        let href = format!("/sessions/{}", session.id);
        let title = visible(&session.title()).into_owned();
        // A session without a name is titled by its summary.
        let summary = session.name.and(session.summary);
        view! {
            <tr>
                <td class="cell-status"><SessionStatus status=session.status /></td>
                <td class="cell-run">
                    <div class="run-text">
                        <span class="run-line"><a class="run-name" href=href>{title}</a></span>
                        <span class="preview">{summary}</span>
                    </div>
                </td>
                <td class="number col-created"><RelativeTime at_ms=session.created_at_ms now_ms /></td>
                <td class="number col-created"><RelativeTime at_ms=session.last_used_at_ms now_ms /></td>
                <td class="col-metadata cell-metadata"><MetadataChips metadata=session.metadata add=add.clone() at_most=2 /></td>
            </tr>
        }
    };
    view! {
        <div class="table-scroll" role="region" aria-label="Sessions">
            <table class="runs sessions compact">
                <thead>
                    <tr>
                        <th scope="col" class="col-status">"Status"</th>
                        <th scope="col" class="col-run">"Session"</th>
                        <th scope="col" class="number col-created">"Created"</th>
                        <th scope="col" class="number col-created">"Last used"</th>
                        <th scope="col" class="col-metadata">"Metadata"</th>
                    </tr>
                </thead>
                <tbody>{sessions.into_iter().map(row).collect_view()}</tbody>
            </table>
        </div>
    }
}

#[component]
fn Empty() -> impl IntoView {
    view! {
        <section class="empty">
            <IconView icon=Icon::Chat />
            <h2>"No sessions yet"</h2>
            <p>"Start one here, or with MANTYX's API."</p>
            <p><a class="button primary" href="/sessions/new">"New session"</a></p>
        </section>
    }
}
