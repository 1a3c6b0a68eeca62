//! One session: its conversation, with a link to each run, and a form for the next message.

mod composer;
mod conversation;

use leptos::prelude::*;
use leptos_router::hooks::use_params_map;

use crate::api::session::{load_conversation, load_session};
use crate::components::copy::CopyButton;
use crate::components::error_view::ErrorView;
use crate::components::icon::{Icon, IconView};
use crate::components::json_tree::JsonTree;
use crate::components::metadata::MetadataChips;
use crate::components::more_menu::MoreMenu;
use crate::components::page_data::PageData;
use crate::components::page_title::PageTitle;
use crate::components::post_form::PostForm;
use crate::components::status::SessionStatus;
use crate::components::time::RelativeTime;
use crate::format;
use crate::model::session::{Conversation, SessionModel};
use crate::pages::lazy::lazy_page;
use crate::plain_text::visible;
use crate::query_string::use_query_string;

lazy_page!(SessionRoute = SessionPage, more);

#[component]
fn SessionPage() -> impl IntoView {
    let params = use_params_map();
    let id = Memo::new(move |_| params.with(|params| params.get("id")).unwrap_or_default());
    let reload_count = RwSignal::new(0_u32);
    let reload = Callback::new(move |()| reload_count.update(|count| *count += 1));
    let session = PageData::load(move || (id.get(), reload_count.get()), |(id, _)| load_session(id));
    view! {
        {session.show(move |session| match session {
            Ok(page) => view! { <Loaded page reload /> }.into_any(),
            Err(error) => view! { <PageTitle text=error.title() /><h1 class="visually-hidden">"Session"</h1><ErrorView error /> }.into_any(),
        })}
    }
}

#[component]
fn Loaded(page: SessionModel, reload: Callback<()>) -> impl IntoView {
    let query = use_query_string();
    let id = StoredValue::new(page.session.id.clone());
    // The conversation is loaded separately: it can be reloaded without clearing the text in the composer.
    let reload_count = RwSignal::new(0_u32);
    let reload_conversation = Callback::new(move |()| reload_count.update(|count| *count += 1));
    let position = Memo::new(move |_| {
        query.with(|query| (query.get("before").and_then(|seq| seq.parse::<u64>().ok()), query.get("runs")))
    });
    let conversation = PageData::load(
        move || (position.get(), reload_count.get()),
        move |((before, runs), _)| load_conversation(id.get_value(), before, runs),
    );
    let active = page.session.status == "active";
    let composer = match (active, page.can_write) {
        (true, true) => view! {
            <composer::Composer id=id.get_value() sent=reload_conversation />
        }
        .into_any(),
        (true, false) => {
            view! { <p class="hint">"Your sign-in can read sessions, but not send messages."</p> }.into_any()
        }
        (false, _) => view! { <p class="hint">"This session has ended. No more messages can be sent."</p> }.into_any(),
    };
    let title = visible(&page.session.title()).into_owned();
    let (spec, stale) = (page.spec.clone(), page.stale.clone());
    view! {
        <PageTitle text=title.clone() />
        <Header page title reload conversation />
        {stale.map(|stale| view! { <p class="notice" role="status"><IconView icon=Icon::Alert />{stale}</p> })}
        <div class="run-body">
            <section class="run-main" aria-label="Conversation">
                <h2 class="visually-hidden">"Conversation"</h2>
                {conversation.show(move |conversation| match conversation {
                    Ok(page) => view! { <conversation::ConversationView page position reload_conversation /> }.into_any(),
                    Err(error) => view! { <ErrorView error /> }.into_any(),
                })}
                {composer}
            </section>
            <aside class="run-side">
                <section class="panel">
                    <h2>"Spec"</h2>
                    <p class="hint">"The settings of every run in this session. Secrets are hidden."</p>
                    <details>
                        <summary>"Show the spec"</summary>
                        <JsonTree value=spec label="the spec" />
                    </details>
                </section>
            </aside>
        </div>
    }
}

#[component]
fn Header(
    page: SessionModel,
    title: String,
    reload: Callback<()>,
    conversation: PageData<Conversation>,
) -> impl IntoView {
    let (session, now_ms) = (page.session, page.now_ms);
    let runs_href = format!("/runs?q=session:{}", session.id);
    // The totals come with the conversation, so that they change when a message is sent or answered.
    let totals = conversation.show_later(move |conversation| {
        let Ok(conversation) = conversation else { return ().into_any() };
        let figure = |(name, value): (String, String)| {
            let value = match name.as_str() {
                "Runs" => view! { <a href=runs_href.clone()>{value}</a> }.into_any(),
                _ => value.into_any(),
            };
            view! { <div><dt>{name}</dt><dd>{value}</dd></div> }
        };
        conversation.totals.into_iter().map(figure).collect_view().into_any()
    });
    let delete_href = page.can_write.then(|| format!("/sessions/{}/delete", session.id));
    let can_end = session.status == "active" && page.can_write;
    let ended =
        page.ended_at_ms.map(|at_ms| view! { <div><dt>"Ended"</dt><dd><RelativeTime at_ms now_ms /></dd></div> });
    let metadata = (!session.metadata.is_empty()).then(|| {
        view! {
            <p class="inherited">
                <span class="hint">"Inherited by every run:"</span>
                <MetadataChips metadata=session.metadata.clone() add="/sessions?q=".to_owned() />
            </p>
        }
    });
    view! {
        <header class="page-head run-head">
            <div class="run-title">
                <p class="crumbs"><a href="/sessions">"Sessions"</a></p>
                <h1>{title}</h1>
                <div class="run-actions">
                    {can_end.then(|| view! { <EndForm id=session.id.clone() reload /> })}
                    {delete_href.map(|href| view! { <MoreMenu><a class="danger" href=href>"Delete session…"</a></MoreMenu> })}
                </div>
            </div>
            <dl class="facts">
                <div><dt class="visually-hidden">"Status"</dt><dd><SessionStatus status=session.status.clone() /></dd></div>
                <div><dt class="visually-hidden">"Session"</dt><dd class="run-id"><code title=session.id.clone()>{format::short_id(&session.id)}</code><CopyButton text=session.id.clone() label="Copy the session's id" /></dd></div>
                {totals}
                <div><dt>"Created"</dt><dd><RelativeTime at_ms=session.created_at_ms now_ms /></dd></div>
                <div><dt>"Last used"</dt><dd><RelativeTime at_ms=session.last_used_at_ms now_ms /></dd></div>
                {ended}
            </dl>
            {metadata}
        </header>
    }
}

/// Asks for confirmation, because a session can't be reopened.
#[component]
fn EndForm(id: String, reload: Callback<()>) -> impl IntoView {
    view! {
        <details class="popover-holder" data-popover="">
            <summary class="button">"End session"</summary>
            <div class="popover">
                <p>"No more messages can be sent, and a run in progress is cancelled. This can't be undone."</p>
                <PostForm action="/rpc/end-session" class="view-form" done="It has ended." on_done=reload>
                    <input type="hidden" name="id" value=id />
                    <button class="button danger" type="submit">"End session"</button>
                </PostForm>
            </div>
        </details>
    }
}
