//! A link to an event of the run, such as `#12`. It also works for events on another page of the timeline.

use leptos::prelude::*;

use crate::browser::RunContext;

#[component]
pub fn EventLink(seq: u64) -> impl IntoView {
    let run = expect_context::<RunContext>();
    let href = move || run.href(|view| view.focused(seq));
    view! { <a class="event-link" href=href>{format!("#{seq}")}</a> }
}
