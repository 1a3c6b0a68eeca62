//! The rest of the view, inside a form that changes a part of it.

use leptos::prelude::*;

use crate::browser::RunContext;

/// Hidden fields for everything that the address says, but for what the form is about. Where to scroll to goes with none.
#[component]
pub fn ViewFields(except: &'static [&'static str]) -> impl IntoView {
    let run = expect_context::<RunContext>();
    move || {
        let pairs = run.view.with(|view| view.pairs());
        let kept = pairs.into_iter().filter(|(name, _)| *name != "focus" && !except.contains(name));
        kept.map(|(name, value)| view! { <input type="hidden" name=name value=value /> }).collect_view()
    }
}
