//! Keeps the focus where it is when the part that has it is drawn anew.
//!
//! Parts that the server draws are replaced whole, and the browser forgets which of their links had the focus.

/// A link of a part that stays on the page.
#[cfg(feature = "hydrate")]
pub struct Focused {
    part: web_sys::Element,
    at: u32,
    text: Option<String>,
}

/// Where the focus is, if that is in such a part.
#[cfg(feature = "hydrate")]
pub fn focused() -> Option<Focused> {
    let link = leptos::prelude::document().active_element()?;
    let part = link.closest(".verdict, .banners, .row, .run-side").ok()??;
    let links = part.get_elements_by_tag_name("a");
    let at = (0..links.length()).find(|at| links.item(*at).as_ref() == Some(&link))?;
    Some(Focused { text: link.text_content(), part, at })
}

/// Once it is drawn: the focus goes to the link at the same place, or to the one that says the same.
#[cfg(feature = "hydrate")]
pub fn put_back(was: Focused) {
    use wasm_bindgen::JsCast;

    let document = leptos::prelude::document();
    let is_lost = document.active_element().is_none_or(|element| element.tag_name() == "BODY");
    if !is_lost {
        return;
    }
    let links = was.part.get_elements_by_tag_name("a");
    let says_same = |link: &web_sys::Element| link.text_content() == was.text;
    let same = (0..links.length()).filter_map(|at| links.item(at)).find(says_same);
    let link = links.item(was.at).filter(says_same).or(same).or_else(|| links.item(was.at));
    if let Some(link) = link.and_then(|link| link.dyn_into::<web_sys::HtmlElement>().ok()) {
        let _ = link.focus();
    }
}

#[cfg(not(feature = "hydrate"))]
pub struct Focused;

#[cfg(not(feature = "hydrate"))]
pub fn focused() -> Option<Focused> {
    None
}

#[cfg(not(feature = "hydrate"))]
pub fn put_back(_: Focused) {}
