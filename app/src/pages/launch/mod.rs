//! Launching a run: a form that is drawn from what the server says, beside the same spec as JSON.
//!
//! Without scripts every button sends the whole form, and the server leads back to the page with its answer. With them
//! the form is sent in the background, also a moment after a change, and the answer is drawn in place; what is wrong with
//! it is told in the browser already.

mod batch;
mod items;
mod side;

use leptos::prelude::*;

use crate::api::launch::open_launch;
use crate::browser::launch_desk;
use crate::components::error_view::ErrorView;
use crate::components::icon::{Icon, IconView};
use crate::components::page_title::PageTitle;
use crate::launch::sheet::{LaunchPage as Sheet, Notice, TemplateLink};
use crate::pages::lazy::lazy_page;
use crate::query_string::use_query_string;
use crate::wire::Wire;

pub use batch::BatchRoute;

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
        <Transition fallback=|| view! { <p class="skeleton" aria-hidden="true"></p> }>
            {move || Suspend::new(async move {
                match first.await {
                    Ok(Wire(page)) => {
                        // Another page in the place of one: its controls may still show what was written in them.
                        let again = shown.try_update_value(|shown| std::mem::replace(shown, true)).unwrap_or(false);
                        view! { <Loaded page again /> }.into_any()
                    }
                    Err(error) => view! { <ErrorView error /> }.into_any(),
                }
            })}
        </Transition>
    }
}

#[component]
fn Loaded(page: Sheet, again: bool) -> impl IntoView {
    let desk = launch_desk(page);
    if again {
        desk.settle_when_drawn();
    }
    desk.prepare_checks();
    desk.mind_release();
    let sheet = desk.sheet;
    view! {
        {move || sheet.with(|sheet| view! { <Templates templates=sheet.templates.clone() /> })}
        <form
            id="launch"
            class="launch"
            method="post"
            action="/launch"
            enctype="multipart/form-data"
            autocomplete="off"
            on:submit=move |event| desk.submit(event)
            on:input=move |_| desk.changed()
            on:change=move |_| desk.changed()
            on:pointerdown=move |event| desk.hold(&event)
        >
            // Enter in a line presses the first button of a form: this one changes nothing.
            <button class="visually-hidden" type="submit" name="do" value="update" tabindex="-1" aria-hidden="true"></button>
            <input type="hidden" name="work" value=move || sheet.with(|sheet| sheet.work.clone()) />
            <div class="launch-form">
                {move || sheet.with(|sheet| sheet.notices.iter().cloned().map(notice).collect_view())}
                {move || sheet.with(|sheet| sheet.sections.iter().cloned().map(|section| items::section(section, desk.since)).collect_view())}
            </div>
            <side::Side desk />
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
            // Also where the page has become a draft since: the router would take the same address for the page that is there.
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
