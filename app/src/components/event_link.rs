//! A link to an event of the run: `#12`. It scrolls there, on whatever part of the timeline it is.

use leptos::prelude::*;

use crate::browser::RunContext;

#[component]
pub fn EventLink(seq: u64) -> impl IntoView {
    let run = expect_context::<RunContext>();
    let href = move || run.href(|view| view.focused(seq));
    view! { <a class="event-link" href=href>{format!("#{seq}")}</a> }
}
