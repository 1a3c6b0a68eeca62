//! Closes popovers: `details` elements with the attribute `data-popover`. One is open at a time. A click outside, a link
//! or a filled-in form inside, and Escape close it.

/// Watches all popovers of the site. Called once, by the frame around every page.
pub fn close_popovers() {
    #[cfg(feature = "hydrate")]
    leptos::prelude::Effect::new(|_| browser::watch());
}

#[cfg(feature = "hydrate")]
mod browser {
    use leptos::ev;
    use leptos::prelude::*;
    use wasm_bindgen::JsCast;
    use web_sys::{Element, Event, HtmlElement};

    pub fn watch() {
        let click = window_event_listener(ev::click, |event| close_after(&event));
        let submit = window_event_listener(ev::submit, |event| close_after(&event));
        let keys = window_event_listener(ev::keydown, |event| {
            if event.key() == "Escape" && close(&|_| true) {
                // Only the popover closes, not also the panel behind it.
                event.stop_immediate_propagation();
            }
        });
        on_cleanup(move || {
            click.remove();
            submit.remove();
            keys.remove();
        });
    }

    /// Closes the popovers that a click or a submitted form leaves.
    fn close_after(event: &Event) {
        let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        // A form that is posted shows its result in the popover.
        let leaves = target.as_ref().is_some_and(|target| {
            let is_get_form = target.matches("form:not([method=post])").unwrap_or(false);
            is_get_form || target.closest("a").ok().flatten().is_some()
        });
        close(&|popover| leaves || !popover.contains(target.as_ref().map(AsRef::as_ref)));
    }

    /// Closes the open popovers that `which` selects. The focus moves from inside a popover to its button. Returns
    /// whether one was closed.
    fn close(which: &dyn Fn(&Element) -> bool) -> bool {
        let Ok(open) = document().query_selector_all("details[data-popover][open]") else { return false };
        let mut is_any = false;
        for popover in (0..open.length()).filter_map(|at| open.item(at)?.dyn_into::<Element>().ok()) {
            if !which(&popover) {
                continue;
            }
            is_any = true;
            let has_focus = popover.contains(document().active_element().as_ref().map(AsRef::as_ref));
            let _ = popover.remove_attribute("open");
            let button = popover.query_selector("summary").ok().flatten().filter(|_| has_focus);
            if let Some(button) = button.and_then(|button| button.dyn_into::<HtmlElement>().ok()) {
                let _ = button.focus();
            }
        }
        is_any
    }
}
