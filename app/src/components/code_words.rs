//! A sentence with names in backticks, drawn as code.

use leptos::prelude::*;

use crate::plain_text::visible;

#[component]
pub fn CodeWords(text: String) -> impl IntoView {
    let text = visible(&text).into_owned();
    let parts: Vec<&str> = text.split('`').collect();
    // An odd number of backticks is no pair: then they are text.
    if parts.len().is_multiple_of(2) {
        return text.clone().into_any();
    }
    let draw = |(i, part): (usize, &&str)| {
        let part = (*part).to_owned();
        if i % 2 == 1 { view! { <code>{part}</code> }.into_any() } else { part.into_any() }
    };
    parts.iter().enumerate().map(draw).collect_view().into_any()
}
