//! The import of a log from a file.

use leptos::prelude::*;

use crate::browser::{Upload, upload_form};
use crate::components::page_title::PageTitle;
use crate::format::decimal;
use crate::pages::lazy::lazy_page;
use crate::plain_text::visible;
use crate::query_string::use_query_string;

lazy_page!(ImportRoute = ImportPage, more);

#[component]
fn ImportPage() -> impl IntoView {
    let params = use_query_string();
    let problem = move || params.with(|params| params.get("problem"));
    let upload = RwSignal::new(Upload::Idle);
    let sending = move || matches!(upload.get(), Upload::Sending(..));
    view! {
        <PageTitle text="Import a log" />
        <header class="page-head">
            <div>
                <p class="crumbs"><a href="/runs">"Runs"</a></p>
                <h1>"Import a log"</h1>
            </div>
        </header>
        // The server parses the file while it arrives.
        <form class="panel import" method="post" action="/import" enctype="multipart/form-data" on:submit=move |event| upload_form(event, upload)>
            {move || problem().map(|problem| view! { <p class="field-error" role="alert">{visible(&problem).into_owned()}</p> })}
            <label>"A file: NDJSON, a JSON array of events, a raw SSE capture, or an export of Runlens"
                <input type="file" name="file" accept=".ndjson,.jsonl,.json,.txt,.log,.sse" />
            </label>
            <label>"Or paste a log"
                <textarea name="text" rows="8" class="mono" spellcheck="false" placeholder=r#"{"seq":1,"type":"result","data":{"text":"Hello"}}"#></textarea>
            </label>
            <p class="hint">"The run belongs to this workspace and is marked as imported. Unreadable lines are listed on the run page. For many files: "<code>"runlens import FILE…"</code></p>
            <button class="button primary" type="submit" disabled=sending>"Import"</button>
            <p class="import-progress" role="status">{move || progress(upload.get())}</p>
        </form>
    }
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
