//! Small things that a page asks of the browser. On the server they do nothing.

use leptos::prelude::*;

use crate::preferences::{RAIL_COOKIE, Rail, THEME_COOKIE, Theme};

const TOGGLE: &str = "a[aria-expanded]";

/// Lets the styles show what needs scripts.
pub fn mark_scripted() {
    set_root_attribute("data-js", "");
}

/// Leaves for another address, as the browser itself would.
pub fn open(address: &str) {
    #[cfg(feature = "hydrate")]
    if let Some(window) = web_sys::window() {
        let _ = window.location().assign(address);
    }
    #[cfg(not(feature = "hydrate"))]
    let _ = address;
}

/// `copied` tells when it was done. Browsers refuse it without asking where the address is not a safe one.
pub fn copy_text(text: &str, copied: RwSignal<bool>) {
    #[cfg(feature = "hydrate")]
    if let Some(window) = web_sys::window() {
        let clipboard = window.navigator().clipboard();
        if clipboard.is_undefined() {
            return;
        }
        let written = wasm_bindgen_futures::JsFuture::from(clipboard.write_text(text));
        leptos::task::spawn_local(async move {
            if written.await.is_ok() {
                copied.try_set(true);
            }
        });
    }
    #[cfg(not(feature = "hydrate"))]
    let _ = (text, copied);
}

/// Copies a path of this site as a whole address.
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

/// Brings a run's event into view and marks its row. With `go`, the keyboard goes on from there: in the reply box of a call
/// that waits for an answer, else at the row.
pub fn scroll_to_event(seq: u64, go: bool) {
    #[cfg(feature = "hydrate")]
    if let Some(element) = leptos::prelude::document().get_element_by_id(&format!("e{seq}")) {
        use wasm_bindgen::JsCast;

        let options = web_sys::ScrollIntoViewOptions::new();
        options.set_block(web_sys::ScrollLogicalPosition::Center);
        element.scroll_into_view_with_scroll_into_view_options(&options);
        clear_class("focused");
        let _ = element.class_list().add_1("focused");
        if go {
            let _ = element.set_attribute("tabindex", "-1");
            let target = element.query_selector("textarea").ok().flatten().unwrap_or(element);
            if let Ok(target) = target.dyn_into::<web_sys::HtmlElement>() {
                let _ = target.focus();
            }
        }
    }
    #[cfg(not(feature = "hydrate"))]
    let _ = (seq, go);
}

/// Whether a key was pressed in something that has its own use for it.
pub fn is_in_control(event: &leptos::web_sys::KeyboardEvent) -> bool {
    let links = if event.key() == "Enter" { ", a" } else { "" };
    closest(event, &format!("input, textarea, select, button, summary, dialog, [contenteditable]{links}")).is_some()
}

/// Whether a key was pressed in something that it scrolls.
pub fn is_in_scrolled(event: &leptos::web_sys::KeyboardEvent) -> bool {
    closest(event, "[tabindex='0']").is_some()
}

/// Whether a click was on something that does something itself.
pub fn is_on_control(event: &leptos::web_sys::MouseEvent) -> bool {
    closest(event, "a, button, input, summary").is_some()
}

/// Whether a key was pressed on a link that opens and closes a row.
pub fn is_on_toggle(event: &leptos::web_sys::KeyboardEvent) -> bool {
    closest(event, TOGGLE).is_some()
}

/// Follows that link, once for each press of the key.
pub fn press_toggle(event: &leptos::web_sys::KeyboardEvent) {
    #[cfg(feature = "hydrate")]
    if let Some(link) = closest(event, TOGGLE).filter(|_| !event.repeat()) {
        use wasm_bindgen::JsCast;
        link.unchecked_into::<web_sys::HtmlElement>().click();
    }
    #[cfg(not(feature = "hydrate"))]
    let _ = event;
}

/// In which of so many equal parts of the element, from left to right, the pointer is.
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

/// Which slot of a chart the pointer is over.
pub fn slot_under(event: &leptos::web_sys::MouseEvent) -> Option<usize> {
    closest(event, "[data-slot]")?.get_attribute("data-slot")?.parse().ok()
}

/// Whether nobody can see the page.
pub fn is_hidden() -> bool {
    cfg!(feature = "hydrate") && leptos::prelude::document().hidden()
}

fn closest(event: &leptos::web_sys::Event, selector: &str) -> Option<leptos::web_sys::Element> {
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
    // The list is live: it shrinks as the class goes.
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
