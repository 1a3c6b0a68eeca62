//! Renders a sentence in which backticks mark code.

use leptos::prelude::*;

use crate::plain_text::visible;

#[component]
pub fn CodeWords(text: String) -> impl IntoView {
    let text = visible(&text).into_owned();
    let parts: Vec<&str> = text.split('`').collect();
    // Unpaired backticks are shown as text.
    if parts.len().is_multiple_of(2) {
        return text.clone().into_any();
    }
    let render = |(i, part): (usize, &&str)| {
        let part = (*part).to_owned();
        if i % 2 == 1 { view! { <code>{part}</code> }.into_any() } else { part.into_any() }
    };
    // Leptos renders an empty text as a space.
    let is_shown = |(i, part): &(usize, &&str)| i % 2 == 1 || !part.is_empty();
    parts.iter().enumerate().filter(is_shown).map(render).collect_view().into_any()
}
