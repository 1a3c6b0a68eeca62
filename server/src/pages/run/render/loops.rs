//! The Loop tab: the iterations of each loop.

use leptos::prelude::*;

use super::{Links, html};
use crate::masking::shown;
use crate::pages::run::loops::{Iteration, IterationKind, LoopDetail, SAME_AS_BEFORE};

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
        view! { {gap}{row(iteration, links)} }
    });
    let sentences = one.sentences.into_iter().map(|sentence| super::sentence::paragraph(sentence, links));
    view! {
        <section class="panel loop">
            <h2><code>{shown(&one.tools).into_owned()}</code>{format!(" ×{}", one.turns)}</h2>
            <ol class="iterations">{iterations.collect_view()}</ol>
            <div class="loop-cost">{sentences.collect_view()}</div>
        </section>
    }
    .into_any()
}

/// One iteration: its number and what the guard did on the first line, then what changed and what came back.
fn row(iteration: Iteration, links: Links<'_>) -> AnyView {
    let (mark, tone) = match iteration.kind {
        IterationKind::First => (None, "info"),
        IterationKind::FirstWasted => (Some("first wasted step"), "error"),
        IterationKind::Wasted => (Some("wasted"), "warning"),
        IterationKind::After => (Some("after the loop"), "success"),
    };
    let is_first = iteration.kind == IterationKind::First;
    let is_same = iteration.arguments.is_empty() && iteration.answers == [SAME_AS_BEFORE];
    let body = match is_same {
        true => view! { <p class="hint">"No change, same result"</p> }.into_any(),
        false => view! {
            <dl>
                {(!iteration.arguments.is_empty()).then(|| view! {
                    <dt>{if is_first { "Calls" } else { "Changed" }}</dt>
                    <dd>{lines(iteration.arguments)}</dd>
                })}
                <dt>"Result"</dt>
                <dd>{lines(iteration.answers)}</dd>
            </dl>
        }
        .into_any(),
    };
    view! {
        <li class="iteration" data-tone=tone>
            <p class="iteration-head">
                <b>{iteration.number}</b>
                {mark.map(|mark| view! { <span class="mark">{mark}</span> })}
                {iteration.guard.map(|guard| view! { <span class="mark">"guard: "{guard}</span> })}
                {links.event(iteration.seq)}
            </p>
            {body}
        </li>
    }
    .into_any()
}

/// Each text is shortened to two lines by the style sheet; its tooltip has the rest.
fn lines(texts: Vec<String>) -> AnyView {
    let line = |text: String| {
        let text = shown(&text).into_owned();
        let title = text.clone();
        view! { <code class="iteration-text" title=title>{text}</code> }
    };
    texts.into_iter().map(line).collect_view().into_any()
}
