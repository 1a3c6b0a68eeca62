//! The raw log: every event as it was received.

use leptos::prelude::*;

use super::view_fields::ViewFields;
use crate::browser::RunContext;
use crate::components::copy::CopyButton;
use crate::components::event_link::EventLink;
use crate::components::get_form::GetForm;
use crate::components::icon::{Icon, IconView};
use crate::model::run::{RunView, TabContent};
use crate::plain_text::{visible, visible_html};

#[component]
pub fn Raw() -> impl IntoView {
    let run = expect_context::<RunContext>();
    let id = run.id.get_value();
    view! {
        <section class="panel raw-log">
            <h2>"Raw log"</h2>
            <GetForm noscroll=true class="raw-tools" role="search">
                <ViewFields except=&["grep", "after"] />
                <input type="search" name="grep" value=move || run.view.with(|view| view.grep.clone()) placeholder="Find in the log" aria-label="Find in the log" maxlength="200" />
                <a class="button" href=format!("/api/runs/{id}/events") download=format!("{id}.ndjson") rel="external"><IconView icon=Icon::Download />"NDJSON"</a>
            </GetForm>
            <Events />
        </section>
    }
}

#[component]
fn Events() -> impl IntoView {
    let run = expect_context::<RunContext>();
    let tab = Memo::new(move |_| run.state.with(|state| state.tab.clone()));
    move || {
        let TabContent::Raw(raw) = tab.get() else { return ().into_any() };
        if raw.events.is_empty() {
            return view! { <p class="hint">"No event matches."</p> }.into_any();
        }
        let lines = raw.events.into_iter().map(|(seq, kind, json)| {
            view! {
                <details class="raw-event">
                    <summary><span class="event-link">{format!("#{seq}")}</span> <code>{visible(&kind).into_owned()}</code></summary>
                    <p class="raw-event-tools">"In the timeline: " <EventLink seq />                    <CopyButton text=json.clone() label="Copy this event" /></p>
                    <pre class="code" tabindex="0" inner_html=visible_html(&json)></pre>
                </details>
            }
        });
        let page = |after: Option<u64>| run.href(|view| RunView { after, focus: None, ..view.clone() });
        let first = run
            .view
            .with(|view| view.after.is_some())
            .then(|| view! { <a class="button" href=page(None) data-noscroll="">"First events"</a> });
        let more = raw
            .next_after
            .map(|next| view! { <a class="button" href=page(Some(next)) data-noscroll="">"Next events"</a> });
        view! { {lines.collect_view()}<p class="row-pager">{first}{more}</p> }.into_any()
    }
}
