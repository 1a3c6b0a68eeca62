//! Text of the model: as Markdown, or raw.

use leptos::prelude::*;

use super::{Links, html};
use crate::masking::shown;

pub fn text_html(text: &str, links: Links<'_>) -> String {
    if links.view.raw {
        html(view! { <p class="prose raw">{shown(text).into_owned()}</p> })
    } else if is_json(text) {
        // Markdown would lose its indentation.
        html(
            view! { <div class="prose markdown"><pre class="prose raw"><code>{shown(text).into_owned()}</code></pre></div> },
        )
    } else {
        crate::markdown::render(text)
    }
}

/// Returns true for the beginning of a JSON object or list. The output may be truncated.
fn is_json(text: &str) -> bool {
    let mut start = text.chars().filter(|c| !c.is_whitespace());
    matches!((start.next(), start.next()), (Some('{'), Some('"' | '}')) | (Some('['), Some('{' | '[' | '"')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_recognised_by_its_beginning() {
        for text in ["{\"a\":1}", " {\n  \"a\": \"cut", "[{\"a\":1}", "{}"] {
            assert!(is_json(text), "{text}");
        }
        for text in ["", "{curly} words", "[a link](https://example.org)", "text {\"a\":1}", "[1] a footnote"] {
            assert!(!is_json(text), "{text}");
        }
    }
}
