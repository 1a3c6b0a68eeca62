//! The empty state of a filtered list.

use leptos::prelude::*;

use super::icon::{Icon, IconView};
use crate::model::list::Chip;
use domain::ViewList;

/// `excluding`: the clauses whose removal would show results. `so_far`: only some runs were scanned.
#[component]
pub fn NoMatch(list: ViewList, excluding: Vec<Chip>, #[prop(optional)] so_far: bool) -> impl IntoView {
    let (icon, title) = match list {
        ViewList::Runs if so_far => (Icon::Runs, "No match so far"),
        ViewList::Runs => (Icon::Runs, "No run matches"),
        ViewList::Sessions => (Icon::Chat, "No session matches"),
    };
    let advice = match excluding.len() {
        0 if so_far => "None of the runs that were looked at matches. There may be others that do.",
        0 => "Several parts of the filter together exclude everything. Remove some above, or start over.",
        1 => "Without this part of the filter something would be found:",
        _ => "Without any one of these parts of the filter something would be found:",
    };
    let excluding: Vec<_> = excluding
        .into_iter()
        .map(|chip| view! { <a class="button" href=chip.href>"Search without " <code>{chip.text}</code></a> })
        .collect();
    view! {
        <section class="empty">
            <IconView icon />
            <h2>{title}</h2>
            <p>{advice}</p>
            <p class="empty-actions">{excluding}<a class="button" href=format!("{}?q=", list.path())>"Clear all"</a></p>
        </section>
    }
}
