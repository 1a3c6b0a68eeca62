//! The MANTYX that runs come from, who signed in, and what the scopes of the sign-in allow.

use leptos::prelude::*;

use crate::model::settings::{ConnectionModel, ScopeModel};

#[component]
pub fn Connection(connection: ConnectionModel) -> impl IntoView {
    let missing = connection.scopes.iter().filter(|scope| !scope.granted).count();
    let summary = match (connection.scopes_known, missing) {
        (false, _) => "MANTYX did not report which scopes it granted. Runlens requested all of these.",
        (true, 0) => "Your sign-in includes everything that Runlens uses.",
        (true, _) => {
            "Some features don't work, because your sign-in does not include their scopes. Sign in again and allow them."
        }
    };
    let class = if missing > 0 { "button primary" } else { "button" };
    let sandbox = connection.sandbox.then(|| view! { <span class="hint">"embedded sandbox"</span> });
    let scopes = connection.scopes.into_iter().map(scope).collect_view();
    view! {
        <dl>
            <dt>"MANTYX"</dt><dd><code>{connection.mantyx_host}</code>" "{sandbox}</dd>
            <dt>"Workspace"</dt><dd>{connection.workspace}" "<code>{connection.workspace_slug}</code></dd>
            <dt>"Account"</dt><dd>{connection.email}</dd>
        </dl>
        <h3>"Scopes"</h3>
        <p class="hint">{summary}</p>
        <table class="tools">
            <thead><tr><th scope="col">"Scope"</th><th scope="col">"State"</th><th scope="col">"What it means"</th></tr></thead>
            <tbody>{scopes}</tbody>
        </table>
        <p><a class=class href="/auth/start?return_to=/settings" rel="external">"Sign in again"</a></p>
    }
}

fn scope(ScopeModel { name, granted, effect }: ScopeModel) -> impl IntoView {
    let (class, word) = if granted { ("", "Granted") } else { ("field-error", "Missing") };
    view! { <tr data-granted=granted.to_string()><td><code>{name}</code></td><td class=class>{word}</td><td>{effect}</td></tr> }
}
