//! Sentences with links to their events.

use leptos::prelude::*;
use protocol::timeline::Sentence;

use super::Links;
use crate::pages::code_words::CodeWords;

/// Links per sentence.
const MAX_LINKS: usize = 4;

pub fn paragraph(sentence: Sentence, links: Links<'_>) -> AnyView {
    let events = sentence.seqs.into_iter().take(MAX_LINKS).map(|seq| view! { " " {links.event(seq)} }).collect_view();
    view! { <p><CodeWords text=sentence.text />{events}</p> }.into_any()
}
