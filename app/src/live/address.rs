//! Keeps the page in step with its address.

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::scroll_to_event;
use crate::api::runs::view_run;
use crate::pages::run::Run;
use crate::run::RunView;
use crate::wire::Wire;

/// Asks the server for whatever view the address names and the page does not have.
pub fn follow_address(run: Run) {
    Effect::new(move |before: Option<RunView>| {
        let view = run.view.get();
        match before {
            Some(before) if needs_other_rows(run, &before, &view) => spawn_local(refresh(run)),
            _ => scroll(run, &view),
        }
        view
    });
}

/// Brings the page to the newest state of what it shows. Answers can overtake each other; only the newest request counts.
pub async fn refresh(run: Run) {
    let Some(ticket) = run.requests.try_update_value(|requests| {
        *requests += 1;
        *requests
    }) else {
        return;
    };
    let (Some(id), Some(view)) = (run.id.try_get_value(), run.view.try_get_untracked()) else { return };
    let answer = view_run(id, view.clone()).await;
    if let (Ok(Wire(state)), Some(true)) = (answer, run.requests.try_with_value(|requests| *requests == ticket)) {
        let at_end = view.at.is_none();
        if at_end {
            run.end_seq.update(|end| *end = state.last_seq.max(*end));
        }
        run.state.set(state);
        scroll(run, &view);
    }
}

/// Whether the rows that are here do not show the view.
fn needs_other_rows(run: Run, before: &RunView, view: &RunView) -> bool {
    let same = |view: &RunView| RunView { focus: None, ..view.clone() };
    if same(before) != same(view) {
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
