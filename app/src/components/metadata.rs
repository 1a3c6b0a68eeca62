//! Metadata as chips; each is a link to the runs that share it.

use leptos::prelude::*;
use protocol::Query;
use protocol::messages::Metadata;
use protocol::query::Term;

use super::filter_bar::runs_url;

/// At most `at_most` chips, where a row has no room for all; the rest is counted and named on hover.
#[component]
pub fn MetadataChips(
    metadata: Metadata,
    #[prop(optional)] query: Query,
    #[prop(default = usize::MAX)] at_most: usize,
) -> impl IntoView {
    let rest: Vec<String> = metadata.iter().skip(at_most).map(|(key, value)| format!("{key}:{value}")).collect();
    let rest = (!rest.is_empty())
        .then(|| view! { <span class="chip-rest" title=rest.join("\n")>{format!("+{}", rest.len())}</span> });
    let chips = metadata.into_iter().take(at_most).map(|(key, value)| {
        let href = runs_url(&query.with(Term::metadata(&key, &value)));
        let title = format!("Runs with {key}:{value}");
        view! { <a class="chip" href=href title=title><span class="chip-key">{key}</span><span class="chip-value">{value}</span></a> }
    });
    view! { <span class="chips">{chips.collect_view()}{rest}</span> }
}
