//! Text inside a `<textarea>`.

/// Prepares text for a `<textarea>`. Leptos writes the content without escaping on the server, so it is escaped there;
/// the browser sets it as text. HTML parsers drop a leading line break, so one is added.
pub fn textarea_content(text: &str) -> String {
    if cfg!(feature = "ssr") {
        format!("\n{}", text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;"))
    } else {
        text.to_owned()
    }
}
