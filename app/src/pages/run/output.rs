//! What the run came to: its answer, or what was salvaged of one, and what it had been asked.

use leptos::prelude::*;

use super::Run;
use super::plan::Checklist;
use super::rows::Prose;
use super::truncated::TruncationCard;
use crate::components::copy::CopyButton;
use crate::components::icon::{Icon, IconView};
use crate::components::json_tree::JsonTree;
use crate::format::grouped;
use crate::plain_text::visible;
use crate::run::SchemaFit;

#[component]
pub fn Output(prompt: Option<String>, system_prompt: Option<String>) -> impl IntoView {
    let run = expect_context::<Run>();
    let answer = Memo::new(move |_| run.state.with(|state| (state.answer.clone(), state.answer_cut)));
    let salvaged = Memo::new(move |_| run.state.with(|state| state.salvaged));
    let plan = Memo::new(move |_| run.state.with(|state| state.plan.clone()));
    let truncation = Memo::new(move |_| run.state.with(|state| state.truncation.clone()));
    let fit = Memo::new(move |_| run.state.with(|state| state.schema_fit.clone()));
    view! {
        {move || truncation.get().map(|card| view! { <TruncationCard card /> })}
        <section class="panel output">
            <h2>{move || if salvaged.get() { "Salvaged output" } else { "Output" }}</h2>
            {move || {
                let (text, cut) = answer.get();
                if text.is_empty() {
                    return view! { <p class="hint">"Nothing was written."</p> }.into_any();
                }
                let cut = (cut > 0).then(|| view! { <p class="hint">{format!("{} more bytes are in the raw log.", grouped(cut as u64))}</p> });
                let faults = fit.with(|fit| match fit {
                    Some(SchemaFit::Breaks(faults)) => faults.iter().map(|fault| fault.0.clone()).collect(),
                    _ => Vec::new(),
                });
                view! { <Answer text faults />{cut} }.into_any()
            }}
            {move || fit.get().map(|fit| view! { <Fit fit /> })}
        </section>
        {move || plan.get().map(|plan| view! { <section class="panel"><h2>"Plan"</h2><Checklist plan /></section> })}
        {prompt.map(|text| view! { <section class="panel"><h2>"Prompt"</h2><p class="prose raw">{visible(&text).into_owned()}</p></section> })}
        {system_prompt.map(|text| view! { <section class="panel"><h2>"System prompt"</h2><p class="prose raw">{visible(&text).into_owned()}</p></section> })}
    }
}

/// An answer that is JSON is a tree.
#[component]
fn Answer(text: String, faults: Vec<String>) -> impl IntoView {
    let json = text.trim_start().starts_with(['{', '[']).then(|| serde_json::from_str(&text).ok()).flatten();
    match json {
        Some(value) => view! { <JsonTree value label="the answer" faults /> }.into_any(),
        None => view! { <CopyButton text=text.clone() label="Copy the output" /><Prose text /> }.into_any(),
    }
}

/// Whether the answer has the shape that was asked for.
#[component]
fn Fit(fit: SchemaFit) -> impl IntoView {
    match fit {
        SchemaFit::Fits => {
            view! { <p class="fit" data-tone="success"><IconView icon=Icon::Check />"Breaks no rule of the output schema."</p> }.into_any()
        }
        SchemaFit::NotJson => {
            view! { <p class="fit" data-tone="error"><IconView icon=Icon::Alert />"An output schema was asked for, but the answer is no JSON."</p> }
                .into_any()
        }
        SchemaFit::Breaks(faults) => {
            let faults = faults.into_iter().map(|(path, message)| {
                let path = if path.is_empty() { "the whole answer".to_owned() } else { path };
                view! { <li><code>{visible(&path).into_owned()}</code>" "{visible(&message).into_owned()}</li> }
            });
            view! {
                <div class="fit" data-tone="error">
                    <p><IconView icon=Icon::Alert />"Does not fit the output schema:"</p>
                    <ul>{faults.collect_view()}</ul>
                </div>
            }
            .into_any()
        }
    }
}
