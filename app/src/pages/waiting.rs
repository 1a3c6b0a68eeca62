//! The calls that wait for an answer from outside: a list, and the one that is answered beside it.

use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos_router::NavigateOptions;
use leptos_router::hooks::use_navigate;

use crate::api::waiting::load_waiting;
use crate::browser::{
    FormResult, count_ages, discard_reply, handle_waiting_keys, has_typed_reply, keep_reply, note_writing,
    restore_focus_after, send_on_ctrl_enter, watch_waiting,
};
use crate::components::error_view::ErrorView;
use crate::components::page_data::PageData;
use crate::components::page_title::PageTitle;
use crate::components::post_form::PostForm;
use crate::components::waiting_count::WaitingCount;
use crate::model::waiting::{WaitingAddress, WaitingModel};
use crate::pages::lazy::lazy_page;
use crate::query_string::use_query_string;
use crate::wire::Wire;

lazy_page!(WaitingRoute = WaitingPage, more);

#[component]
fn WaitingPage() -> impl IntoView {
    let query = use_query_string();
    let address = Memo::new(move |_| query.with(WaitingAddress::from_query));
    let page = PageData::load(move || address.get(), load_waiting);
    // Signals and effects belong to this component: those of a part that is rendered again would be gone.
    let shown = Shown {
        model: RwSignal::new(WaitingModel::default()),
        notice: RwSignal::new(String::new()),
        is_unsent: RwSignal::new(false),
        outcome: RwSignal::new(None),
        sent: StoredValue::new(WaitingAddress::default()),
    };
    let changes = RwSignal::new(0_u32);
    watch_waiting(changes);
    Effect::new(move |before: Option<()>| {
        changes.track();
        if before.is_some() {
            spawn_local(update(shown, page, changes));
        }
    });
    let call = Memo::new(move |_| shown.model.with(|model| model.call.clone()));
    Effect::new(move |_| {
        call.track();
        shown.outcome.set(None);
        keep_reply_of(shown);
    });
    let count = use_context::<WaitingCount>();
    Effect::new(move |_| {
        let (calls, is_gone) = shown.model.with(|model| (model.count, !model.gone.is_empty()));
        if let Some(count) = count {
            count.set(calls);
        }
        shown.is_unsent.set(is_gone && has_typed_reply());
    });
    count_ages();
    handle_waiting_keys();
    let navigate = use_navigate();
    let on_done = Callback::new(move |()| {
        let message = shown.outcome.get_untracked().and_then(Result::ok).flatten();
        shown.notice.set(message.unwrap_or_default());
        shown.outcome.set(None);
        let sent = shown.sent.get_value();
        discard_reply(&sent);
        match address.get_untracked() {
            // The next call is shown.
            in_url if in_url == sent => navigate("/waiting", quietly()),
            in_url if in_url.named().is_none() => page.reload(),
            // The viewer has gone on to another call, which stays.
            _ => changes.update(|count| *count += 1),
        }
    });
    view! {
        <PageTitle text="Waiting" />
        <header class="page-head"><h1>"Waiting"</h1></header>
        <p class="hint waiting-sent" role="status">{move || shown.notice.get()}</p>
        {page.show(move |model| match model {
            Ok(model) => {
                shown.model.set(model);
                view! { <Calls shown on_done /> }.into_any()
            }
            Err(error) => view! { <ErrorView error /> }.into_any(),
        })}
    }
}

/// Shows the form of the call as it was left, after it was rendered.
fn keep_reply_of(shown: Shown) {
    request_animation_frame(move || {
        shown.model.try_with_untracked(|model| keep_reply(&model.call));
    });
}

/// Without a new entry in the history, and without scrolling.
fn quietly() -> NavigateOptions {
    NavigateOptions { scroll: false, replace: true, ..NavigateOptions::default() }
}

#[derive(Clone, Copy)]
struct Shown {
    model: RwSignal<WaitingModel>,
    /// The result of the last answer, shown above the list.
    notice: RwSignal<String>,
    /// The call was answered elsewhere while the viewer wrote.
    is_unsent: RwSignal<bool>,
    outcome: RwSignal<Option<FormResult>>,
    /// The call whose answer was sent last.
    sent: StoredValue<WaitingAddress>,
}

/// The list, and one call beside it.
#[component]
fn Calls(shown: Shown, on_done: Callback<()>) -> impl IntoView {
    let Shown { model, .. } = shown;
    // The form may be rendered later than its call is known.
    Effect::new(move |_| keep_reply_of(shown));
    let html = move |part: fn(&WaitingModel) -> &String| move || model.with(|model| part(model).clone());
    let (has_call, has_form) = model.with_untracked(|model| (!model.details.is_empty(), !model.controls.is_empty()));
    let details = has_call.then(|| {
        view! {
            <section class="waiting-details turn-said" aria-labelledby="waiting-tool">
                <header inner_html=html(|model| &model.header)></header>
                <div inner_html=html(|model| &model.details)></div>
            </section>
        }
    });
    let reply = has_form.then(|| {
        view! {
            <PostForm
                action="/waiting"
                class="waiting-reply turn-said"
                done="Answer sent."
                outcome=shown.outcome
                on_done=on_done
                on:submit=move |_| shown.sent.set_value(model.with_untracked(|model| model.call.clone()))
                on:input=move |_| {
                    shown.notice.set(String::new());
                    model.with_untracked(|model| note_writing(&model.call));
                }
                on:keydown=move |event: leptos::web_sys::KeyboardEvent| send_on_ctrl_enter(&event)
            >
                <div inner_html=html(|model| &model.controls)></div>
            </PostForm>
        }
    });
    let is_named = model.with_untracked(|model| model.call.named().is_some());
    let beside = is_named.then(|| {
        view! {
            <div
                class="conversation"
                class:answered=move || model.with(|model| !model.gone.is_empty())
                class:unsent=move || shown.is_unsent.get()
            >
                <div class="waiting-gone" role="status" inner_html=html(|model| &model.gone)></div>
                {details}
                <p class="waiting-writers" role="status" inner_html=html(|model| &model.writers)></p>
                {reply}
            </div>
        }
    });
    view! {
        <div class="waiting">
            <div class="waiting-list" inner_html=html(|model| &model.list)></div>
            {beside}
        </div>
    }
}

/// Loads the list again, for the call that is shown: another one never takes its place while an answer is written.
async fn update(shown: Shown, page: PageData<WaitingModel>, changes: RwSignal<u32>) {
    let Some(before) = shown.model.try_get_untracked() else { return };
    let change = changes.try_get_untracked();
    let Ok(loaded) = load_waiting(before.call.clone()).await.and_then(Wire::decode) else { return };
    // A later change loads the list again.
    if changes.try_get_untracked() != change {
        return;
    }
    match loaded.call == before.call {
        // The texts and the form stay as they are: they may be read, or filled in.
        true => restore_focus_after(|| {
            let WaitingModel { details, controls, .. } = before;
            drop(shown.model.try_set(WaitingModel { details, controls, ..loaded }));
        }),
        // The first call in an empty list.
        false => page.reload(),
    }
}
