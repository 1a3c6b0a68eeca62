//! An error on a page: what happened, and what to do.

use leptos::prelude::*;
use leptos_router::hooks::use_location;

use super::icon::{Icon, IconView};
use crate::AppError;
use domain::url::encode;

#[component]
pub fn ErrorView(error: AppError) -> impl IntoView {
    error.set_response_status();
    let location = use_location();
    let here = move || format!("{}{}", location.pathname.get(), location.search.with(|search| query_part(search)));
    let action = match error {
        AppError::SignedOut => {
            view! { <a class="button primary" href="/sign-in" rel="external">"Sign in"</a> }.into_any()
        }
        AppError::MissingScope { .. } => {
            let href = move || format!("/auth/start?return_to={}", encode(&here()));
            view! { <a class="button primary" href=href rel="external">"Sign in again"</a> }.into_any()
        }
        AppError::NotFound { ref what } if what == "session" => {
            view! { <a class="button" href="/sessions">"All sessions"</a> }.into_any()
        }
        AppError::NotFound { .. } => view! { <a class="button" href="/runs">"All runs"</a> }.into_any(),
        AppError::Invalid { .. } => view! { <a class="button" href="/runs">"Clear the filter"</a> }.into_any(),
        _ => view! { <a class="button" href=here rel="external">"Try again"</a> }.into_any(),
    };
    view! {
        <section class="empty" role="alert">
            <IconView icon=Icon::Alert />
            <h2>{error.title()}</h2>
            <p>{error.advice()}</p>
            <p>{action}</p>
        </section>
    }
}

fn query_part(search: &str) -> String {
    if search.is_empty() { String::new() } else { format!("?{}", search.trim_start_matches('?')) }
}
