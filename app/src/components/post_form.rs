//! A form that calls a server function. Without JavaScript the browser submits it and the server redirects back. With
//! JavaScript it is sent in the background and the result is shown below it.

use leptos::prelude::*;

use crate::browser::{FormResult, post_form};

#[component]
pub fn PostForm(
    /// The server function's URL.
    action: &'static str,
    class: &'static str,
    /// The success message, unless the server returns one.
    done: &'static str,
    /// Called after a success.
    #[prop(optional)]
    on_done: Option<Callback<()>>,
    /// The result, for a parent that needs it.
    #[prop(default = RwSignal::new(None))]
    outcome: RwSignal<Option<FormResult>>,
    children: Children,
) -> impl IntoView {
    if let Some(on_done) = on_done {
        Effect::new(move |_| {
            if matches!(outcome.get(), Some(Ok(_))) {
                on_done.run(());
            }
        });
    }
    view! {
        <form method="post" action=action class=class on:submit=move |event| post_form(event, outcome)>
            {children()}
            {move || outcome.get().map(|outcome| match outcome {
                Ok(message) => view! { <p class="hint" role="status">{message.unwrap_or_else(|| done.to_owned())}</p> }.into_any(),
                Err(error) => view! { <p class="field-error" role="alert">{error.to_string()}</p> }.into_any(),
            })}
        </form>
    }
}
