//! The Loop tab: the iterations of each loop.

use leptos::prelude::*;

use super::{Links, html};
use crate::pages::run::loops::{Iteration, IterationKind, LoopDetail};
use app::plain_text::visible;

pub fn loops(loops: Vec<LoopDetail>, links: Links<'_>) -> String {
    if loops.is_empty() {
        return html(
            view! { <section class="panel"><h2>"Loop"</h2><p class="hint">"No calls were repeated up to here."</p></section> },
        );
    }
    html(loops.into_iter().map(|one| panel(one, links)).collect_view())
}

fn panel(one: LoopDetail, links: Links<'_>) -> AnyView {
    let last_head = one.iterations.len() / 2;
    let left_out = one.left_out;
    let iterations = one.iterations.into_iter().enumerate().map(|(place, iteration)| {
        let gap = (left_out > 0 && place == last_head)
            .then(|| view! { <li class="iteration-gap hint">{format!("{left_out} more like these")}</li> });
        view! { {gap}{line(iteration, links)} }
    });
    let sentences = one.sentences.into_iter().map(|sentence| super::sentence::paragraph(sentence, links));
    view! {
        <section class="panel loop">
            <h2><code>{visible(&one.tools).into_owned()}</code>{format!(" ×{}", one.turns)}</h2>
            <div class="loop-cost">{sentences.collect_view()}</div>
            <ol class="iterations" tabindex="0" aria-label="Iterations">{iterations.collect_view()}</ol>
        </section>
    }
    .into_any()
}

fn line(iteration: Iteration, links: Links<'_>) -> AnyView {
    let (mark, tone) = match iteration.kind {
        IterationKind::First => (None, "info"),
        IterationKind::FirstWasted => (Some("first wasted step"), "error"),
        IterationKind::Wasted => (Some("wasted"), "warning"),
        IterationKind::After => (Some("after the loop"), "success"),
    };
    let texts = |lines: Vec<String>| {
        lines
            .into_iter()
            .map(|line| view! { <code class="iteration-text">{visible(&line).into_owned()}</code> })
            .collect_view()
    };
    let arguments = if iteration.arguments.is_empty() {
        view! { <span class="hint">"nothing changed"</span> }.into_any()
    } else {
        texts(iteration.arguments).into_any()
    };
    view! {
        <li class="iteration" data-tone=tone>
            <p class="iteration-head">
                <b>{iteration.number}</b>
                {mark.map(|mark| view! { <span class="mark">{mark}</span> })}
                {iteration.guard.map(|guard| view! { <span class="mark">"guard: "{guard}</span> })}
                {links.event(iteration.seq)}
            </p>
            <dl>
                <dt>{if iteration.kind == IterationKind::First { "Calls" } else { "Changed" }}</dt>
                <dd>{arguments}</dd>
                <dt>"Result"</dt>
                <dd>{texts(iteration.answers)}</dd>
            </dl>
        </li>
    }
    .into_any()
}
