//! The truncation card: which limit, how the output divided, where it was cut, and what can be salvaged.

use leptos::prelude::*;

use super::{Links, html};
use crate::format::grouped;
use crate::plain_text::visible;
use crate::run::truncation::{PartialTree, Truncation};

pub fn truncation_card(card: Truncation, session_id: Option<&str>, links: Links<'_>) -> String {
    let limit = match card.output_tokens {
        Some(tokens) => format!("the model's output limit, after {} output tokens", grouped(tokens)),
        None => "the model's output limit; the log does not tell its value".to_owned(),
    };
    let written = card.thinking_chars + card.answer_chars;
    let split = (written > 0).then(|| {
        let text = format!(
            "{} characters of thinking, {} of answer in the last turn",
            grouped(card.thinking_chars),
            grouped(card.answer_chars)
        );
        view! {
            <dt>"Divided"</dt>
            <dd>
                <meter class="split" min="0" max=written.to_string() value=card.thinking_chars.to_string() aria-label="Share of thinking"></meter>
                <span>{text}</span>
            </dd>
        }
    });
    let tail = (!card.tail.is_empty()).then(|| {
        view! { <dt>"Cut at"</dt><dd class="cut-tail"><q>{visible(&card.tail).into_owned()}</q><b class="seam">"✂ cut off here"</b></dd> }
    });
    let session = session_id.map(|id| {
        view! { <a class="button" href=format!("/sessions/{id}#composer")>"Continue in its session"</a> }
    });
    html(view! {
        <section class="panel truncation" data-tone="error">
            <h2>"Cut off"</h2>
            <dl>
                <dt>"Limit"</dt>
                <dd>{limit}" "{links.event(card.seq)}</dd>
                {split}
                {tail}
            </dl>
            {card.partial.map(partial)}
            {session}
        </section>
    })
}

fn partial(tree: PartialTree) -> AnyView {
    let lines = tree.lines.into_iter().map(|line| {
        // One text each: an empty one of its own would be drawn as a space.
        let label = if line.label.is_empty() { String::new() } else { format!("{}: ", visible(&line.label)) };
        let text = format!("{}{label}{}", "  ".repeat(line.depth), visible(&line.value));
        let seam =
            (!line.closed && !matches!(line.value.as_str(), "{" | "[")).then(|| view! { <b class="seam">" ✂"</b> });
        view! { <span class="partial-line" data-open=(!line.closed).then_some("")>{text}{seam}"\n"</span> }
    });
    let left_out = (tree.left_out > 0)
        .then(|| view! { <p class="hint">{format!("{} values in the middle are left out here.", grouped(tree.left_out as u64))}</p> });
    let at = tree.open_path.map(|path| {
        let path = if path.is_empty() { "the beginning of the document".to_owned() } else { path };
        view! { <p>"It was writing " <code>{visible(&path).into_owned()}</code>"."</p> }
    });
    let missing = (!tree.missing.is_empty()).then(|| {
        let names = tree.missing.into_iter().map(|path| view! { <li><code>{visible(&path).into_owned()}</code></li> });
        view! { <p>"Required fields that never came:"</p><ul class="missing">{names.collect_view()}</ul> }
    });
    view! {
        <h3>{format!("What closed: {} values", grouped(tree.closed as u64))}</h3>
        <pre class="partial" tabindex="0">{lines.collect_view()}</pre>
        {left_out}
        {at}
        {missing}
    }
    .into_any()
}
