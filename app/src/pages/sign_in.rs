//! The sign-in page.

use leptos::prelude::*;

use crate::components::page_data::PageData;
use crate::components::page_title::PageTitle;
use crate::query_string::use_query_string;
use domain::url::encode;

#[component]
pub fn SignIn() -> impl IntoView {
    let query = use_query_string();
    let href = move || {
        let return_to = query.with(|query| query.get("return_to")).unwrap_or_else(|| "/runs".to_owned());
        format!("/auth/start?return_to={}", encode(&return_to))
    };
    let info = PageData::load(|| (), |()| crate::api::sign_in::load_sign_in());
    view! {
        <PageTitle text="Sign in" />
        <main class="standalone">
            <section class="card">
                <div class="brand"><img src="/favicon.svg" alt="" width="28" height="28" />"Runlens"</div>
                <h1>"See what your agents did"</h1>
                <p>"Browse your workspace's runs, and find out why one failed, looped or was truncated."</p>
                <p><a class="button primary large" href=href rel="external">"Sign in with MANTYX"</a></p>
                {info.show_later(|info| match info {
                    Ok(info) if info.sandbox => view! {
                        <p class="hint">
                            "This dashboard uses its own sandbox at " <code>{info.mantyx_host}</code>
                            ". No account is needed: choose " <code>"owner@demo.test"</code> " on the next page."
                        </p>
                    }
                    .into_any(),
                    Ok(info) => view! { <p class="hint">"You sign in at " <code>{info.mantyx_host}</code> "."</p> }.into_any(),
                    Err(_) => ().into_any(),
                })}
            </section>
        </main>
    }
}
