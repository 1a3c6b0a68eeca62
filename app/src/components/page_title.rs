//! The document's title. A run's name is part of it, and leptos_meta writes a title into the page as it is.

use leptos::prelude::*;
use leptos_meta::Title;

#[component]
pub fn PageTitle(#[prop(into)] text: String) -> impl IntoView {
    view! { <Title text=for_this_side(text) /> }
}

/// The server writes HTML, where text must be escaped; the browser sets a text, where it must not.
fn for_this_side(text: String) -> String {
    if cfg!(feature = "ssr") { text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;") } else { text }
}
