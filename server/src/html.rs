//! HTML escaping and rendering.

use leptos::prelude::*;

/// Renders a view as a string. The page inserts it and never hydrates it.
pub fn render(view: impl IntoView) -> String {
    view.into_view().to_html()
}

/// Escapes text for use between tags and inside quoted attributes.
pub fn escape(text: &str) -> String {
    escape_text(text).replace('"', "&quot;").replace('\'', "&#39;")
}

/// Escapes text for use between tags.
pub fn escape_text(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
