//! Keeps the page in step with its address.

use leptos::prelude::*;
use leptos::task::spawn_local;
use leptos_router::hooks::use_location;

use super::scroll_follow::keep_in_view;
use super::{focus, scroll_to_event};
use crate::api::run::load_run_state;
use crate::browser::RunContext;
use crate::model::run::{RunView, TABS_ID};
use crate::wire::Wire;

/// What is being asked of the server. One question at a time: what changes meanwhile is asked for once more when the answer
/// is there, so that a slow server shows the page late, and not never.
#[derive(Clone, Copy, Debug, Default)]
pub struct RefreshState {
    busy: bool,
    again: bool,
    /// The address named an event that is still to be scrolled to.
    scroll: bool,
}

/// Asks the server for whatever view the address names and the page does not have.
pub fn sync_with_url(run: RunContext) {
    Effect::new(move |before: Option<RunView>| {
        let view = run.view.get();
        if before.as_ref().is_none_or(|before| leads_elsewhere(before, &view)) {
            run.refresh_state.update_value(|state| state.scroll = true);
        }
        match before {
            Some(before) if needs_other_rows(run, &before, &view) => spawn_local(refresh(run)),
            _ => scroll(run),
        }
        view
    });
}

/// A link to the tabs, which are far below on a narrow page, goes on from there.
pub fn focus_tabs_on_hash() {
    let hash = use_location().hash;
    Effect::new(move |before: Option<()>| {
        let leads_there = hash.get().strip_prefix('#') == Some(TABS_ID);
        // A page that is loaded with it was scrolled by the browser.
        if before.is_some() && leads_there {
            focus::give(TABS_ID);
        }
    });
}

/// Brings the page to the newest state of what it shows.
pub async fn refresh(run: RunContext) {
    let was_busy = run.refresh_state.try_update_value(|state| {
        state.again = state.busy;
        std::mem::replace(&mut state.busy, true)
    });
    if was_busy != Some(false) {
        return;
    }
    loop {
        let (Some(id), Some(view)) = (run.id.try_get_value(), run.view.try_get_untracked()) else { return };
        let answer = load_run_state(id, view.clone()).await;
        // The page may have been left meanwhile.
        let Some(again) = run.refresh_state.try_update_value(|state| {
            state.busy = state.again;
            std::mem::take(&mut state.again)
        }) else {
            return;
        };
        if let Ok(Wire(state)) = answer {
            if view.at.is_none() {
                run.end_seq.update(|end| *end = state.last_seq.max(*end));
            }
            keep_in_view(run);
            focus::keep(|| run.state.set(state));
            scroll(run);
        }
        if !again {
            return;
        }
    }
}

/// Whether the address names another event, or another hit.
fn leads_elsewhere(before: &RunView, view: &RunView) -> bool {
    (view.focus.is_some() && view.focus != before.focus) || view.find != before.find
}

/// Whether the rows that are here do not show the view.
fn needs_other_rows(run: RunContext, before: &RunView, view: &RunView) -> bool {
    let same = |view: &RunView| RunView { focus: None, ..view.clone() };
    if same(before) != same(view) {
        return true;
    }
    let is_shown = |seq| run.state.with_untracked(|state| state.window.rows.iter().any(|row| row.anchor == Some(seq)));
    view.focus.is_some_and(|seq| !is_shown(seq))
}

/// To the event that the address names, once: what happens in a live run does not pull the page back there.
fn scroll(run: RunContext) {
    let wanted = run.refresh_state.try_update_value(|state| !state.busy && std::mem::take(&mut state.scroll));
    if wanted != Some(true) {
        return;
    }
    let hit = run.state.with_untracked(|state| state.window.hit_seq);
    let (event, finds) = run.view.with_untracked(|view| (view.focus, !view.find.text.is_empty()));
    // After the rows are drawn. Whoever steps through hits goes on from where they step.
    if let Some(seq) = event.or(hit.filter(|_| finds)) {
        request_animation_frame(move || scroll_to_event(seq, event.is_some()));
    }
}
