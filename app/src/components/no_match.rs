//! The empty state of a filtered list.

use leptos::prelude::*;

use super::icon::{Icon, IconView};
use crate::model::list::Chip;
use domain::ViewList;

/// `filters`: the number of clauses. `excluding`: those whose removal would show results. `so_far`: only some runs were
/// scanned.
#[component]
pub fn NoMatch(list: ViewList, filters: usize, excluding: Vec<Chip>, #[prop(optional)] so_far: bool) -> impl IntoView {
    let (icon, title) = match list {
        ViewList::Runs if so_far => (Icon::Runs, "No matching runs so far"),
        ViewList::Runs => (Icon::Runs, "No matching runs"),
        ViewList::Sessions => (Icon::Chat, "No matching sessions"),
    };
    let advice = match excluding.len() {
        0 if so_far => "None of the runs searched so far match. Older ones may.",
        0 => match (list, filters) {
            (ViewList::Runs, ..2) => "No run matches this filter.",
            (ViewList::Runs, _) => "No run matches all of these filters.",
            (ViewList::Sessions, ..2) => "No session matches this filter.",
            (ViewList::Sessions, _) => "No session matches all of these filters.",
        },
        1 => "Removing this filter would show results:",
        _ => "Removing any one of these filters would show results:",
    };
    let excluding: Vec<_> = excluding
        .into_iter()
        .map(|chip| view! { <a class="button" href=chip.href>"Remove " <code>{chip.text}</code></a> })
        .collect();
    view! {
        <section class="empty">
            <IconView icon />
            <h2>{title}</h2>
            <p>{advice}</p>
            <p class="empty-actions">{excluding}<a class="button" href=format!("{}?q=", list.path())>"Clear all filters"</a></p>
        </section>
    }
}
