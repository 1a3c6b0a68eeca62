//! The progress of a batch, above the list of its runs.

use std::time::Duration;

use leptos::prelude::*;

use super::icon::{Icon, IconView};
use super::page_data::PageData;
use crate::api::launch::load_batch_progress;

const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// Calls `done` when the batch has finished.
#[component]
pub fn BatchLine(id: String, done: Callback<()>) -> impl IntoView {
    let details = format!("/launch/batches/{id}");
    let progress = PageData::load(move || id.clone(), load_batch_progress);
    // Effects run only in the browser.
    Effect::new(move |_| match progress.get() {
        Some(Ok(batch)) if !batch.done => set_timeout(move || progress.reload(), POLL_INTERVAL),
        Some(Ok(_)) => done.run(()),
        _ => {}
    });
    progress.show_later(move |progress| {
        let Ok(batch) = progress else { return ().into_any() };
        view! {
            <p class="notice batch-line" role="status">
                <IconView icon=Icon::Play />
                <span>{batch.words} " " {batch.problem}</span>
                <progress max=batch.all.to_string() value=batch.settled.to_string() aria-label="Launched"></progress>
                <a href=details.clone()>"Show inputs"</a>
            </p>
        }
        .into_any()
    })
}
