//! The reply box of a local tool call that nobody has answered yet.

use leptos::form::ActionForm;
use leptos::prelude::*;

use super::Run;
use crate::api::actions;
use crate::live::seconds_since_shown;

#[component]
pub fn AnswerCall(tool_use_id: String) -> impl IntoView {
    let run = expect_context::<Run>();
    let answer = ServerAction::<actions::AnswerCall>::new();
    let seconds = seconds_since_shown();
    let age = move || seconds.get().map(|seconds| format!("Waiting for {seconds} s since it was seen here."));
    if !run.can_write {
        return view! { <p class="hint">"Your sign-in may not answer it: it lacks runs:write. " {age}</p> }.into_any();
    }
    view! {
        <ActionForm action=answer attr:class="answer-call">
            <input type="hidden" name="id" value=run.id.get_value() />
            <input type="hidden" name="tool_use_id" value=tool_use_id />
            <label>"Your answer" <textarea name="text" rows="3" required></textarea></label>
            <p class="answer-buttons">
                <button class="button primary" type="submit" disabled=move || answer.pending().get()>"Send as the result"</button>
                <button class="button" type="submit" name="failed" value="true" disabled=move || answer.pending().get()>"Send as an error"</button>
                <span class="hint" aria-live="off">{age}</span>
            </p>
            {move || answer.value().get().map(|sent| match sent {
                Ok(()) => view! { <p class="hint" role="status">"Sent. The run goes on."</p> }.into_any(),
                Err(error) => view! { <p class="field-error" role="alert">{error.to_string()}</p> }.into_any(),
            })}
        </ActionForm>
    }
    .into_any()
}
