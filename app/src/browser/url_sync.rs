//! Updates the run page when its URL changes.

use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos_router::hooks::use_location;

use super::scroll_follow::keep_in_view;
use super::{focus, scroll_to_event};
use crate::api::run::load_run_state;
use crate::browser::RunContext;
use crate::model::run::{RunView, TABS_ID};
use crate::wire::Wire;

/// Only one request runs at a time. If the view changes during a request, another one follows, so that a slow server
/// delays the page but can't block it.
#[derive(Clone, Copy, Debug, Default)]
pub struct RefreshState {
    busy: bool,
    repeat: bool,
    /// The URL names an event that the page has not scrolled to yet.
    scroll_pending: bool,
}

/// Loads the view that the URL names, if the page doesn't show it yet.
pub fn sync_with_url(run: RunContext) {
    Effect::new(move |before: Option<RunView>| {
        let view = run.view.get();
        if before.as_ref().is_none_or(|before| names_other_event(before, &view)) {
            run.refresh_state.update_value(|state| state.scroll_pending = true);
        }
        match before {
            Some(before) if needs_other_rows(run, &before, &view) => spawn_local(refresh(run)),
            _ => scroll_to_target(run),
        }
        view
    });
}

/// Focuses the tabs when a link to them is followed, because they are far below on a narrow page.
pub fn focus_tabs_on_hash() {
    let hash = use_location().hash;
    Effect::new(move |before: Option<()>| {
        let is_tabs_link = hash.get().strip_prefix('#') == Some(TABS_ID);
        // On the first load the browser scrolls there itself.
        if before.is_some() && is_tabs_link {
            focus::focus_element(TABS_ID);
        }
    });
}

/// Loads the current state of the view.
pub async fn refresh(run: RunContext) {
    let was_busy = run.refresh_state.try_update_value(|state| {
        state.repeat = state.busy;
        std::mem::replace(&mut state.busy, true)
    });
    if was_busy != Some(false) {
        return;
    }
    loop {
        let (Some(id), Some(view)) = (run.id.try_get_value(), run.view.try_get_untracked()) else { return };
        let response = load_run_state(id, view.clone()).await;
        // The viewer may have left the page.
        let Some(repeat) = run.refresh_state.try_update_value(|state| {
            state.busy = state.repeat;
            std::mem::take(&mut state.repeat)
        }) else {
            return;
        };
        if let Ok(state) = response.and_then(Wire::decode) {
            if view.at.is_none() {
                run.end_seq.update(|end| *end = state.last_seq.max(*end));
            }
            keep_in_view(run);
            focus::restore_after(|| run.state.set(state));
            scroll_to_target(run);
        }
        if !repeat {
            return;
        }
    }
}

/// Returns true if the URL names another event or another match.
fn names_other_event(before: &RunView, view: &RunView) -> bool {
    (view.focus.is_some() && view.focus != before.focus) || view.find != before.find
}

/// Returns true if the view needs rows that are not loaded.
fn needs_other_rows(run: RunContext, before: &RunView, view: &RunView) -> bool {
    let same = |view: &RunView| RunView { focus: None, ..view.clone() };
    if same(before) != same(view) {
        return true;
    }
    let is_shown = |seq| run.state.with_untracked(|state| state.window.rows.iter().any(|row| row.anchor == Some(seq)));
    view.focus.is_some_and(|seq| !is_shown(seq))
}

/// Scrolls to the event in the URL, once: later events of a live run must not scroll the page back.
fn scroll_to_target(run: RunContext) {
    let should_scroll =
        run.refresh_state.try_update_value(|state| !state.busy && std::mem::take(&mut state.scroll_pending));
    if should_scroll != Some(true) {
        return;
    }
    let hit = run.state.with_untracked(|state| state.window.hit_seq);
    let (event, is_search) = run.view.with_untracked(|view| (view.focus, !view.find.text.is_empty()));
    // Runs after the rows are rendered. The focus stays on the search controls while the reader steps through matches.
    if let Some(seq) = event.or(hit.filter(|_| is_search)) {
        request_animation_frame(move || scroll_to_event(seq, event.is_some()));
    }
}
