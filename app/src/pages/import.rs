//! The import of logs from files.

use leptos::prelude::*;
use leptos_router::hooks::use_navigate;

use crate::api::import::load_imported;
use crate::browser::{Upload, upload_form};
use crate::components::error_view::ErrorView;
use crate::components::icon::{Icon, IconView};
use crate::components::page_data::PageData;
use crate::components::page_title::PageTitle;
use crate::format::decimal;
use crate::model::import::ImportedFile;
use crate::pages::lazy::lazy_page;
use crate::plain_text::visible;
use crate::query_string::use_query_string;

lazy_page!(ImportRoute = ImportPage, more);

#[component]
fn ImportPage() -> impl IntoView {
    let params = use_query_string();
    let problems = move || params.with(|params| params.get_all("problem"));
    let runs = Memo::new(move |_| params.with(|params| params.get_all("run")));
    let imported = PageData::load_some(move || Some(runs.get()).filter(|runs| !runs.is_empty()), load_imported);
    let upload = RwSignal::new(Upload::Idle);
    let navigate = use_navigate();
    let show = Callback::new(move |query: String| navigate(&format!("/import{query}"), Default::default()));
    let sending = move || matches!(upload.get(), Upload::Sending(..));
    view! {
        <PageTitle text="Import logs" />
        <header class="page-head">
            <div class="crumb-title">
                <p class="crumbs"><a href="/runs">"Runs"</a></p>
                <h1>"Import logs"</h1>
            </div>
        </header>
        {imported.show(move |imported| match imported {
            Ok(files) => view! { <Results files /> }.into_any(),
            Err(error) => view! { <ErrorView error /> }.into_any(),
        })}
        {move || problem_list(problems())}
        // The server parses the file while it arrives.
        <form class="panel import" method="post" action="/import" enctype="multipart/form-data" on:submit=move |event| upload_form(event, upload, show)>
            <label>"Files: NDJSON, a JSON array of events, a raw SSE capture, or a Runlens export"
                <input type="file" name="file" multiple=true accept=".ndjson,.jsonl,.json,.txt,.log,.sse" />
            </label>
            <label>"Or paste a log"
                <textarea name="text" rows="8" class="mono" spellcheck="false" placeholder=r#"{"seq":1,"type":"result","data":{"text":"Hello"}}"#></textarea>
            </label>
            <p class="hint">"Each log becomes a run of this workspace, marked as imported. Unreadable lines are listed on the run page. In a script, use "<code>"runlens import FILE…"</code>"."</p>
            <button class="button primary" type="submit" disabled=sending>"Import"</button>
            <p class="import-progress" role="status">{move || progress(upload.get())}</p>
        </form>
    }
}

/// One line per file that became a run.
#[component]
fn Results(files: Vec<ImportedFile>) -> impl IntoView {
    if files.is_empty() {
        return ().into_any();
    }
    let lines = files.into_iter().map(|file| {
        let name = visible(&file.name).into_owned();
        view! { <li><IconView icon=Icon::Check /><a href=file.href>{name}</a><span class="hint">{file.summary}</span></li> }
    });
    view! { <div role="status"><ul class="import-results">{lines.collect_view()}</ul></div> }.into_any()
}

/// One line per file that could not be imported.
fn problem_list(problems: Vec<String>) -> Option<AnyView> {
    let lines = problems.iter().map(|problem| {
        view! { <li class="field-error"><IconView icon=Icon::Cross />{visible(problem).into_owned()}</li> }
    });
    let lines: Vec<_> = lines.collect();
    (!lines.is_empty()).then(|| view! { <div role="alert"><ul class="import-results">{lines}</ul></div> }.into_any())
}

fn progress(upload: Upload) -> Option<AnyView> {
    let megabytes = |bytes: u64| decimal(bytes, 1_000_000, 1);
    match upload {
        Upload::Idle => None,
        Upload::Sending(sent, total) if sent < total => Some(
            view! {
                <progress max=total.to_string() value=sent.to_string() aria-label="Sent"></progress>
                <span>{format!("{} of {} MB sent", megabytes(sent), megabytes(total))}</span>
            }
            .into_any(),
        ),
        Upload::Sending(..) => Some(view! { <progress aria-label="Reading"></progress><span>"The server is reading the log…"</span> }.into_any()),
        Upload::Failed => Some(view! { <span class="field-error" role="alert">"The connection was lost. The part that arrived was imported as an incomplete run. Try again to import the whole log."</span> }.into_any()),
    }
}
