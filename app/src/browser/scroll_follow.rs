//! Keeps the place that a replay or a run in progress is at in view, for as long as the reader stays there.
//!
//! ```text
//!   the place is in view ──new state──▶ it is brought into view again, only as far as needed
//!          ▲      │ scrolled away by hand
//!          │      ▼
//!   a jump, a step, or scrolled back
//! ```

use leptos::ev;
use leptos::prelude::*;

use super::scroll_anchor;
use crate::browser::RunContext;

#[derive(Clone, Copy)]
pub struct ScrollFollow {
    /// The reader is at the place.
    pub on: RwSignal<bool>,
    /// They were, and scrolled away by hand.
    pub left: RwSignal<bool>,
    /// The newest event when they last were.
    pub seen_seq: RwSignal<u64>,
    /// The reader has asked for it, and it is not there yet.
    wanted: StoredValue<bool>,
    /// The page is about to be scrolled by us: what moves until then says nothing about the reader.
    moving: StoredValue<bool>,
}

impl ScrollFollow {
    pub fn new(end_seq: u64) -> Self {
        Self {
            on: RwSignal::new(true),
            left: RwSignal::new(false),
            seen_seq: RwSignal::new(end_seq),
            wanted: StoredValue::new(false),
            moving: StoredValue::new(false),
        }
    }

    /// The reader asks for the place: by a jump, a step or the slider.
    pub fn resume(&self) {
        self.wanted.set_value(true);
    }
}

/// For as long as the page is there.
pub fn follow_scroll(run: RunContext) {
    let ScrollFollow { on, left, seen_seq, moving, .. } = run.follow;
    let is_there = move || scroll_anchor::is_in_view() && untrack(|| has_newest_rows(run));
    let look = move || {
        let is_there = is_there();
        if !moving.get_value() && on.get_untracked() != is_there {
            on.set(is_there);
            left.set(!is_there);
        }
    };
    Effect::new(move |_| {
        on.set(is_there());
        let scrolled = window_event_listener(ev::scroll, move |_| look());
        on_cleanup(move || scrolled.remove());
    });
    Effect::new(move |_| {
        let end = run.end_seq.get();
        if on.get() {
            seen_seq.set(end);
        }
    });
}

/// To be called when the page is about to change.
pub fn keep_in_view(run: RunContext) {
    let moves = untrack(|| run.at().is_some() || !run.state.with(|state| state.ended));
    let wanted = run.follow.wanted.try_update_value(std::mem::take) == Some(true);
    if moves && (wanted || run.follow.on.get_untracked() && !scroll_anchor::is_typing()) {
        scroll_to_anchor(run, false);
    }
}

/// Brings the place into view once what is new is drawn. With `go`, the keyboard goes on from there.
pub fn scroll_to_anchor(run: RunContext, go: bool) {
    let ScrollFollow { on, moving, .. } = run.follow;
    if moving.try_update_value(|moving| std::mem::replace(moving, true)) == Some(true) {
        return;
    }
    request_animation_frame(move || {
        if moving.try_set_value(false).is_none() {
            scroll_anchor::bring_into_view(go);
            on.set(true);
        }
    });
}

/// A page of a long log may end before its newest row; a replay always ends with its own.
fn has_newest_rows(run: RunContext) -> bool {
    run.state.with(|state| state.window.start + state.window.rows.len() >= state.window.total)
}
