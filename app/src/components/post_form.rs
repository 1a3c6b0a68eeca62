//! A form that asks the server to do something. Without scripts it is sent as it is, and the server leads back here; with
//! them it is sent in the background, and what came of it is said below.

use leptos::prelude::*;

use crate::browser::{Sent, post_form};

#[component]
pub fn PostForm(
    /// The server function's address.
    action: &'static str,
    class: &'static str,
    /// What is said when it was done, where the server does not say it better.
    done: &'static str,
    /// What else happens then.
    #[prop(optional)]
    on_done: Option<Callback<()>>,
    /// What came of it, for who has to know more.
    #[prop(default = RwSignal::new(None))]
    outcome: RwSignal<Option<Sent>>,
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
                Ok(words) => view! { <p class="hint" role="status">{words.unwrap_or_else(|| done.to_owned())}</p> }.into_any(),
                Err(error) => view! { <p class="field-error" role="alert">{error.to_string()}</p> }.into_any(),
            })}
        </form>
    }
}
