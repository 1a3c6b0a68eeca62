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

    type OpenStream = StoredValue<Option<Stream>, LocalStorage>;

    /// The open stream and its handlers. Dropped when the reader leaves the page.
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
        let stream: OpenStream = StoredValue::new_local(None);
        // Effects run after hydration.
        Effect::new(move |_| connect(run, connection, stream));
        on_cleanup(move || {
            let _ = stream.try_update_value(Option::take);
        });
    }

    fn connect(run: RunContext, connection: RwSignal<Connection>, stream: OpenStream) {
        let (Some(id), Some(after)) = (run.id.try_get_value(), run.end_seq.try_get_untracked()) else { return };
        let Ok(source) = EventSource::new(&format!("/runs/{id}/live?after={after}")) else { return };
        let is_refresh_scheduled = StoredValue::new(false);
        let message = Closure::new(move |message: MessageEvent| {
            connection.set(Connection::Live);
            let Some((seq, text)) = message.data().as_string().and_then(|json| parse(&json)) else { return };
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
        });
        let end = Closure::new(move |_: MessageEvent| {
            connection.set(Connection::Idle);
            stream.set_value(None);
            let (id, view) = (run.id.get_value(), run.view.get_untracked());
            // Totals are known only now.
            spawn_local(async move {
                if let Ok(Wire(page)) = load_run(id, view).await {
                    if !page.state.ended {
                        connection.set(Connection::Stopped);
                    }
                    focus::restore_after(|| run.summary.set(page.run));
                    run.end_seq.set(page.end_seq);
                    // An older response may still be on its way.
                    refresh(run).await;
                }
            });
        });
        let lost = Closure::new(move |_: MessageEvent| {
            connection.set(Connection::Reconnecting);
            // Browsers reconnect by themselves, unless the server responded with an error.
            let is_closed = |stream: &Stream| stream.source.ready_state() == EventSource::CLOSED;
            if stream.with_value(|stream| stream.as_ref().is_some_and(is_closed)) {
                set_timeout(move || connect(run, connection, stream), RECONNECT_AFTER);
            }
        });
        let upstream = Closure::new(move |message: MessageEvent| {
            let is_disconnected = message.data().as_string().as_deref() == Some("disconnected");
            connection.set(if is_disconnected { Connection::Stalled } else { Connection::Live });
        });
        let opened = Closure::new(move |_: MessageEvent| connection.set(Connection::Live));
        source.set_onmessage(Some(message.as_ref().unchecked_ref()));
        source.set_onerror(Some(lost.as_ref().unchecked_ref()));
        source.set_onopen(Some(opened.as_ref().unchecked_ref()));
        let _ = source.add_event_listener_with_callback("end", end.as_ref().unchecked_ref());
        let _ = source.add_event_listener_with_callback("upstream", upstream.as_ref().unchecked_ref());
        stream.set_value(Some(Stream { source, _handlers: vec![message, end, lost, opened, upstream] }));
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
