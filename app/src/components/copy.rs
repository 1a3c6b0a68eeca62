//! A button that copies a text. Hidden without JavaScript.

use leptos::prelude::*;

use super::icon::{Icon, IconView};
use crate::browser::copy_text;

#[component]
pub fn CopyButton(text: String, label: &'static str) -> impl IntoView {
    let copied = RwSignal::new(false);
    view! {
        <button
            type="button"
            class="copy js-only"
            aria-label=label
            title=label
            on:click=move |_| copy_text(&text, copied)
        >
            {move || view! { <IconView icon=if copied.get() { Icon::Check } else { Icon::Copy } /> }}
        </button>
    }
}
