//! The menu «⋯» with actions that are needed rarely.

use leptos::prelude::*;

use super::icon::{Icon, IconView};

#[component]
pub fn MoreMenu(children: Children) -> impl IntoView {
    view! {
        <details class="menu-button more" data-popover="">
            <summary class="button" title="More actions" aria-label="More actions"><IconView icon=Icon::More /></summary>
            <div class="menu">{children()}</div>
        </details>
    }
}
