//! The form for a new session. With JavaScript it is sent in the background, so that an error keeps what was written.

use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::hooks::use_navigate;

use crate::api::session::load_new_session;
use crate::browser::{FormResult, post_form, send_on_ctrl_enter};
use crate::components::error_view::ErrorView;
use crate::components::page_data::PageData;
use crate::components::page_title::PageTitle;
use crate::components::text_area::textarea_content;
use crate::model::session::NewSessionModel;
use crate::pages::lazy::lazy_page;

const DEFAULT_SYSTEM_PROMPT: &str = "You are a helpful assistant.";

lazy_page!(NewSessionRoute = NewSessionPage, runs);

#[component]
fn NewSessionPage() -> impl IntoView {
    let form = PageData::load(|| (), |()| load_new_session());
    view! {
        <PageTitle text="New session" />
        <header class="page-head">
            <div class="crumb-title">
                <p class="crumbs"><a href="/sessions">"Sessions"</a></p>
                <h1>"New session"</h1>
            </div>
        </header>
        {form.show(move |form| match form {
            Ok(form) => view! { <Form form /> }.into_any(),
            Err(error) => view! { <ErrorView error /> }.into_any(),
        })}
    }
}

#[component]
fn Form(form: NewSessionModel) -> impl IntoView {
    let outcome = RwSignal::new(None::<FormResult>);
    let navigate = use_navigate();
    // The answer is the address of the conversation.
    Effect::new(move |_| {
        if let Some(Ok(Some(href))) = outcome.get() {
            navigate(&href, NavigateOptions::default());
        }
    });
    let default_model = form.default_model;
    let options = form.models.into_iter().map(|(id, label)| {
        let selected = id == default_model;
        view! { <option value=id selected=selected>{label}</option> }
    });
    let error = move || match outcome.get() {
        Some(Err(error)) => Some(view! { <p class="field-error" role="alert">{error.to_string()}</p> }),
        _ => None,
    };
    view! {
        <form class="panel new-session" method="post" action="/rpc/start-session" on:submit=move |event| post_form(event, outcome)>
            <input type="hidden" name="key" value=form.key />
            <label>"Model"<select name="model"><option value="">"Default"</option>{options.collect_view()}</select></label>
            {form.no_models.map(|reason| view! { <p class="hint">{reason}</p> })}
            <label>"System prompt"<textarea name="system_prompt" rows="3" required=true maxlength="100000">{textarea_content(DEFAULT_SYSTEM_PROMPT)}</textarea></label>
            <label>"First message"<textarea name="text" rows="5" required=true maxlength="100000" on:keydown=move |event| send_on_ctrl_enter(&event)></textarea></label>
            <p class="form-buttons">
                <button class="button primary" type="submit">"Start session"</button>
                <span class="hint js-only">"Ctrl Enter or ⌘ Enter"</span>
            </p>
            {error}
            <p class="hint">"For tools, limits or an output format, use "<a href="/launch">"the launch form"</a>" with the run type “The first message of a new session”."</p>
        </form>
    }
}
