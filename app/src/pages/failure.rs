//! One failure group: its trend, the typical finding, its newest runs and who is affected.

use leptos::prelude::*;
use leptos_router::hooks::use_params_map;

use crate::api::failures::load_failure;
use crate::components::error_view::ErrorView;
use crate::components::page_data::PageData;
use crate::components::page_title::PageTitle;
use crate::model::failures::FailuresAddress;
use crate::pages::lazy::lazy_page;
use crate::query_string::use_query_string;

lazy_page!(FailureRoute = FailurePage, more);

#[component]
fn FailurePage() -> impl IntoView {
    let (params, query) = (use_params_map(), use_query_string());
    let address = Memo::new(move |_| {
        (params.with(|params| params.get("id")).unwrap_or_default(), query.with(FailuresAddress::from_query))
    });
    let group = PageData::load(move || address.get(), |(id, address)| load_failure(id, address));
    view! {
        {group.show(move |group| match group {
            // HTML from the server, which escapes all text in it.
            Ok(group) => view! { <PageTitle text=group.title /><div inner_html=group.html></div> }.into_any(),
            Err(error) => {
                view! { <PageTitle text="Failures" /><h1 class="visually-hidden">"Failures"</h1><ErrorView error /> }.into_any()
            }
        })}
    }
}
