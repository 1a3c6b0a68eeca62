//! The settings: the connection to MANTYX, the sync, the display, sign-ins, redaction,
//! prices, the audit log, and how the server is configured.

mod audit_log;
mod connection;
mod display;
mod server;
mod sessions;
mod sync;

use leptos::prelude::*;

use crate::api::settings::load_settings;
use crate::components::error_view::ErrorView;
use crate::components::page_data::PageData;
use crate::components::page_title::PageTitle;
use crate::model::settings::SettingsModel;
use crate::pages::lazy::lazy_page;
use crate::query_string::use_query_string;

use audit_log::AuditLog;
use connection::Connection;
use display::Display;
use server::ServerFacts;
use sessions::Sessions;
use sync::SyncState;

lazy_page!(SettingsRoute = SettingsPage, runs);

/// The id and the title of each section.
const SECTIONS: [(&str, &str); 8] = [
    ("connection", "Connection"),
    ("sync", "Sync"),
    ("display", "Display"),
    ("sessions", "Signed-in sessions"),
    ("redaction", "Redaction"),
    ("prices", "Model prices"),
    ("audit", "Audit log"),
    ("server", "Server"),
];

#[component]
fn SettingsPage() -> impl IntoView {
    let params = use_query_string();
    let audit = Memo::new(move |_| params.with(|params| params.get("audit")));
    let reload_count = RwSignal::new(0_u32);
    let reload = Callback::new(move |()| reload_count.update(|count| *count += 1));
    let settings = PageData::load(move || (audit.get(), reload_count.get()), |(audit, _)| load_settings(audit));
    let links = SECTIONS.map(|(id, title)| view! { <a class="button quiet" href=format!("#{id}")>{title}</a> });
    view! {
        <PageTitle text="Settings" />
        <header class="page-head"><h1>"Settings"</h1></header>
        <div class="docs settings">
            <nav class="chips" aria-label="Sections">{links.collect_view()}</nav>
            {settings.show(move |settings| match settings {
                Ok(settings) => view! { <Sections settings reload /> }.into_any(),
                Err(error) => view! { <ErrorView error /> }.into_any(),
            })}
        </div>
    }
}

#[component]
fn Sections(settings: SettingsModel, reload: Callback<()>) -> impl IntoView {
    let SettingsModel { connection, sync, pause_refusal, display, sign_ins, redaction, prices, audit, server, now_ms } =
        settings;
    view! {
        {section(0, view! { <Connection connection /> }.into_any())}
        {section(1, view! { <SyncState sync refusal=pause_refusal now_ms reload /> }.into_any())}
        {section(2, view! { <Display display /> }.into_any())}
        {section(3, view! { <Sessions sign_ins now_ms /> }.into_any())}
        {section(4, view! { <div inner_html=redaction></div> }.into_any())}
        {section(5, view! { <div inner_html=prices></div> }.into_any())}
        {section(6, view! { <AuditLog audit now_ms /> }.into_any())}
        {section(7, view! { <ServerFacts groups=server /> }.into_any())}
    }
}

fn section(number: usize, content: AnyView) -> AnyView {
    let (id, title) = SECTIONS[number];
    let heading = format!("{id}-title");
    let labelled_by = heading.clone();
    view! {
        <section class="panel" id=id aria-labelledby=labelled_by>
            <h2 id=heading>{title}</h2>
            {content}
        </section>
    }
    .into_any()
}
