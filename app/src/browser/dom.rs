//! Small DOM helpers. On the server they do nothing.

use leptos::prelude::*;

use crate::preferences::{RAIL_COOKIE, Rail, THEME_COOKIE, Theme};

const TOGGLE: &str = "a[aria-expanded]";

/// Lets the style sheet show controls that need JavaScript.
pub fn mark_scripted() {
    set_root_attribute("data-js", "");
}

/// Opens a URL with a full page load.
pub fn open(address: &str) {
    #[cfg(feature = "hydrate")]
    if let Some(window) = web_sys::window() {
        let _ = window.location().assign(address);
    }
    #[cfg(not(feature = "hydrate"))]
    let _ = address;
}

/// Downloads a file of this site.
pub fn download(path: &str) {
    #[cfg(feature = "hydrate")]
    if let Ok(link) = leptos::prelude::document().create_element("a") {
        use wasm_bindgen::JsCast;
        let _ = link.set_attribute("href", path);
        let _ = link.set_attribute("download", "");
        link.unchecked_into::<web_sys::HtmlElement>().click();
    }
    #[cfg(not(feature = "hydrate"))]
    let _ = path;
}

/// Sets `copied` on success.
pub fn copy_text(text: &str, copied: RwSignal<bool>) {
    #[cfg(feature = "hydrate")]
    copy_then(text, move || {
        copied.try_set(true);
    });
    #[cfg(not(feature = "hydrate"))]
    let _ = (text, copied);
}

/// Calls `then` on success. Browsers deny clipboard access on insecure origins.
#[cfg(feature = "hydrate")]
pub(super) fn copy_then(text: &str, then: impl FnOnce() + 'static) {
    if let Some(window) = web_sys::window() {
        let clipboard = window.navigator().clipboard();
        if clipboard.is_undefined() {
            return;
        }
        let written = wasm_bindgen_futures::JsFuture::from(clipboard.write_text(text));
        leptos::task::spawn_local(async move {
            if written.await.is_ok() {
                then();
            }
        });
    }
}

/// Copies the full URL of a path of this site.
pub fn copy_link(path: &str, copied: RwSignal<bool>) {
    #[cfg(feature = "hydrate")]
    if let Some(origin) = web_sys::window().and_then(|window| window.location().origin().ok()) {
        copy_text(&format!("{origin}{path}"), copied);
    }
    #[cfg(not(feature = "hydrate"))]
    let _ = (path, copied);
}

pub fn apply_theme(theme: Theme) {
    set_root_attribute("data-theme", theme.as_str());
    set_cookie(THEME_COOKIE, theme.as_str());
}

pub fn apply_rail(rail: Rail) {
    set_root_attribute("data-rail", rail.as_str());
    set_cookie(RAIL_COOKIE, rail.as_str());
}

/// Scrolls to an event and highlights its row. With `focus`, the row gets the focus, or the reply box of a call that waits
/// for an answer.
pub fn scroll_to_event(seq: u64, focus: bool) {
    #[cfg(feature = "hydrate")]
    if let Some(element) = leptos::prelude::document().get_element_by_id(&format!("e{seq}")) {
        use wasm_bindgen::JsCast;

        let options = web_sys::ScrollIntoViewOptions::new();
        options.set_block(web_sys::ScrollLogicalPosition::Center);
        element.scroll_into_view_with_scroll_into_view_options(&options);
        clear_class("focused");
        let _ = element.class_list().add_1("focused");
        if focus {
            let _ = element.set_attribute("tabindex", "-1");
            let target = element.query_selector("textarea").ok().flatten().unwrap_or(element);
            if let Ok(target) = target.dyn_into::<web_sys::HtmlElement>() {
                let _ = target.focus();
            }
        }
    }
    #[cfg(not(feature = "hydrate"))]
    let _ = (seq, focus);
}

/// Returns true if the key was pressed in an element that handles it itself.
pub fn is_in_control(event: &leptos::web_sys::KeyboardEvent) -> bool {
    let links = if event.key() == "Enter" { ", a" } else { "" };
    // A checkbox takes no text, and a button only these keys.
    let (input, buttons) = match event.key().as_str() {
        "Enter" | " " => ("input", ", button, summary"),
        _ => ("input:not([type=checkbox])", ""),
    };
    closest(event, &format!("{input}, textarea, select, dialog, [contenteditable]{buttons}{links}")).is_some()
}

