//! The progress of a batch, above the list of its runs.

use std::time::Duration;

use leptos::prelude::*;

use super::icon::{Icon, IconView};
use super::when_loaded::when_loaded;
use crate::api::launch::read_batch_progress;
use crate::wire::Wire;

const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// Calls `done` when the batch has finished.
#[component]
pub fn BatchLine(id: String, done: Callback<()>) -> impl IntoView {
    let details = format!("/launch/batches/{id}");
    let progress = Resource::new_blocking(move || id.clone(), read_batch_progress);
    // Effects run only in the browser.
    Effect::new(move |_| match progress.get() {
        Some(Ok(Wire(batch))) if !batch.done => set_timeout(move || progress.refetch(), POLL_INTERVAL),
        Some(Ok(_)) => done.run(()),
        _ => {}
    });
    view! {
        <Transition fallback=|| ()>
            {when_loaded(progress, move |progress| {
                let Ok(Wire(batch)) = progress else { return ().into_any() };
                view! {
                    <p class="notice batch-line" role="status">
                        <IconView icon=Icon::Play />
                        <span>{batch.words} " " {batch.problem}</span>
                        <progress max=batch.all.to_string() value=batch.settled.to_string() aria-label="Launched"></progress>
                        <a href=details.clone()>"Each input"</a>
                    </p>
                }
                .into_any()
            })}
        </Transition>
    }
}
