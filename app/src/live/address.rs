//! Keeps the page in step with its address.

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::{Following, scroll_to_event};
use crate::api::runs::view_run;
use crate::pages::run::Run;
use crate::run::{RunState, RunView};

/// A run that is followed live is composed here, as of its newest event; any other view comes from the server.
pub fn follow_address(run: Run, live: Option<Following>) {
    // Answers can overtake each other; only the newest request counts.
    let newest = StoredValue::new(0_u64);
    Effect::new(move |before: Option<RunView>| {
        let view = run.view.get();
        let is_first = before.is_none();
        match live.filter(|live| view.at.is_none() && !live.ended.get()) {
            Some(live) => {
                live.grown.track();
                compose(run, live, &view);
            }
            None if !is_first && needs_other_rows(run, before.as_ref(), &view) => {
                newest.update_value(|newest| *newest += 1);
                let ticket = newest.get_value();
                let (id, asked) = (run.id.get_value(), view.clone());
                spawn_local(async move {
                    let answer = view_run(id, asked.clone()).await;
                    if let (Ok(state), Some(true)) = (answer, newest.try_with_value(|newest| *newest == ticket)) {
                        run.state.set(state);
                        scroll(run, &asked);
                    }
                });
            }
            None => scroll(run, &view),
        }
        view
    });
}

fn compose(run: Run, live: Following, view: &RunView) {
    live.timeline.with_value(|timeline| {
        live.spec.with_value(|spec| {
            run.end_seq.set(timeline.last_seq());
            run.state.set(RunState::of(timeline, timeline, spec.as_ref(), view));
        });
    });
}

/// Whether the rows that are here do not show the view.
fn needs_other_rows(run: Run, before: Option<&RunView>, view: &RunView) -> bool {
    let same = |view: &RunView| RunView { tab: Default::default(), focus: None, raw: false, ..view.clone() };
    if before.is_none_or(|before| same(before) != same(view)) {
        return true;
    }
    let shown = |seq: u64| run.state.with_untracked(|state| state.window.rows.iter().any(|row| row.seq == seq));
    view.focus.is_some_and(|seq| !shown(seq))
}

fn scroll(run: Run, view: &RunView) {
    let hit = run.state.with_untracked(|state| state.window.hit_seq);
    if let Some(seq) = view.focus.or(hit.filter(|_| !view.find.text.is_empty())) {
        // After the rows are drawn.
        request_animation_frame(move || scroll_to_event(seq));
    }
}
