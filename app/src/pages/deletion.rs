//! `/runs/{id}/delete` and `/sessions/{id}/delete`: asks for confirmation. The form is a plain one, because its page is gone
//! afterwards.

use leptos::prelude::*;
use leptos_router::hooks::use_params_map;

use crate::api::deletion::{load_run_deletion, load_session_deletion};
use crate::components::error_view::ErrorView;
use crate::components::page_data::PageData;
use crate::components::page_title::PageTitle;
use crate::model::deletion::DeletionModel;
use crate::pages::lazy::lazy_page;
use crate::plain_text::visible;

lazy_page!(DeleteRunRoute = DeleteRunPage, more);
lazy_page!(DeleteSessionRoute = DeleteSessionPage, more);

#[component]
fn DeleteRunPage() -> impl IntoView {
    let id = id_in_url();
    let deletion = PageData::load(move || id.get(), load_run_deletion);
    question(deletion, ("/runs", "Runs"), "Delete run")
}

#[component]
fn DeleteSessionPage() -> impl IntoView {
    let id = id_in_url();
    let deletion = PageData::load(move || id.get(), load_session_deletion);
    question(deletion, ("/sessions", "Sessions"), "Delete session")
}

fn id_in_url() -> Memo<String> {
    let params = use_params_map();
    Memo::new(move |_| params.with(|params| params.get("id")).unwrap_or_default())
}

/// `list` is the address and the name of the list that the item is in.
fn question(deletion: PageData<DeletionModel>, list: (&'static str, &'static str), action: &'static str) -> AnyView {
    let form = move |DeletionModel { title, consequences, href }: DeletionModel| {
        let title = visible(&title).into_owned();
        let action_href = format!("{href}/delete");
        view! {
            <header class="page-head">
                <div class="crumb-title">
                    <p class="crumbs"><a href=list.0>{list.1}</a></p>
                    <p class="crumbs"><a href=href.clone()>{title.clone()}</a></p>
                    <h1>{action} "?"</h1>
                </div>
            </header>
            <form class="panel deletion" method="post" action=action_href>
                <p><strong>{title}</strong></p>
                <p>{consequences}</p>
                <p class="form-buttons">
                    <button class="button danger" type="submit">{action}</button>
                    <a class="button" href=href>"Cancel"</a>
                </p>
            </form>
        }
    };
    view! {
        <PageTitle text=action />
        {deletion.show(move |deletion| match deletion {
            Ok(deletion) => form(deletion).into_any(),
            Err(error) => view! { <h1 class="visually-hidden">{action}</h1><ErrorView error /> }.into_any(),
        })}
    }
    .into_any()
}
