//! HTML escaping, for HTML that is not rendered by a view.

/// Escapes text for use between tags and inside quoted attributes.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;").replace('\'', "&#39;")
}
