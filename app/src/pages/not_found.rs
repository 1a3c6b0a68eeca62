//! The page for unknown URLs.

use leptos::prelude::*;

use crate::AppError;
use crate::components::page_title::PageTitle;

#[component]
pub fn NotFound() -> impl IntoView {
    AppError::not_found("page").set_response_status();
    view! {
        <PageTitle text="Not found" />
        <main class="standalone">
            <section class="card">
                <div class="brand">"Runlens"</div>
                <h1>"Page not found"</h1>
                <p>"Check the URL, or start from the list of runs."</p>
                <p><a class="button primary" href="/runs">"All runs"</a></p>
            </section>
        </main>
    }
}
