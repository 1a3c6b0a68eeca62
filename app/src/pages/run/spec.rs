//! The spec tab: the system prompt, the run's spec with secrets masked, and code samples that launch it.

use leptos::prelude::*;

use crate::browser::RunContext;
use crate::components::copy::CopyButton;
use crate::components::json_tree::JsonTree;
use crate::model::run::TabContent;
use crate::plain_text::visible_html;

#[component]
pub fn Spec(system_prompt: Option<String>) -> impl IntoView {
    let run = expect_context::<RunContext>();
    let tab = Memo::new(move |_| run.state.with(|state| state.tab.clone()));
    move || {
        let TabContent::Spec(spec) = tab.get() else { return ().into_any() };
        let Some(value) = spec.spec else {
            return view! { <section class="panel"><h2>"Spec"</h2><p class="hint">"The spec of this run is not available."</p></section> }.into_any();
        };
        let samples = spec.samples.into_iter().map(|(name, text)| {
            view! {
                <details class="program">
                    <summary>{format!("As {name}")}</summary>
                    <CopyButton text=text.clone() label="Copy this" />
                    <pre class="code" tabindex="0" inner_html=visible_html(&text)></pre>
                </details>
            }
        });
        let system_prompt = system_prompt.as_deref().map(|text| {
            view! { <section class="panel"><h2>"System prompt"</h2><p class="prose raw asked" tabindex="0" role="region" aria-label="System prompt" inner_html=visible_html(text)></p></section> }
        });
        view! {
            {system_prompt}
            <section class="panel">
                <h2>"Spec"</h2>
                <p class="hint">"Secrets are hidden, also in copies."</p>
                <JsonTree value label="the spec" />
                {samples.collect_view()}
            </section>
        }
        .into_any()
    }
}
