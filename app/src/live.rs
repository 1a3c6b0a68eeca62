//! What only a browser can do: follow a run live, copy, and change the frame at once. On the server these do nothing.

use leptos::prelude::*;
use protocol::Timeline;

use crate::model::RunSummary;
use crate::preferences::{Rail, Theme};

/// How the stream of a run in progress stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Connection {
    #[default]
    Idle,
    Live,
    Reconnecting,
}

impl Connection {
    pub fn notice(self) -> Option<&'static str> {
        match self {
            Self::Idle => None,
            Self::Live => Some("Live: new events appear as they happen."),
            Self::Reconnecting => Some("The live connection was lost. Reconnecting; nothing is lost."),
        }
    }
}

#[cfg(feature = "hydrate")]
pub use browser::{apply_rail, apply_theme, copy_text, follow_run, mark_scripted};

#[cfg(not(feature = "hydrate"))]
mod server {
    use super::*;

    pub fn follow_run(_: RwSignal<RunSummary>, _: RwSignal<Timeline>, _: RwSignal<Connection>) {}
    pub fn copy_text(_: &str) {}
    pub fn apply_theme(_: Theme) {}
    pub fn apply_rail(_: Rail) {}
}
#[cfg(not(feature = "hydrate"))]
pub use server::{apply_rail, apply_theme, copy_text, follow_run};

#[cfg(feature = "hydrate")]
mod browser {
    use leptos::task::spawn_local;
    use protocol::Event;
    use wasm_bindgen::JsCast;
    use wasm_bindgen::closure::Closure;
    use web_sys::{EventSource, MessageEvent};

    use super::*;
    use crate::api::runs::open_run;
    use crate::preferences::{RAIL_COOKIE, THEME_COOKIE};

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

    /// Follows a run that has not ended, from the last event the page has.
    pub fn follow_run(run: RwSignal<RunSummary>, timeline: RwSignal<Timeline>, connection: RwSignal<Connection>) {
        let kept: StoredValue<Option<Stream>, LocalStorage> = StoredValue::new_local(None);
        // Effects run after hydration, when the page is the server's no more.
        Effect::new(move |_| {
            if timeline.with_untracked(|timeline| timeline.outcome.is_some()) {
                return;
            }
            let after = timeline.with_untracked(Timeline::last_seq);
            let id = run.with_untracked(|run| run.id.clone());
            let Ok(source) = EventSource::new(&format!("/runs/{id}/live?after={after}")) else { return };
            let close = move || {
                connection.set(Connection::Idle);
                kept.set_value(None);
            };
            let message = Closure::new(move |message: MessageEvent| {
                connection.set(Connection::Live);
                let Some(event) = message.data().as_string().and_then(|json| Event::parse(&json).ok()) else { return };
                timeline.update(|timeline| {
                    timeline.apply(&event);
                });
            });
            let end = Closure::new(move |_: MessageEvent| {
                close();
                let id = run.with_untracked(|run| run.id.clone());
                // Totals are known only now.
                spawn_local(async move {
                    if let Ok(page) = open_run(id).await {
                        run.set(page.run);
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

    /// Lets the styles show what needs scripts.
    pub fn mark_scripted() {
        set_root_attribute("data-js", "");
    }

    pub fn copy_text(text: &str) {
        if let Some(window) = web_sys::window() {
            let _ = window.navigator().clipboard().write_text(text);
        }
    }

    pub fn apply_theme(theme: Theme) {
        set_root_attribute("data-theme", theme.as_str());
        set_cookie(THEME_COOKIE, theme.as_str());
    }

    pub fn apply_rail(rail: Rail) {
        set_root_attribute("data-rail", rail.as_str());
        set_cookie(RAIL_COOKIE, rail.as_str());
    }

    fn set_root_attribute(name: &str, value: &str) {
        if let Some(root) = document().document_element() {
            let _ = root.set_attribute(name, value);
        }
    }

    fn set_cookie(name: &str, value: &str) {
        if let Ok(html) = document().dyn_into::<web_sys::HtmlDocument>() {
            let _ = html.set_cookie(&format!("{name}={value}; Path=/; Max-Age=31536000; SameSite=Lax"));
        }
    }
}
