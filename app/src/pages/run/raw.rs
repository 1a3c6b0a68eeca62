//! Every event as it came.

use leptos::prelude::*;

use super::Run;
use crate::api::runs::run_events;
use crate::components::copy::CopyButton;
use crate::components::error_view::ErrorView;
use crate::components::event_link::EventLink;
use crate::components::icon::{Icon, IconView};
use crate::model::RawEvents;
use crate::plain_text::visible;

#[component]
pub fn Raw() -> impl IntoView {
    let run = expect_context::<Run>();
    let after = RwSignal::new(0);
    let find = RwSignal::new(String::new());
    let events = Resource::new_blocking(
        move || (after.get(), find.get()),
        move |(after, find)| run_events(run.id.get_value(), after, find),
    );
    let id = run.id.get_value();
    view! {
        <section class="panel raw-log">
            <h2>"Raw log"</h2>
            <div class="raw-tools">
                <input
                    type="search"
                    class="js-only"
                    placeholder="Find in the log"
                    aria-label="Find in the log"
                    on:change=move |event| {
                        after.set(0);
                        find.set(event_target_value(&event));
                    }
                />
                <a class="button" href=format!("/api/runs/{id}/events") download=format!("{id}.ndjson") rel="external"><IconView icon=Icon::Download />"NDJSON"</a>
            </div>
            <Transition fallback=|| view! { <p class="skeleton" aria-hidden="true"></p> }>
                {move || Suspend::new(async move {
                    match events.await {
                        Ok(events) => view! { <Events events after /> }.into_any(),
                        Err(error) => view! { <ErrorView error /> }.into_any(),
                    }
                })}
            </Transition>
        </section>
    }
}

#[component]
fn Events(events: RawEvents, after: RwSignal<u64>) -> impl IntoView {
    if events.events.is_empty() {
        return view! { <p class="hint">"No event matches."</p> }.into_any();
    }
    let lines = events.events.into_iter().map(|(seq, kind, json)| {
        view! {
            <details class="raw-event">
                <summary><EventLink seq /> <code>{visible(&kind).into_owned()}</code></summary>
                <CopyButton text=json.clone() label="Copy this event" />
                <pre class="code" tabindex="0">{visible(&json).into_owned()}</pre>
            </details>
        }
    });
    let more = events.next_after.map(|next| {
        view! { <button type="button" class="button js-only" on:click=move |_| after.set(next)>"Next events"</button> }
    });
    view! { {lines.collect_view()}{more} }.into_any()
}
