//! Metadata as chips, each a link to the list filtered by it.

use leptos::prelude::*;
use protocol::messages::Metadata;
use protocol::query::{Clause, Term};

use crate::plain_text::visible;
use domain::url::encode;

/// Shows up to `at_most` chips; the others are counted and listed in a tooltip. `add` is the URL of a list, ending
/// where a clause can be appended.
#[component]
pub fn MetadataChips(
    metadata: Metadata,
    #[prop(default = "/runs?q=".to_owned())] add: String,
    #[prop(default = usize::MAX)] at_most: usize,
) -> impl IntoView {
    let rest: Vec<String> = metadata.iter().skip(at_most).map(|(key, value)| format!("{key}:{value}")).collect();
    let rest = (!rest.is_empty())
        .then(|| view! { <span class="chip-rest" title=rest.join("\n")>{format!("+{}", rest.len())}</span> });
    let chips = metadata.into_iter().take(at_most).map(|(key, value)| {
        let href = format!("{add}{}", encode(&Clause::from(Term::metadata(&key, &value)).to_string()));
        let title = format!("Filter by {key}:{value}");
        view! { <a class="chip" href=href title=title><span class="chip-key">{visible(&key).into_owned()}</span><span class="chip-value">{visible(&value).into_owned()}</span></a> }
    });
    view! { <span class="chips">{chips.collect_view()}{rest}</span> }
}
