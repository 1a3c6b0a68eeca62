//! Text inside a `<textarea>`.

/// Leptos writes what stands in a `<textarea>` into the page as it is; so on the server text is escaped here, and in the
/// browser, which sets a text, it is not. A parser takes a first line end away, so one is given to take.
pub fn area_text(text: &str) -> String {
    if cfg!(feature = "ssr") {
        format!("\n{}", text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;"))
    } else {
        text.to_owned()
    }
}
