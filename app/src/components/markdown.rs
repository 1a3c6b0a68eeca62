//! Markdown drawn as elements. There is no way in for HTML: every piece is a text node or a link with a safe address.

use leptos::prelude::*;

use crate::markdown::{Block, Inline, parse};
use crate::plain_text::visible;

/// Longer texts are shown as they are: nobody reads them as a page.
const MAX_MARKDOWN_BYTES: usize = 100_000;

#[component]
pub fn Markdown(text: String) -> impl IntoView {
    if text.len() > MAX_MARKDOWN_BYTES {
        return view! { <pre class="prose raw">{visible(&text).into_owned()}</pre> }.into_any();
    }
    view! { <div class="prose markdown">{blocks(parse(&visible(&text)))}</div> }.into_any()
}

fn blocks(blocks: Vec<Block>) -> Vec<AnyView> {
    blocks.into_iter().map(block).collect()
}

fn block(block: Block) -> AnyView {
    match block {
        // The page has its own first levels.
        Block::Heading { level: 1 | 2, text } => view! { <h4>{inlines(text)}</h4> }.into_any(),
        Block::Heading { level: 3, text } => view! { <h5>{inlines(text)}</h5> }.into_any(),
        Block::Heading { text, .. } => view! { <h6>{inlines(text)}</h6> }.into_any(),
        Block::Paragraph(text) => view! { <p>{inlines(text)}</p> }.into_any(),
        Block::Code { language, text } => {
            let label = (!language.is_empty()).then_some(language);
            view! { <pre class="code" data-language=label tabindex="0"><code>{text}</code></pre> }.into_any()
        }
        Block::Quote(inner) => view! { <blockquote>{blocks(inner)}</blockquote> }.into_any(),
        Block::List { start: None, items } => view! { <ul>{list_items(items)}</ul> }.into_any(),
        Block::List { start: Some(start), items } => {
            view! { <ol start=start.to_string()>{list_items(items)}</ol> }.into_any()
        }
        Block::Table { head, rows } => {
            let head = head.into_iter().map(|cell| view! { <th scope="col">{inlines(cell)}</th> }).collect_view();
            let row = |row: Vec<Vec<Inline>>| {
                let cells = row.into_iter().map(|cell| view! { <td>{inlines(cell)}</td> }).collect_view();
                view! { <tr>{cells}</tr> }
            };
            let rows = rows.into_iter().map(row).collect_view();
            view! { <div class="table-scroll" tabindex="0"><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div> }
                .into_any()
        }
        Block::Rule => view! { <hr /> }.into_any(),
    }
}

/// An item of one paragraph is that text, without the paragraph's margins.
fn list_items(items: Vec<Vec<Block>>) -> Vec<AnyView> {
    let mut out = Vec::with_capacity(items.len());
    for item in items {
        let mut rest = item.into_iter().peekable();
        let lead = match rest.next_if(|block| matches!(block, Block::Paragraph(_))) {
            Some(Block::Paragraph(text)) => inlines(text),
            _ => Vec::new(),
        };
        out.push(view! { <li>{lead}{blocks(rest.collect())}</li> }.into_any());
    }
    out
}

fn inlines(inlines: Vec<Inline>) -> Vec<AnyView> {
    inlines.into_iter().map(inline).collect()
}

fn inline(inline: Inline) -> AnyView {
    match inline {
        Inline::Text(text) => text.into_any(),
        Inline::Code(code) => view! { <code>{code}</code> }.into_any(),
        Inline::Strong(inner) => view! { <strong>{inlines(inner)}</strong> }.into_any(),
        Inline::Emphasis(inner) => view! { <em>{inlines(inner)}</em> }.into_any(),
        Inline::Strike(inner) => view! { <s>{inlines(inner)}</s> }.into_any(),
        Inline::Link { href, text } => {
            view! { <a href=href rel="noopener noreferrer nofollow external" target="_blank">{inlines(text)}</a> }
                .into_any()
        }
        Inline::Break => view! { <br /> }.into_any(),
    }
}
