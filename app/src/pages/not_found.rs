//! An address that does not exist.

use leptos::prelude::*;
use leptos_meta::Title;

use crate::AppError;
use crate::components::error_view::set_response_status;

#[component]
pub fn NotFound() -> impl IntoView {
    set_response_status(&AppError::not_found("page"));
    view! {
        <Title text="Not found" />
        <main class="sheet">
            <section class="card">
                <p class="brand">"Runlens"</p>
                <h1>"There is no such page"</h1>
                <p>"Check the address, or start from the list of runs."</p>
                <p><a class="button primary" href="/runs">"All runs"</a></p>
            </section>
        </main>
    }
}
