//! Metadata as chips; each is a link to the runs that share it.

use leptos::prelude::*;
use protocol::Query;
use protocol::messages::Metadata;
use protocol::query::Term;

use super::filter_bar::runs_url;

#[component]
pub fn MetadataChips(metadata: Metadata, #[prop(optional)] query: Query) -> impl IntoView {
    let chips = metadata.into_iter().map(|(key, value)| {
        let href = runs_url(&query.with(Term::metadata(&key, &value)));
        let title = format!("Runs with {key}:{value}");
        view! { <a class="chip" href=href title=title><span class="chip-key">{key}</span>{value}</a> }
    });
    view! { <span class="chips">{chips.collect_view()}</span> }
}
