//! The verdict: the run in a few sentences, each with the events it rests on.

use leptos::prelude::*;

use super::Run;
use crate::components::code_words::CodeWords;
use crate::components::event_link::EventLink;

/// More events than these are not linked from one sentence.
const MAX_LINKS: usize = 4;

#[component]
pub fn Verdict() -> impl IntoView {
    let run = expect_context::<Run>();
    let sentences = Memo::new(move |_| run.state.with(|state| state.verdict.clone()));
    view! {
        <section class="verdict" aria-label="Verdict">
            {move || {
                let sentence = |sentence: protocol::timeline::Sentence| {
                    let links = sentence.seqs.into_iter().take(MAX_LINKS).map(|seq| view! { " " <EventLink seq /> }).collect_view();
                    view! { <p><CodeWords text=sentence.text />{links}</p> }
                };
                sentences.get().into_iter().map(sentence).collect_view()
            }}
        </section>
    }
}
