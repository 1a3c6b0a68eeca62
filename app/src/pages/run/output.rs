//! The output of the run, partial output of a failed run, and the system prompt.

use leptos::prelude::*;

use crate::browser::RunContext;
use crate::components::copy::CopyButton;
use crate::components::json_tree::JsonTree;
use crate::format::grouped;
use crate::plain_text::visible_html;

#[component]
pub fn Output(system_prompt: Option<String>) -> impl IntoView {
    let run = expect_context::<RunContext>();
    let answer = Memo::new(move |_| {
        run.state
            .with(|state| (state.answer.clone(), state.answer_html.clone(), state.answer_cut, state.violations.clone()))
    });
    let partial = Memo::new(move |_| run.state.with(|state| state.partial));
    let unfinished = Memo::new(move |_| run.state.with(|state| !state.truncation.is_empty()));
    view! {
        <div inner_html=move || run.state.with(|state| state.truncation.clone())></div>
        <section class="panel output">
            <h2>{move || if partial.get() { "Partial output" } else { "Output" }}</h2>
            {move || {
                let (text, html, cut, violations) = answer.get();
                if text.is_empty() {
                    return view! { <p class="hint">"No output."</p> }.into_any();
                }
                let cut = (cut > 0).then(|| view! { <p class="hint">{format!("{} more bytes are in the exported log.", grouped(cut as u64))}</p> });
                view! { <Answer text html violations unfinished=unfinished.get() />{cut} }.into_any()
            }}
            <div inner_html=move || run.state.with(|state| state.schema_result.clone())></div>
        </section>
        <div inner_html=move || run.state.with(|state| state.plan.clone())></div>
        {system_prompt.map(|text| system_prompt_section(&text))}
    }
}

/// A prompt can be long and is rarely the reason for the visit, so it scrolls in its own box.
fn system_prompt_section(text: &str) -> AnyView {
    view! { <section class="panel"><h2>"System prompt"</h2><p class="prose raw asked" tabindex="0" role="region" aria-label="System prompt" inner_html=visible_html(text)></p></section> }
        .into_any()
}

/// JSON is shown as a tree.
#[component]
fn Answer(text: String, html: String, violations: Vec<String>, unfinished: bool) -> impl IntoView {
    let tree = html.is_empty().then(|| {
        let value: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
        view! { <JsonTree value label="the answer" invalid_paths=violations /> }
    });
    let copy = match unfinished {
        true => Some((format!("[incomplete: truncated by the output limit]\n{text}"), "Copy partial output")),
        // The tree has its own copy button.
        false => tree.is_none().then_some((text, "Copy the output")),
    };
    let copy = copy.map(|(text, label)| view! { <CopyButton text label /> });
    view! { {copy}{tree}<div inner_html=html></div> }.into_any()
}
