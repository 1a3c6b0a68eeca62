//! The documentation of the JSON API.

use leptos::prelude::*;

use crate::api::docs::load_api_docs;
use crate::components::error_view::ErrorView;
use crate::components::page_data::PageData;
use crate::components::page_title::PageTitle;
use crate::pages::lazy::lazy_page;

lazy_page!(ApiDocsRoute = ApiDocsPage, more);

#[component]
fn ApiDocsPage() -> impl IntoView {
    let docs = PageData::load(|| (), |()| load_api_docs());
    view! {
        <PageTitle text="API" />
        <header class="page-head"><h1>"API"</h1></header>
        {docs.show(move |docs| match docs {
            // HTML from the server, which escapes all text in it.
            Ok(html) => view! { <div class="docs" inner_html=html></div> }.into_any(),
            Err(error) => view! { <ErrorView error /> }.into_any(),
        })}
    }
}
