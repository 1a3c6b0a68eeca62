//! The page of waiting calls in the browser: its stream, its keys, and the forms that were left before they were sent.

use leptos::prelude::*;

use crate::model::waiting::WaitingAddress;

/// Counts the changes of the list while the component is mounted.
pub fn watch_waiting(changes: RwSignal<u32>) {
    #[cfg(feature = "hydrate")]
    browser::watch(changes);
    #[cfg(not(feature = "hydrate"))]
    let _ = changes;
}

/// J and K open the next and the previous call, R goes to the form.
pub fn handle_waiting_keys() {
    #[cfg(feature = "hydrate")]
    Effect::new(|_| browser::handle_keys());
}

/// Shows the form of a call as it was left, or remembers the one that is shown.
pub fn keep_reply(call: &WaitingAddress) {
    #[cfg(feature = "hydrate")]
    browser::keep(call.href());
    #[cfg(not(feature = "hydrate"))]
    let _ = call;
}

/// Forgets the form of a call that was answered.
pub fn discard_reply(call: &WaitingAddress) {
    #[cfg(feature = "hydrate")]
    browser::discard(&call.href());
    #[cfg(not(feature = "hydrate"))]
    let _ = call;
}

/// Returns what was typed into the visible controls of the form that the event happened in.
pub fn typed_reply(event: &leptos::web_sys::Event) -> String {
    #[cfg(feature = "hydrate")]
    return browser::typed(event).unwrap_or_default();
    #[cfg(not(feature = "hydrate"))]
    {
        let _ = event;
        String::new()
    }
}

/// Returns true if the form on the page is filled in.
pub fn has_typed_reply() -> bool {
    #[cfg(feature = "hydrate")]
    return browser::has_typed();
    #[cfg(not(feature = "hydrate"))]
    false
}

/// Shows others that the viewer is writing an answer. Does nothing if this was done a moment ago.
pub fn note_writing(call: &WaitingAddress) {
    #[cfg(feature = "hydrate")]
    browser::note_writing(call);
    #[cfg(not(feature = "hydrate"))]
    let _ = call;
}

#[cfg(feature = "hydrate")]
mod browser {
    use std::cell::{Cell, RefCell};
    use std::rc::Rc;

    use domain::url::encode;
    use leptos::ev;
    use leptos::task::spawn_local;
    use wasm_bindgen::JsCast;
    use web_sys::js_sys::Reflect;
    use web_sys::{Element, FormData, HtmlElement, KeyboardEvent, NodeList, UrlSearchParams};

    use super::*;
    use crate::browser::clock::now_ms;
    use crate::browser::event_stream::{self, StreamEvent};
    use crate::browser::{focus, is_in_control, post};

    /// Others see who writes for some seconds after each note.
    const NOTE_EVERY_MS: u64 = 5_000;
    /// The oldest are of calls that no longer wait.
    const MAX_FORMS: usize = 50;
    const CONTROLS: &str = ".reply-controls";
    /// Hidden and preselected controls of the form.
    const NOT_TYPED: [&str; 4] = ["id=", "tool_use_id=", "page=", "as="];
    /// Controls to type into. Those of the kinds of reply that are not chosen have no size.
    const TYPED: &str = ":is(textarea, select, input:not([type=hidden], [type=radio]))";

    /// The beginning of the name of a control that is a field of the tool's result.
    const FIELD_PREFIX: &str = "field.";

    thread_local! {
        /// The controls of the calls that were shown, with what was typed. They outlive the page.
        static FORMS: RefCell<Vec<(String, Element)>> = const { RefCell::new(Vec::new()) };
        static NOTED_AT_MS: Cell<u64> = const { Cell::new(0) };
    }

    pub fn watch(changes: RwSignal<u32>) {
        let handle = move |event| {
            // When the stream has ended, so has the sign-in, and loading the list shows it.
            if matches!(event, StreamEvent::Message(_) | StreamEvent::Ended) {
                changes.update(|count| *count += 1);
            }
        };
        event_stream::open(Rc::new(|| Some("/waiting/live".to_owned())), Rc::new(handle));
    }

