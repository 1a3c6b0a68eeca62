//! The plan and the output of the run, or the partial output of a failed run.

use leptos::prelude::*;

use crate::browser::RunContext;
use crate::components::copy::CopyButton;
use crate::components::json_tree::JsonTree;
use crate::format::grouped;

#[component]
pub fn Output() -> impl IntoView {
    let run = expect_context::<RunContext>();
    let answer = Memo::new(move |_| {
        run.state
            .with(|state| (state.answer.clone(), state.answer_html.clone(), state.answer_cut, state.violations.clone()))
    });
    let partial = Memo::new(move |_| run.state.with(|state| state.partial && !state.answer.is_empty()));
    let unfinished = Memo::new(move |_| run.state.with(|state| !state.truncation.is_empty()));
    // In a run in progress the text so far is in the timeline, and a plan that appears later would move the panel.
    let is_later =
        move || run.state.with(|state| !state.status.is_terminal() && (run.at().is_none() || state.answer.is_empty()));
    view! {
        <div inner_html=move || run.state.with(|state| state.plan.clone())></div>
        <div inner_html=move || run.state.with(|state| state.truncation.clone())></div>
        <p class="hint" hidden=move || !is_later()>"No output yet."</p>
        <section class="panel output" hidden=is_later>
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
    }
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
