//! A button that scrolls back to the newest event, or to the replay's current event.

use leptos::prelude::*;

use crate::browser::RunContext;
use crate::browser::scroll_to_anchor;
use crate::components::icon::{Icon, IconView};
use crate::format::grouped;
use crate::model::run::RunView;

#[component]
pub fn JumpToNewest() -> impl IntoView {
    let run = expect_context::<RunContext>();
    let is_replayed = Memo::new(move |_| run.at().is_some());
    let is_live = Memo::new(move |_| !run.state.with(|state| state.ended));
    let new = Memo::new(move |_| run.end_seq.get().saturating_sub(run.follow.seen_seq.get()));
    let label = move || match new.get() {
        _ if is_replayed.get() => "Jump to this step".to_owned(),
        0 => "Jump to newest".to_owned(),
        1 => "Jump to newest: 1 new event".to_owned(),
        new => format!("Jump to newest: {} new events", grouped(new)),
    };
    // Without `from`, the page loads the newest rows.
    let href = move || run.href(|view| RunView { from: None, focus: None, ..view.clone() });
    let jump = move |event: leptos::ev::MouseEvent| {
        if run.view.with_untracked(|view| view.from.is_none() && view.focus.is_none()) {
            event.prevent_default();
        } else {
            run.follow.resume();
        }
        scroll_to_anchor(run, true);
    };
    // A reader who just opened a run in progress has not scrolled away from anything.
    let is_ahead = move || is_live.get() && (new.get() > 0 || run.follow.scrolled_away.get());
    let shown = Memo::new(move |_| !run.follow.in_view.get() && (is_replayed.get() || is_ahead()));
    move || {
        shown.get().then(|| {
            view! { <a class="button jump" href=href data-noscroll="" on:click=jump><IconView icon=Icon::Down />{label}</a> }
        })
    }
}
