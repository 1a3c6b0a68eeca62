//! A page outside the app: plain HTML with the site's styles, without scripts.

use std::fmt::Write;

use axum::response::Html;

use super::problem::STYLESHEET;
use crate::html::escape;

/// A card with a heading. `body` is HTML.
pub fn plain_page(title: &str, heading: &str, body: &str) -> Html<String> {
    let mut page = String::from("<!DOCTYPE html><html lang=\"en\"><head><meta charset=\"utf-8\">");
    page.push_str("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">");
    page.push_str("<link rel=\"icon\" href=\"/favicon.svg\" type=\"image/svg+xml\">");
    let _ = write!(page, "<title>{} · Runlens</title>", escape(title));
    if let Some(href) = STYLESHEET.get() {
        let _ = write!(page, "<link rel=\"stylesheet\" href=\"{}\">", escape(href));
    }
    let _ = write!(
        page,
        "</head><body class=\"standalone\"><main class=\"card\"><div class=\"brand\">Runlens</div><h1>{}</h1>{body}</main></body>\
         </html>",
        escape(heading)
    );
    Html(page)
}
