//! Keeps the scroll anchor of a replay or of a run in progress in view while the reader stays there.
//!
//! ```text
//!   anchor in view ──new state──▶ scroll to the anchor, only as far as needed
//!     ▲      │ the reader scrolls away
//!     │      ▼
//!   a jump, a step, or scrolling back
//! ```

use leptos::ev;
use leptos::prelude::*;

use super::scroll_anchor;
use crate::browser::RunContext;

#[derive(Clone, Copy)]
pub struct ScrollFollow {
    /// The anchor is in view.
    pub in_view: RwSignal<bool>,
    /// The anchor was in view, and the reader scrolled away.
    pub scrolled_away: RwSignal<bool>,
    /// The newest event when the anchor was last in view.
    pub seen_seq: RwSignal<u64>,
    /// The reader asked to go to the anchor, and the page has not scrolled there yet.
    requested: StoredValue<bool>,
    /// The page is about to scroll by itself, so scroll events don't come from the reader.
    scrolling: StoredValue<bool>,
}

impl ScrollFollow {
    pub fn new(end_seq: u64) -> Self {
        Self {
            in_view: RwSignal::new(true),
            scrolled_away: RwSignal::new(false),
            seen_seq: RwSignal::new(end_seq),
            requested: StoredValue::new(false),
            scrolling: StoredValue::new(false),
        }
    }

    /// Follows the anchor again, after a jump, a step or a move of the slider.
    pub fn resume(&self) {
        self.requested.set_value(true);
    }
}

/// Tracks the scroll position while the page is mounted.
pub fn follow_scroll(run: RunContext) {
    let ScrollFollow { in_view, scrolled_away, seen_seq, scrolling, .. } = run.follow;
    let is_at_anchor = move || scroll_anchor::is_in_view() && untrack(|| has_newest_rows(run));
    let update = move || {
        let is_at_anchor = is_at_anchor();
        if !scrolling.get_value() && in_view.get_untracked() != is_at_anchor {
            in_view.set(is_at_anchor);
            scrolled_away.set(!is_at_anchor);
        }
    };
    Effect::new(move |_| {
        in_view.set(is_at_anchor());
        let scrolled = window_event_listener(ev::scroll, move |_| update());
        on_cleanup(move || scrolled.remove());
    });
    Effect::new(move |_| {
        let end = run.end_seq.get();
        if in_view.get() {
            seen_seq.set(end);
        }
    });
}

/// Call before the page changes.
pub fn keep_in_view(run: RunContext) {
    let anchor_moves = untrack(|| run.at().is_some() || !run.state.with(|state| state.ended));
    let requested = run.follow.requested.try_update_value(std::mem::take) == Some(true);
    if anchor_moves && (requested || run.follow.in_view.get_untracked() && !scroll_anchor::is_typing()) {
        scroll_to_anchor(run, false);
    }
}

/// Scrolls to the anchor after the next render. With `focus`, the anchor gets the focus.
pub fn scroll_to_anchor(run: RunContext, focus: bool) {
    let ScrollFollow { in_view, scrolling, .. } = run.follow;
    if scrolling.try_update_value(|scrolling| std::mem::replace(scrolling, true)) == Some(true) {
        return;
    }
    request_animation_frame(move || {
        if scrolling.try_set_value(false).is_none() {
            scroll_anchor::bring_into_view(focus);
            in_view.set(true);
        }
    });
}

/// A page of a long log may end before the newest row. A replay always includes its current row.
fn has_newest_rows(run: RunContext) -> bool {
    run.state.with(|state| state.window.start + state.window.rows.len() >= state.window.total)
}
