//! What the run was asked to do, with secrets hidden, and as a program that asks for it again.

use leptos::prelude::*;

use super::Run;
use crate::api::runs::run_spec;
use crate::components::copy::CopyButton;
use crate::components::error_view::ErrorView;
use crate::components::json_tree::JsonTree;
use crate::model::RunSpecPage;

#[component]
pub fn Spec() -> impl IntoView {
    let run = expect_context::<Run>();
    let spec = Resource::new_blocking(move || run.id.get_value(), run_spec);
    view! {
        <Transition fallback=|| view! { <p class="skeleton" aria-hidden="true"></p> }>
            {move || Suspend::new(async move {
                match spec.await {
                    Ok(spec) => view! { <SpecView spec /> }.into_any(),
                    Err(error) => view! { <ErrorView error /> }.into_any(),
                }
            })}
        </Transition>
    }
}

#[component]
fn SpecView(spec: RunSpecPage) -> impl IntoView {
    let Some(value) = spec.spec else {
        return view! { <section class="panel"><h2>"Spec"</h2><p class="hint">"The spec of this run is not known here."</p></section> }.into_any();
    };
    let programs = spec.programs.into_iter().map(|(name, text)| {
        view! {
            <details class="program">
                <summary>{format!("As {name}")}</summary>
                <CopyButton text=text.clone() label="Copy this" />
                <pre class="code" tabindex="0">{text}</pre>
            </details>
        }
    });
    view! {
        <section class="panel">
            <h2>"Spec"</h2>
            <p class="hint">"Secrets are hidden, here and in what is copied."</p>
            <JsonTree value label="the spec" />
            {programs.collect_view()}
        </section>
    }
    .into_any()
}
