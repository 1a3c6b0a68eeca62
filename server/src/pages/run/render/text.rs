//! What the model wrote: as Markdown, or as it is.

use leptos::prelude::*;

use super::{Links, html};
use crate::components::markdown::Markdown;
use crate::plain_text::visible;

pub fn prose(text: &str, links: Links<'_>) -> String {
    if links.view.raw {
        html(view! { <p class="prose raw">{visible(text).into_owned()}</p> })
    } else {
        html(view! { <Markdown text=text.to_owned() /> })
    }
}
