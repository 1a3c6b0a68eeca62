//! The number of calls that wait for an answer, in the rail of every page.

use std::time::Duration;

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::api::viewer::load_viewer;
use crate::browser::poll_while_visible;
use crate::wire::Wire;

const RELOAD_EVERY: Duration = Duration::from_secs(10);

/// The number that was loaded last. The page of waiting calls sets it as well.
#[derive(Clone, Copy, Default)]
pub struct WaitingCount(RwSignal<Option<u64>>);

impl WaitingCount {
    pub fn set(self, calls: u64) {
        let _ = self.0.try_set(Some(calls));
    }
}

/// `first` is the number that came with the page.
#[component]
pub fn WaitingBadge(count: WaitingCount, first: u64) -> impl IntoView {
    let reload = move || async move {
        if let Ok(viewer) = load_viewer().await.and_then(Wire::decode) {
            count.set(viewer.waiting);
        }
    };
    poll_while_visible(RELOAD_EVERY, Callback::new(move |()| spawn_local(reload())));
    move || {
        let calls = count.0.get().unwrap_or(first);
        (calls > 0).then(|| view! { <span class="chip rail-count">{calls}</span> })
    }
}
