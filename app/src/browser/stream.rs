//! The stream of a run in progress.
//!
//! Text is added to its row as it comes. Everything else changes more than one row: then the server, which folds the
//! same events, is asked for the new state, a few times a second at most.

use leptos::prelude::*;

use super::Connection;
use crate::browser::RunContext;

/// Follows a run that has not ended, from the last event the page has.
pub fn follow_run(run: RunContext, connection: RwSignal<Connection>) {
    #[cfg(feature = "hydrate")]
    browser::open(run, connection);
    #[cfg(not(feature = "hydrate"))]
    let _ = (run, connection);
}

#[cfg(feature = "hydrate")]
mod browser {
    use std::time::Duration;

    use leptos::task::spawn_local;
    use serde_json::Value;
    use wasm_bindgen::JsCast;
    use wasm_bindgen::closure::Closure;
    use web_sys::{EventSource, MessageEvent};

    use super::*;
    use crate::api::run::load_run;
    use crate::browser::scroll_follow::keep_in_view;
    use crate::browser::{focus, refresh};
    use crate::model::run::RowKind;
    use crate::wire::Wire;

    const REFRESH_EVERY: Duration = Duration::from_millis(150);
    const RECONNECT_AFTER: Duration = Duration::from_secs(3);

    type Kept = StoredValue<Option<Stream>, LocalStorage>;

    /// The stream and its handlers, kept until the page is left.
    struct Stream {
        source: EventSource,
        _handlers: Vec<Closure<dyn FnMut(MessageEvent)>>,
    }

    impl Drop for Stream {
        fn drop(&mut self) {
            self.source.close();
        }
    }

    pub fn open(run: RunContext, connection: RwSignal<Connection>) {
        let kept: Kept = StoredValue::new_local(None);
        // Effects run after hydration, when the page is the server's no more.
        Effect::new(move |_| connect(run, connection, kept));
        on_cleanup(move || {
            let _ = kept.try_update_value(Option::take);
        });
    }

    fn connect(run: RunContext, connection: RwSignal<Connection>, kept: Kept) {
        let (Some(id), Some(after)) = (run.id.try_get_value(), run.end_seq.try_get_untracked()) else { return };
        let Ok(source) = EventSource::new(&format!("/runs/{id}/live?after={after}")) else { return };
        let waiting = StoredValue::new(false);
        let message = Closure::new(move |message: MessageEvent| {
            connection.set(Connection::Live);
            let Some((seq, event)) = message.data().as_string().and_then(|json| read(&json)) else { return };
            run.end_seq.update(|end| *end = seq.max(*end));
            let is_past = untrack(|| run.at().is_some());
            if is_past || append(run, seq, &event) || waiting.get_value() {
                return;
            }
            waiting.set_value(true);
            let refresh = move || {
                if waiting.try_set_value(false).is_none() {
                    spawn_local(refresh(run));
                }
            };
            set_timeout(refresh, REFRESH_EVERY);
        });
        let end = Closure::new(move |_: MessageEvent| {
            connection.set(Connection::Idle);
            kept.set_value(None);
            let (id, view) = (run.id.get_value(), run.view.get_untracked());
            // Totals are known only now.
            spawn_local(async move {
                if let Ok(Wire(page)) = load_run(id, view).await {
                    if !page.state.ended {
                        connection.set(Connection::Stopped);
                    }
                    focus::keep(|| run.summary.set(page.run));
                    run.end_seq.set(page.end_seq);
                    // An older answer may still be on its way.
                    refresh(run).await;
                }
            });
        });
        let lost = Closure::new(move |_: MessageEvent| {
            connection.set(Connection::Reconnecting);
            // Browsers come again by themselves, unless the server answered with an error.
            let gave_up = |stream: &Stream| stream.source.ready_state() == EventSource::CLOSED;
            if kept.with_value(|kept| kept.as_ref().is_some_and(gave_up)) {
                set_timeout(move || connect(run, connection, kept), RECONNECT_AFTER);
            }
        });
        let upstream = Closure::new(move |message: MessageEvent| {
            let broken = message.data().as_string().as_deref() == Some("broken");
            connection.set(if broken { Connection::Stalled } else { Connection::Live });
        });
        let opened = Closure::new(move |_: MessageEvent| connection.set(Connection::Live));
        source.set_onmessage(Some(message.as_ref().unchecked_ref()));
        source.set_onerror(Some(lost.as_ref().unchecked_ref()));
        source.set_onopen(Some(opened.as_ref().unchecked_ref()));
        let _ = source.add_event_listener_with_callback("end", end.as_ref().unchecked_ref());
        let _ = source.add_event_listener_with_callback("upstream", upstream.as_ref().unchecked_ref());
        kept.set_value(Some(Stream { source, _handlers: vec![message, end, lost, opened, upstream] }));
    }

    /// The event and its seq. More of it is read on the server, where all the code for that is.
    fn read(json: &str) -> Option<(u64, Value)> {
        let event: Value = serde_json::from_str(json).ok()?;
        Some((event.get("seq")?.as_u64()?, event))
    }

    /// Adds text to the row that is being written. `false` where the event is anything else.
    fn append(run: RunContext, seq: u64, event: &Value) -> bool {
        let Some(delta) = event.get("data").and_then(|data| data.get("text")?.as_str()) else { return false };
        if event.get("type").and_then(Value::as_str) != Some("assistant_delta") {
            return false;
        }
        // What the server's answer had already is not added again; after a gap the server is asked.
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