    pub fn handle_keys() {
        let keys = window_event_listener(ev::keydown, |event| {
            if event.ctrl_key() || event.meta_key() || event.alt_key() || is_in_control(&event) {
                return;
            }
            if let Some(target) = target(&event) {
                event.prevent_default();
                // The router replaces the entry in the history.
                let _ = Reflect::set(&target, &"replace".into(), &true.into());
                if target.tag_name() == "A" { target.click() } else { focus::focus(target.into()) }
            }
        });
        on_cleanup(move || keys.remove());
    }

    /// The link or the control that the key leads to.
    fn target(event: &KeyboardEvent) -> Option<HtmlElement> {
        let links = all(".waiting-list a[data-call]");
        let current = links.iter().position(|link| link.has_attribute("aria-current"));
        let element = match (event.key().as_str(), current) {
            ("j" | "k", None) => links.into_iter().next(),
            ("j", Some(at)) => links.into_iter().nth(at + 1),
            ("k", Some(at)) => links.into_iter().nth(at.checked_sub(1)?),
            ("r", _) => all(&format!("{CONTROLS} {TYPED}")).into_iter().find(is_visible),
            _ => None,
        };
        element?.dyn_into().ok()
    }

    pub fn typed(event: &web_sys::Event) -> Option<String> {
        let form = event.target()?.dyn_into::<Element>().ok()?.closest("form").ok()??;
        let text_of = |control: Element| {
            let text = Reflect::get(&control, &"value".into()).ok()?.as_string()?;
            if text.trim().is_empty() || !is_visible(&control) {
                return None;
            }
            let name = control.get_attribute("name").unwrap_or_default();
            Some(name.strip_prefix(FIELD_PREFIX).map(|field| format!("{field}: {text}")).unwrap_or(text))
        };
        let texts: Vec<String> = within(form.query_selector_all(TYPED)).into_iter().filter_map(text_of).collect();
        Some(texts.join("\n"))
    }

    fn is_visible(control: &Element) -> bool {
        control.get_bounding_client_rect().width() > 0.0
    }

    pub fn keep(call: String) {
        let Some(shown) = all(CONTROLS).into_iter().next() else { return };
        FORMS.with_borrow_mut(|forms| match forms.iter().find(|(known, _)| *known == call) {
            Some((_, kept)) if shown.is_same_node(Some(kept)) => {}
            Some((_, kept)) => {
                let _ = shown.replace_with_with_node_1(kept);
            }
            None => {
                if forms.len() >= MAX_FORMS {
                    forms.remove(0);
                }
                forms.push((call, shown));
            }
        });
    }

    pub fn discard(call: &str) {
        FORMS.with_borrow_mut(|forms| forms.retain(|(known, _)| known != call));
    }

    pub fn has_typed() -> bool {
        let form = all(CONTROLS).first().and_then(|controls| controls.closest("form").ok().flatten());
        let data = form.and_then(|form| FormData::new_with_form(form.unchecked_ref()).ok());
        let fields = data.and_then(|data| UrlSearchParams::new_with_str_sequence_sequence(&data).ok());
        let fields = fields.map(|fields| String::from(fields.to_string())).unwrap_or_default();
        let is_typed = |field: &str| !field.ends_with('=') && !NOT_TYPED.iter().any(|name| field.starts_with(name));
        fields.split('&').any(|field| !field.is_empty() && is_typed(field))
    }

    pub fn note_writing(call: &WaitingAddress) {
        let now = now_ms();
        let Some((run, call)) = call.named().filter(|_| NOTED_AT_MS.get() + NOTE_EVERY_MS <= now) else { return };
        NOTED_AT_MS.set(now);
        let body = format!("id={}&tool_use_id={}", encode(run), encode(call));
        spawn_local(async move {
            // If it fails, nobody sees it, and the answer can be sent all the same.
            let _ = post::browser::post("/rpc/writing-answer", body).await;
        });
    }

    fn all(selector: &str) -> Vec<Element> {
        within(document().query_selector_all(selector))
    }

    fn within(found: Result<NodeList, wasm_bindgen::JsValue>) -> Vec<Element> {
        let Ok(found) = found else { return Vec::new() };
        (0..found.length()).filter_map(|at| found.item(at)?.dyn_into().ok()).collect()
    }
}
