//! Hidden fields that carry the current view through a form.

use leptos::prelude::*;

use crate::browser::RunContext;

/// The parameters of the current URL, except the ones that the form sets itself and the event to scroll to.
#[component]
pub fn ViewFields(except: &'static [&'static str]) -> impl IntoView {
    let run = expect_context::<RunContext>();
    move || {
        let pairs = run.view.with(|view| view.pairs());
        let fields = pairs.into_iter().filter(|(name, _)| *name != "focus" && !except.contains(name));
        fields.map(|(name, value)| view! { <input type="hidden" name=name value=value /> }).collect_view()
    }
}
