//! Text of the model: as Markdown, or raw.

use leptos::prelude::*;

use super::{Links, html};
use app::plain_text::visible;

pub fn text_html(text: &str, links: Links<'_>) -> String {
    if links.view.raw {
        html(view! { <p class="prose raw">{visible(text).into_owned()}</p> })
    } else {
        crate::markdown::render(text)
    }
}
