//! A log from a file becomes a run.

use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use crate::components::page_title::PageTitle;
use crate::pages::lazy::lazy_page;
use crate::plain_text::visible;

lazy_page!(ImportRoute = ImportPage, run);

#[component]
fn ImportPage() -> impl IntoView {
    let params = use_query_map();
    let problem = move || params.with(|params| params.get("problem"));
    view! {
        <PageTitle text="Import a log" />
        <header class="page-head">
            <div>
                <p class="crumbs"><a href="/runs">"Runs"</a></p>
                <h1>"Import a log"</h1>
            </div>
        </header>
        // Sent by the browser itself: a file of any size is read by the server as it comes.
        <form class="panel import" method="post" action="/import" enctype="multipart/form-data">
            {move || problem().map(|problem| view! { <p class="field-error" role="alert">{visible(&problem).into_owned()}</p> })}
            <label>"A file: NDJSON, a JSON array of events, a raw SSE capture, or an export of Runlens"
                <input type="file" name="file" accept=".ndjson,.jsonl,.json,.txt,.log,.sse" />
            </label>
            <label>"Or paste a log"
                <textarea name="text" rows="8" class="mono" spellcheck="false" placeholder=r#"{"seq":1,"type":"result","data":{"text":"Hello"}}"#></textarea>
            </label>
            <p class="hint">"The run belongs to this workspace and is marked as imported. A line that cannot be read is named on its page; the rest is kept. For many files: "<code>"runlens import FILE…"</code></p>
            <button class="button primary" type="submit">"Import"</button>
        </form>
    }
}
