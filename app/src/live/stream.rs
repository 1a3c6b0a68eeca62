//! The stream of a run in progress.

use leptos::prelude::*;

use super::{Connection, Following};
use crate::model::Live;
use crate::pages::run::Run;

/// Follows a run that has not ended, from the last event the page has.
pub fn follow_run(run: Run, live: Live, connection: RwSignal<Connection>) -> Following {
    let following = Following {
        timeline: StoredValue::new(live.timeline),
        spec: StoredValue::new(live.spec),
        grown: Trigger::new(),
        ended: RwSignal::new(false),
    };
    #[cfg(feature = "hydrate")]
    browser::open(run, following, connection);
    #[cfg(not(feature = "hydrate"))]
    let _ = (run, connection);
    following
}

#[cfg(feature = "hydrate")]
mod browser {
    use leptos::task::spawn_local;
    use protocol::{Event, Timeline};
    use wasm_bindgen::JsCast;
    use wasm_bindgen::closure::Closure;
    use web_sys::{EventSource, MessageEvent};

    use super::*;
    use crate::api::runs::open_run;

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

    pub fn open(run: Run, following: Following, connection: RwSignal<Connection>) {
        let kept: StoredValue<Option<Stream>, LocalStorage> = StoredValue::new_local(None);
        // Effects run after hydration, when the page is the server's no more.
        Effect::new(move |_| {
            let after = following.timeline.with_value(Timeline::last_seq);
            let id = run.id.get_value();
            let Ok(source) = EventSource::new(&format!("/runs/{id}/live?after={after}")) else { return };
            let frame_asked = StoredValue::new(false);
            let message = Closure::new(move |message: MessageEvent| {
                connection.set(Connection::Live);
                let Some(event) = message.data().as_string().and_then(|json| Event::parse(&json).ok()) else { return };
                following.timeline.update_value(|timeline| {
                    timeline.apply(&event);
                });
                // Events may come faster than anybody can see.
                if !frame_asked.get_value() {
                    frame_asked.set_value(true);
                    request_animation_frame(move || {
                        let _ = frame_asked.try_set_value(false);
                        following.grown.notify();
                    });
                }
            });
            let end = Closure::new(move |_: MessageEvent| {
                connection.set(Connection::Idle);
                kept.set_value(None);
                let (id, view) = (run.id.get_value(), run.view.get_untracked());
                // Totals are known only now.
                spawn_local(async move {
                    if let Ok(page) = open_run(id, view).await {
                        run.summary.set(page.run);
                        run.end_seq.set(page.end_seq);
                        run.state.set(page.state);
                        following.ended.set(true);
                    }
                });
            });
            let lost = Closure::new(move |_: MessageEvent| connection.set(Connection::Reconnecting));
            let opened = Closure::new(move |_: MessageEvent| connection.set(Connection::Live));
            source.set_onmessage(Some(message.as_ref().unchecked_ref()));
            source.set_onerror(Some(lost.as_ref().unchecked_ref()));
            source.set_onopen(Some(opened.as_ref().unchecked_ref()));
            let _ = source.add_event_listener_with_callback("end", end.as_ref().unchecked_ref());
            kept.set_value(Some(Stream { source, _handlers: vec![message, end, lost, opened] }));
        });
        on_cleanup(move || {
            let _ = kept.try_update_value(Option::take);
        });
    }
}
