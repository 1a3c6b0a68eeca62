//! HTML escaping.

/// Escapes text for use between tags and inside quoted attributes.
pub fn escape(text: &str) -> String {
    escape_text(text).replace('"', "&quot;").replace('\'', "&#39;")
}

/// Escapes text for use between tags.
pub fn escape_text(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
