//! The facet panel beside a list: values with counts, each a link that adds or removes it and looks like a checkbox.

use leptos::prelude::*;

use super::icon::{Icon, IconView};
use crate::model::list::{FacetGroup, FacetLink, FacetPanelModel};

#[component]
pub fn FacetPanel(panel: FacetPanelModel, #[prop(optional)] children: Option<Children>) -> impl IntoView {
    let groups: Vec<_> = panel.groups.into_iter().map(group).collect();
    view! {
        <aside class="facets" id="facets" aria-label="Facets">
            {panel.note.map(|note| view! { <p class="hint">{note}</p> })}
            {groups}
            {children.map(|children| children())}
        </aside>
    }
}

fn group(group: FacetGroup) -> AnyView {
    let links: Vec<_> = group.links.into_iter().map(link).collect();
    let more = group.more.then(|| view! { <li class="hint">"More values: start typing"</li> });
    view! {
        <details class="facet" open=group.open>
            <summary>{group.title}</summary>
            <ul>{links}{more}</ul>
        </details>
    }
    .into_any()
}

fn link(link: FacetLink) -> AnyView {
    view! {
        <li>
            <a href=link.href aria-current=link.on.then_some("true") title=link.value.clone()>
                <span class="facet-box">{link.on.then(|| view! { <IconView icon=Icon::Check /> })}</span>
                {link.on.then(|| view! { <span class="visually-hidden">"Remove "</span> })}
                <span class="facet-value">{link.value.clone()}</span>
                " "
                <span class="facet-count">{link.count}</span>
            </a>
        </li>
    }
    .into_any()
}
