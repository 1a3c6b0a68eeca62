//! Restores the focus after a part of the page was replaced or removed.
//!
//! Parts that the server renders are replaced as a whole, so the browser loses the focused link.

/// Changes the page, then restores the focus if the change removed it.
pub fn restore_after(change: impl FnOnce()) {
    #[cfg(feature = "hydrate")]
    let focused = browser::focused();
    change();
    #[cfg(feature = "hydrate")]
    if let Some(focused) = focused {
        // In a separate task: otherwise the browser would lay out the page twice, which is slow for a large answer.
        leptos::prelude::request_animation_frame(move || {
            leptos::prelude::set_timeout(move || browser::restore(focused), std::time::Duration::ZERO);
        });
    }
}

/// Focuses the element with this id.
pub fn focus_element(id: &str) {
    #[cfg(feature = "hydrate")]
    browser::focus(leptos::prelude::document().get_element_by_id(id));
    #[cfg(not(feature = "hydrate"))]
    let _ = id;
}

/// Focuses an element.
#[cfg(feature = "hydrate")]
pub fn focus(element: web_sys::Element) {
    browser::focus(Some(element));
}

#[cfg(feature = "hydrate")]
mod browser {
    use leptos::prelude::document;
    use wasm_bindgen::JsCast;
    use web_sys::{Element, HtmlElement};

    /// The first control of the reply that is preselected.
    const REPLY_CONTROL: &str = ".answer-call :is(.reply-fields, .reply-text) :is(input, select, textarea)";

    /// The element that has the focus.
    pub enum Focused {
        /// A link inside a part that the server renders.
        Link { part: Element, index: u32, text: Option<String> },
        /// The reply box of a call.
        Reply { row: Element },
        /// The waiting call that is answered.
        Waiting,
        /// The form that cancels the run.
        Cancel,
    }

    pub fn focused() -> Option<Focused> {
        let element = document().active_element()?;
        let inside = |selector: &str| element.closest(selector).ok().flatten();
        if inside(".cancel-run").is_some() {
            return Some(Focused::Cancel);
        }
        if inside(".answer-call").is_some() {
            return inside(".row").map(|row| Focused::Reply { row });
        }
        if inside(".waiting-reply").is_some() {
            return Some(Focused::Waiting);
        }
        let part = inside(".findings, .row, .run-side, .waiting-list")?;
        let links = part.get_elements_by_tag_name("a");
        let index = (0..links.length()).find(|index| links.item(*index).as_ref() == Some(&element))?;
        Some(Focused::Link { text: element.text_content(), part, index })
    }

    /// Restores the focus if it was lost. A link is found again by its position or its text. From a reply box the focus
    /// moves to the unsent draft, to the next reply box, or to the call's row; on the page of waiting calls to the draft or to
    /// the list; from the cancel form to the run's status.
    pub fn restore(focused: Focused) {
        let is_hidden = |element: &Element| element.closest(".gone").is_ok_and(|gone| gone.is_some());
        let is_lost =
            document().active_element().is_none_or(|element| element.tag_name() == "BODY" || is_hidden(&element));
        if !is_lost {
            return;
        }
        let first = |selector: &str| document().query_selector(selector).ok().flatten();
        match focused {
            Focused::Link { part, index, text } => {
                let links = part.get_elements_by_tag_name("a");
                let has_same_text = |link: &Element| link.text_content() == text;
                let same = (0..links.length()).filter_map(|index| links.item(index)).find(has_same_text);
                focus(links.item(index).filter(has_same_text).or(same).or_else(|| links.item(index)));
            }
            Focused::Reply { row } => {
                let draft = row.query_selector("textarea").ok().flatten();
                let _ = row.set_attribute("tabindex", "-1");
                focus(draft.or_else(|| first(REPLY_CONTROL)).or(Some(row)));
            }
            Focused::Waiting => focus(first(".waiting-reply textarea").or_else(|| first(".waiting-list a"))),
            Focused::Cancel => focus(first(".run-status")),
        }
    }

    pub fn focus(element: Option<Element>) {
        if let Some(element) = element.and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
            let _ = element.focus();
        }
    }
}
