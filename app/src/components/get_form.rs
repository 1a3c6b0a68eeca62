//! A form whose fields become the URL's query. With JavaScript the page is not reloaded.
//! The router's own form can also POST, and would add the code for that to the client.

use leptos::ev::SubmitEvent;
use leptos::prelude::*;
use leptos_router::NavigateOptions;
use leptos_router::hooks::use_navigate;

use crate::browser::form_url;

#[component]
pub fn GetForm(
    /// The path of the page, or empty for the current page.
    #[prop(optional)]
    action: &'static str,
    class: &'static str,
    #[prop(optional)] role: Option<&'static str>,
    /// Keeps the scroll position.
    #[prop(optional)]
    noscroll: bool,
    children: Children,
) -> impl IntoView {
    let navigate = use_navigate();
    let submit = move |event: SubmitEvent| {
        if let Some(url) = form_url(&event, action) {
            event.prevent_default();
            navigate(&url, NavigateOptions { scroll: !noscroll, ..Default::default() });
        }
    };
    view! { <form method="get" action=action class=class role=role on:submit=submit>{children()}</form> }
}