/// Returns true if the key was pressed in an element that it scrolls.
pub fn is_in_scrolled(event: &leptos::web_sys::KeyboardEvent) -> bool {
    closest(event, "[tabindex='0']").is_some()
}

/// Returns true if the click was on an interactive element.
pub fn is_on_control(event: &leptos::web_sys::MouseEvent) -> bool {
    closest(event, "a, button, input, summary").is_some()
}

/// Returns true if the key was pressed on a link that opens or closes a row.
pub fn is_on_toggle(event: &leptos::web_sys::KeyboardEvent) -> bool {
    closest(event, TOGGLE).is_some()
}

/// Clicks that link, once per key press.
pub fn press_toggle(event: &leptos::web_sys::KeyboardEvent) {
    #[cfg(feature = "hydrate")]
    if let Some(link) = closest(event, TOGGLE).filter(|_| !event.repeat()) {
        use wasm_bindgen::JsCast;
        link.unchecked_into::<web_sys::HtmlElement>().click();
    }
    #[cfg(not(feature = "hydrate"))]
    let _ = event;
}

/// Sends the form of a text box by Ctrl Enter or ⌘ Enter.
pub fn send_on_ctrl_enter(event: &leptos::web_sys::KeyboardEvent) {
    #[cfg(feature = "hydrate")]
    if event.key() == "Enter"
        && (event.ctrl_key() || event.meta_key())
        && let Some(form) = closest(event, "form")
    {
        use wasm_bindgen::JsCast;
        event.prevent_default();
        let _ = form.unchecked_into::<web_sys::HtmlFormElement>().request_submit();
    }
    #[cfg(not(feature = "hydrate"))]
    let _ = event;
}

/// Divides the element into equal parts from left to right, and returns the index of the part under the pointer.
pub fn part_under(event: &leptos::web_sys::MouseEvent, parts: u64) -> Option<u64> {
    #[cfg(feature = "hydrate")]
    {
        use wasm_bindgen::JsCast;
        let area = event.current_target()?.dyn_into::<web_sys::Element>().ok()?.get_bounding_client_rect();
        let part = (f64::from(event.client_x()) - area.left()) / area.width().max(1.0) * parts as f64;
        Some((part as u64).min(parts.checked_sub(1)?))
    }
    #[cfg(not(feature = "hydrate"))]
    {
        let _ = (event, parts);
        None
    }
}

/// Returns the chart slot under the pointer.
pub fn slot_under(event: &leptos::web_sys::MouseEvent) -> Option<usize> {
    closest(event, "[data-slot]")?.get_attribute("data-slot")?.parse().ok()
}

/// Returns true if the tab is in the background.
pub fn is_hidden() -> bool {
    cfg!(feature = "hydrate") && leptos::prelude::document().hidden()
}

pub(super) fn closest(event: &leptos::web_sys::Event, selector: &str) -> Option<leptos::web_sys::Element> {
    #[cfg(feature = "hydrate")]
    {
        use wasm_bindgen::JsCast;
        event.target()?.dyn_into::<web_sys::Element>().ok()?.closest(selector).ok().flatten()
    }
    #[cfg(not(feature = "hydrate"))]
    {
        let _ = (event, selector);
        None
    }
}

#[cfg(feature = "hydrate")]
fn clear_class(name: &str) {
    let found = leptos::prelude::document().get_elements_by_class_name(name);
    // The collection is live: it shrinks when the class is removed.
    while let Some(element) = found.item(0) {
        let _ = element.class_list().remove_1(name);
    }
}

fn set_root_attribute(name: &str, value: &str) {
    #[cfg(feature = "hydrate")]
    if let Some(root) = leptos::prelude::document().document_element() {
        let _ = root.set_attribute(name, value);
    }
    #[cfg(not(feature = "hydrate"))]
    let _ = (name, value);
}

fn set_cookie(name: &str, value: &str) {
    #[cfg(feature = "hydrate")]
    {
        use wasm_bindgen::JsCast;
        if let Ok(html) = leptos::prelude::document().dyn_into::<web_sys::HtmlDocument>() {
            let _ = html.set_cookie(&format!("{name}={value}; Path=/; Max-Age=31536000; SameSite=Lax"));
        }
    }
    #[cfg(not(feature = "hydrate"))]
    let _ = (name, value);
}
