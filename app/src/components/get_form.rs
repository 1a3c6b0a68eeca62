//! A form whose fields become the address. Without scripts the browser sees to that; with them the page is not loaded anew.
//! The router's own form can also send, and would bring the code for that along.

use leptos::ev::SubmitEvent;
use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::hooks::use_navigate;

use crate::browser::form_address;

#[component]
pub fn GetForm(
    /// The page's path; that of the form's own page where it has none.
    #[prop(optional)]
    action: &'static str,
    class: &'static str,
    #[prop(optional)] role: Option<&'static str>,
    /// The page stays where it is.
    #[prop(optional)]
    noscroll: bool,
    children: Children,
) -> impl IntoView {
    let navigate = use_navigate();
    let submit = move |event: SubmitEvent| {
        if let Some(address) = form_address(&event, action) {
            event.prevent_default();
            navigate(&address, NavigateOptions { scroll: !noscroll, ..Default::default() });
        }
    };
    view! { <form method="get" action=action class=class role=role on:submit=submit>{children()}</form> }
}
