//! A truncated answer: the card with its facts, and the end of the output.

use leptos::prelude::*;

use super::{Links, html};
use crate::masking::shown;
use crate::pages::run::truncation::{PartialTree, Truncation};
use app::components::icon::{Icon, IconView};
use app::format::grouped;

/// The facts. The finding has the next step, and the Output panel the text.
pub fn truncation_card(card: &Truncation, session_id: Option<&str>, links: Links<'_>) -> String {
    let limit = limit(card);
    let spent = card.output_tokens.map(|tokens| {
        let thinking = match card.reasoning_tokens {
            0 => String::new(),
            thinking => format!(", {} of them thinking", grouped(thinking)),
        };
        let turns = if card.turns > 1 { format!(" in {} turns", grouped(card.turns)) } else { String::new() };
        view! { <dt>"Spent"</dt><dd>{format!("{} output tokens{turns}{thinking}", grouped(tokens))}</dd> }
    });
    let written = card.thinking_chars + card.answer_chars;
    let split = (card.thinking_chars > 0).then(|| {
        let text = format!(
            "{} characters of thinking, {} of answer",
            grouped(card.thinking_chars),
            grouped(card.answer_chars)
        );
        view! {
            <dt>"Last turn"</dt>
            <dd>
                <meter class="split" min="0" max=written.to_string() value=card.thinking_chars.to_string() aria-label="Share of thinking"></meter>
                <span>{text}</span>
            </dd>
        }
    });
    let session = session_id.map(|id| {
        view! { <p class="card-steps"><a class="button" href=format!("/sessions/{id}#composer")>"Continue in the session"</a></p> }
    });
    html(view! {
        <section class="panel truncation" data-tone="error">
            <h2>"Output truncated"</h2>
            <dl>
                <dt>"Limit"</dt>
                <dd>{limit}" "{links.event(card.seq)}</dd>
                {spent}
                {split}
            </dl>
            {session}
        </section>
    })
}

/// The mark at the end of a truncated text.
pub fn truncated_here() -> String {
    html(view! { <p class="seam"><IconView icon=Icon::Cut />"truncated here"</p> })
}

/// The model that reached its limit and, if one turn reached it, the approximate value.
fn limit(card: &Truncation) -> AnyView {
    let whose = card.model.as_deref().map_or_else(
        || "The model's output limit".into_any(),
        |model| view! { "The output limit of " <code>{shown(model).into_owned()}</code> }.into_any(),
    );
    let value = match card.output_tokens.filter(|_| card.turns <= 1) {
        Some(tokens) => {
            format!(
                ", about {} tokens: the run's whole output, in one turn. MANTYX doesn't report the exact limit.",
                grouped(tokens)
            )
        }
        None => ". MANTYX doesn't report its value.".to_owned(),
    };
    view! { {whose}{value} }.into_any()
}

/// An incomplete JSON document.
pub fn partial_document(tree: PartialTree) -> String {
    let lines = tree.lines.into_iter().map(|line| {
        // One text node per line: an empty one would render as a space.
        let label = if line.label.is_empty() { String::new() } else { format!("{}: ", shown(&line.label)) };
        let text = format!("{}{label}{}", "  ".repeat(line.depth), shown(&line.value));
        let cut_mark = (!line.closed && !matches!(line.value.as_str(), "{" | "["))
            .then(|| view! { <b class="seam"><IconView icon=Icon::Cut /></b> });
        view! { <span class="partial-line" data-open=(!line.closed).then_some("")>{text}{cut_mark}"\n"</span> }
    });
    let left_out = (tree.left_out > 0)
        .then(|| view! { <p class="hint">{format!("{} values in the middle are not shown.", grouped(tree.left_out as u64))}</p> });
    let at = tree.open_path.map(|path| {
        let path = if path.is_empty() { "the beginning of the document".to_owned() } else { path };
        view! { <p>"The output stops in " <code>{shown(&path).into_owned()}</code>"."</p> }
    });
    let missing = (!tree.missing.is_empty()).then(|| {
        let names = tree.missing.into_iter().map(|path| view! { <li><code>{shown(&path).into_owned()}</code></li> });
        view! { <p>"Missing required fields:"</p><ul class="missing">{names.collect_view()}</ul> }
    });
    html(view! {
        <h3>{format!("Parsed: {} values", grouped(tree.closed as u64))}</h3>
        <pre class="partial" tabindex="0">{lines.collect_view()}</pre>
        {left_out}
        {at}
        {missing}
    })
}
