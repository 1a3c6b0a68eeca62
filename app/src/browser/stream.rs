//! The stream of a run in progress.
//!
//! Text is appended to its row as it arrives. Any other event can change several rows, so the page loads its new state
//! from the server, at most a few times per second.

use leptos::prelude::*;

use super::Connection;
use crate::browser::RunContext;

/// Follows a run that has not ended, starting after the last event on the page.
pub fn follow_run(run: RunContext, connection: RwSignal<Connection>) {
    #[cfg(feature = "hydrate")]
    browser::open(run, connection);
    #[cfg(not(feature = "hydrate"))]
    let _ = (run, connection);
}

#[cfg(feature = "hydrate")]
mod browser {
    use std::rc::Rc;
    use std::time::Duration;

    use leptos::task::spawn_local;
    use serde_json::Value;

    use super::*;
    use crate::api::run::load_run;
    use crate::browser::event_stream::{self, StreamEvent};
    use crate::browser::scroll_follow::keep_in_view;
    use crate::browser::{focus, refresh};
    use crate::model::run::RowKind;
    use crate::wire::Wire;

    const REFRESH_EVERY: Duration = Duration::from_millis(150);

    pub fn open(run: RunContext, connection: RwSignal<Connection>) {
        let is_refresh_scheduled = StoredValue::new(false);
        let url = move || {
            let (id, after) = (run.id.try_get_value()?, run.end_seq.try_get_untracked()?);
            Some(format!("/runs/{id}/live?after={after}"))
        };
        let handle = move |event| match event {
            StreamEvent::Opened => connection.set(Connection::Live),
            StreamEvent::Message(json) => {
                connection.set(Connection::Live);
                on_update(run, &json, is_refresh_scheduled);
            }
            StreamEvent::Upstream(state) => {
                connection.set(if state == "disconnected" { Connection::Stalled } else { Connection::Live });
            }
            StreamEvent::Lost => connection.set(Connection::Reconnecting),
            StreamEvent::Ended => {
                connection.set(Connection::Idle);
                spawn_local(load_end(run, connection));
            }
        };
        event_stream::open(Rc::new(url), Rc::new(handle));
    }

    fn on_update(run: RunContext, json: &str, is_refresh_scheduled: StoredValue<bool>) {
        let Some((seq, text)) = parse(json) else { return };
        run.end_seq.update(|end| *end = seq.max(*end));
        let is_replay = untrack(|| run.at().is_some());
        if is_replay || text.is_some_and(|text| append(run, seq, &text)) || is_refresh_scheduled.get_value() {
            return;
        }
        is_refresh_scheduled.set_value(true);
        let refresh = move || {
            if is_refresh_scheduled.try_set_value(false).is_none() {
                spawn_local(refresh(run));
            }
        };
        set_timeout(refresh, REFRESH_EVERY);
    }

    /// Loads the totals, which are known only after the end.
    async fn load_end(run: RunContext, connection: RwSignal<Connection>) {
        let (Some(id), Some(view)) = (run.id.try_get_value(), run.view.try_get_untracked()) else { return };
        if let Ok(page) = load_run(id, view).await.and_then(Wire::decode) {
            if !page.state.ended {
                connection.set(Connection::Stopped);
            }
            focus::restore_after(|| run.summary.set(page.run));
            run.end_seq.set(page.end_seq);
            // An older response may still be on its way.
            refresh(run).await;
        }
    }

    /// Returns an update's seq and, if it is text, the text.
    fn parse(json: &str) -> Option<(u64, Option<String>)> {
        let update: Value = serde_json::from_str(json).ok()?;
        let text = update.get("text").and_then(Value::as_str).map(str::to_owned);
        Some((update.get("seq")?.as_u64()?, text))
    }

    /// Appends text to the row that is being written. Returns false when the page has to be refreshed instead.
    fn append(run: RunContext, seq: u64, delta: &str) -> bool {
        // Text that the page state contains already is not appended again. After a gap the page is refreshed.
        let (known, continues) = run.state.with_untracked(|state| {
            let newest = state.window.rows.last().map(|row| &row.kind);
            let is_writing = matches!(newest, Some(RowKind::Text { writing: true, .. }));
            (seq <= state.last_seq, is_writing && seq == state.last_seq + 1)
        });
        if continues {
            keep_in_view(run);
            run.state.update(|state| {
                if let Some(RowKind::Text { text, .. }) = state.window.rows.last_mut().map(|row| &mut row.kind) {
                    text.push_str(delta);
                    state.last_seq = seq;
                }
            });
        }
        known || continues
    }
}
