//! The document's title. leptos_meta writes it into the HTML without escaping, and it can contain a run's name.

use leptos::prelude::*;
use leptos_meta::Title;

#[component]
pub fn PageTitle(#[prop(into)] text: String) -> impl IntoView {
    view! { <Title text=escape_on_server(text) /> }
}

/// Escapes the text on the server, which writes HTML. The browser sets it as text, so there it stays unescaped.
fn escape_on_server(text: String) -> String {
    if cfg!(feature = "ssr") { text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;") } else { text }
}
