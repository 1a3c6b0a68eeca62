//! The launch page: a form that is rendered from its page model, and the spec as JSON beside it.
//!
//! Without JavaScript every button sends the whole form, and the server redirects back to the page. With JavaScript the
//! form is sent in the background, also after a change, and the response is rendered in place; errors show up while the
//! user types.

mod items;
mod side;

use leptos::prelude::*;

use crate::api::launch::open_launch;
use crate::browser::launch_form_state;
use crate::components::error_view::ErrorView;
use crate::components::icon::{Icon, IconView};
use crate::components::page_title::PageTitle;
use crate::components::when_loaded::WhenLoaded;
use crate::model::launch::{LaunchPageModel, Notice, TemplateLink};
use crate::pages::lazy::lazy_page;
use crate::query_string::use_query_string;
use crate::wire::Wire;

lazy_page!(LaunchRoute = LaunchPage, more);

#[component]
fn LaunchPage() -> impl IntoView {
    let query = use_query_string();
    let entry = Memo::new(move |_| {
        query.with(|query| {
            let sets = query.get_all("set");
            (query.get("like"), query.get("template"), query.get("session"), query.get("draft"), sets)
        })
    });
    let first = Resource::new_blocking(
        move || entry.get(),
        |(like, template, session, draft, sets)| open_launch(like, template, session, draft, sets),
    );
    let shown = StoredValue::new(false);
    view! {
        <PageTitle text="Launch" />
        <header class="page-head"><h1>"Launch a run"</h1></header>
        <WhenLoaded
            data=first
            show=move |first| match first {
                Ok(Wire(page)) => {
                    // The controls of the page before may still show what the user typed.
                    let again = shown.try_update_value(|shown| std::mem::replace(shown, true)).unwrap_or(false);
                    view! { <Loaded page again /> }.into_any()
                }
                Err(error) => view! { <ErrorView error /> }.into_any(),
            }
        />
    }
}

#[component]
fn Loaded(page: LaunchPageModel, again: bool) -> impl IntoView {
    let form = launch_form_state(page);
    if again {
        form.reset_controls();
    }
    form.preload_checks();
    form.watch_pointer_release();
    form.save_when_left();
    let page_model = form.page_model;
    view! {
        {move || page_model.with(|page_model| view! { <Templates templates=page_model.templates.clone() /> })}
        <form
            id="launch"
            class="launch"
            method="post"
            action="/launch"
            enctype="multipart/form-data"
            autocomplete="off"
            on:submit=move |event| form.submit(event)
            on:input=move |_| form.changed()
            on:change=move |_| form.changed()
            on:pointerdown=move |event| form.pointer_pressed(&event)
        >
            // Enter in a text line presses the first button of a form: this one only updates it.
            <button class="visually-hidden" type="submit" name="action" value="update" tabindex="-1" aria-hidden="true"></button>
            <input type="hidden" name="draft" value=move || page_model.with(|page_model| page_model.draft.clone()) />
            <div class="launch-form">
                {move || page_model.with(|page_model| page_model.notices.iter().cloned().map(notice).collect_view())}
                {move || page_model.with(|page_model| page_model.sections.iter().cloned().map(|section| items::group(section, form.findings)).collect_view())}
            </div>
            <side::Side form />
        </form>
    }
}

fn notice(notice: Notice) -> AnyView {
    let link = notice.link.map(|(href, text)| view! { <a class="button" href=href rel="external">{text}</a> });
    let role = if notice.tone.as_str() == "error" { "alert" } else { "status" };
    view! { <p class="notice" role=role data-tone=notice.tone.as_str()><IconView icon=Icon::Info /><span>{notice.text}</span>{link}</p> }
        .into_any()
}

#[component]
fn Templates(templates: Vec<TemplateLink>) -> impl IntoView {
    let link = |template: TemplateLink| {
        view! {
            // The router would ignore a link to the address of the current page.
            <a class="template" href=template.href rel="external">
                <strong>{template.name}</strong>
                <span class="hint">{template.owner}</span>
                <span class="template-notes">{template.notes}</span>
            </a>
        }
        .into_any()
    };
    view! {
        <details class="templates">
            <summary>"Start from a template"</summary>
            <div class="template-list">{templates.into_iter().map(link).collect_view()}</div>
        </details>
    }
}
