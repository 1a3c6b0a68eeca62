//! The list of failure groups.

use leptos::prelude::*;

use crate::api::failures::load_failures;
use crate::components::error_view::ErrorView;
use crate::components::page_data::PageData;
use crate::components::page_title::PageTitle;
use crate::model::failures::FailuresAddress;
use crate::pages::lazy::lazy_page;
use crate::query_string::use_query_string;

lazy_page!(FailuresRoute = FailuresPage, more);

#[component]
fn FailuresPage() -> impl IntoView {
    let query = use_query_string();
    let address = Memo::new(move |_| query.with(FailuresAddress::from_query));
    let list = PageData::load(move || address.get(), load_failures);
    view! {
        <PageTitle text="Failures" />
        {list.show(move |list| match list {
            // HTML from the server, which escapes all text in it.
            Ok(list) => view! { <div inner_html=list.html></div> }.into_any(),
            Err(error) => view! { <header class="page-head"><h1>"Failures"</h1></header><ErrorView error /> }.into_any(),
        })}
    }
}
