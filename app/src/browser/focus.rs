//! Keeps the focus where it is when the part that has it is drawn anew, and takes it on when that part goes.
//!
//! Parts that the server draws are replaced whole, and the browser forgets which of their links had the focus.

/// Changes the page, and sees to the focus once that is drawn.
pub fn keep(change: impl FnOnce()) {
    #[cfg(feature = "hydrate")]
    let focused = browser::focused();
    change();
    #[cfg(feature = "hydrate")]
    if let Some(focused) = focused {
        // In a task of its own: before that the browser would lay out the page twice, which takes long where a large answer
        // was opened.
        leptos::prelude::request_animation_frame(move || {
            leptos::prelude::set_timeout(move || browser::put_back(focused), std::time::Duration::ZERO);
        });
    }
}

/// Gives it to an element that can have it.
pub fn give(id: &str) {
    #[cfg(feature = "hydrate")]
    browser::focus(leptos::prelude::document().get_element_by_id(id));
    #[cfg(not(feature = "hydrate"))]
    let _ = id;
}

#[cfg(feature = "hydrate")]
mod browser {
    use leptos::prelude::document;
    use wasm_bindgen::JsCast;
    use web_sys::{Element, HtmlElement};

    /// Where the focus is.
    pub enum Focused {
        /// A link of a part that stays on the page.
        Link { part: Element, at: u32, text: Option<String> },
        /// The reply box of a call, in its row.
        Reply { row: Element },
        /// The question whether to cancel the run.
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
        let part = inside(".verdict, .banners, .row, .run-side")?;
        let links = part.get_elements_by_tag_name("a");
        let at = (0..links.length()).find(|at| links.item(*at).as_ref() == Some(&element))?;
        Some(Focused::Link { text: element.text_content(), part, at })
    }

    /// If it was lost: to the link at the same place, or to the one that says the same; from a reply box to what was left in
    /// it, to the next one, or to its call; from a run that was cancelled to its status.
    pub fn put_back(was: Focused) {
        let is_lost = document().active_element().is_none_or(|element| element.tag_name() == "BODY");
        if !is_lost {
            return;
        }
        let first = |selector: &str| document().query_selector(selector).ok().flatten();
        match was {
            Focused::Link { part, at, text } => {
                let links = part.get_elements_by_tag_name("a");
                let says_same = |link: &Element| link.text_content() == text;
                let same = (0..links.length()).filter_map(|at| links.item(at)).find(says_same);
                focus(links.item(at).filter(says_same).or(same).or_else(|| links.item(at)));
            }
            Focused::Reply { row } => {
                let left = row.query_selector("textarea").ok().flatten();
                let _ = row.set_attribute("tabindex", "-1");
                focus(left.or_else(|| first(".answer-call textarea")).or(Some(row)));
            }
            Focused::Cancel => focus(first(".run-status")),
        }
    }

    pub fn focus(element: Option<Element>) {
        if let Some(element) = element.and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
            let _ = element.focus();
        }
    }
}
