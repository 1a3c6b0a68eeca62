//! The launch page: a form and the spec as JSON beside it, as HTML from the server.
//!
//! Without JavaScript every button sends the whole form, and the server redirects back to the page. With JavaScript the
//! form is sent in the background, also after a change, and the page is updated in place; errors show up while the user
//! types.

use leptos::prelude::*;

use crate::api::launch::load_launch;
use crate::browser::watch_launch_form;
use crate::components::error_view::ErrorView;
use crate::components::page_data::PageData;
use crate::components::page_title::PageTitle;
use crate::launch::LaunchEntry;
use crate::pages::lazy::lazy_page;
use crate::query_string::use_query_string;

lazy_page!(LaunchRoute = LaunchPage, more);

#[component]
fn LaunchPage() -> impl IntoView {
    let query = use_query_string();
    let entry = Memo::new(move |_| query.with(LaunchEntry::from_query));
    let first = PageData::load(move || entry.get(), load_launch);
    let shown = StoredValue::new(false);
    view! {
        <PageTitle text="Launch" />
        <header class="page-head"><h1>"Launch a run"</h1></header>
        {first.show(move |first| match first {
            Ok(page) => {
                let again = shown.try_update_value(|shown| std::mem::replace(shown, true)).unwrap_or(false);
                let html = page.html.clone();
                watch_launch_form(page, again);
                view! { <div inner_html=html></div> }.into_any()
            }
            Err(error) => view! { <ErrorView error /> }.into_any(),
        })}
    }
}
