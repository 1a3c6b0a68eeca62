//! What stands in the place of a list that a filter leaves empty: which part of it excludes everything.

use leptos::prelude::*;

use super::icon::{Icon, IconView};
use crate::browse::Chip;
use domain::ViewList;

/// `drops`: the parts of the filter without which something would be found. `so_far`: what may match was not all looked at.
#[component]
pub fn NoMatch(list: ViewList, drops: Vec<Chip>, #[prop(optional)] so_far: bool) -> impl IntoView {
    let (icon, title) = match list {
        ViewList::Runs if so_far => (Icon::Runs, "No match so far"),
        ViewList::Runs => (Icon::Runs, "No run matches"),
        ViewList::Sessions => (Icon::Chat, "No session matches"),
    };
    let advice = match drops.len() {
        0 if so_far => "None of the runs that were looked at matches. There may be others that do.",
        0 => "Several parts of the filter together exclude everything. Remove some above, or start over.",
        1 => "Without this part of the filter something would be found:",
        _ => "Without any one of these parts of the filter something would be found:",
    };
    let drops: Vec<_> = drops
        .into_iter()
        .map(|drop| view! { <a class="button" href=drop.href>"Search without " <code>{drop.text}</code></a> })
        .collect();
    view! {
        <section class="empty">
            <IconView icon />
            <h2>{title}</h2>
            <p>{advice}</p>
            <p class="empty-actions">{drops}<a class="button" href=format!("{}?q=", list.path())>"Clear all"</a></p>
        </section>
    }
}
