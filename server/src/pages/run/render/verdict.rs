//! The verdict: the run in a few sentences, each with the events it rests on.

use leptos::prelude::*;
use protocol::timeline::Sentence;

use super::{Links, html};
use crate::components::code_words::CodeWords;

/// More events than these are not linked from one sentence.
const MAX_LINKS: usize = 4;

pub fn verdict_part(sentences: Vec<Sentence>, links: Links<'_>) -> String {
    html(sentences.into_iter().map(|sentence| draw(sentence, links)).collect_view())
}

/// One sentence as a paragraph.
pub fn draw(sentence: Sentence, links: Links<'_>) -> AnyView {
    let events = sentence.seqs.into_iter().take(MAX_LINKS).map(|seq| view! { " " {links.event(seq)} }).collect_view();
    view! { <p><CodeWords text=sentence.text />{events}</p> }.into_any()
}
