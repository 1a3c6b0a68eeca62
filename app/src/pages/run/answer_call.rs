//! The reply box of a local tool call that nobody has answered yet.

use leptos::prelude::*;

use super::Run;
use crate::components::post_form::PostForm;
use crate::live::seconds_since_shown;

#[component]
pub fn AnswerCall(tool_use_id: String) -> impl IntoView {
    let run = expect_context::<Run>();
    let seconds = seconds_since_shown();
    let age = move || seconds.get().map(|seconds| format!("Waiting for {seconds} s since it was seen here."));
    if !run.can_write {
        return view! { <p class="hint">"Your sign-in may not answer it: it lacks runs:write. " {age}</p> }.into_any();
    }
    view! {
        <PostForm action="/rpc/answer-call" class="answer-call" done="Sent. The run goes on.">
            <input type="hidden" name="id" value=run.id.get_value() />
            <input type="hidden" name="tool_use_id" value=tool_use_id />
            <label>"Your answer" <textarea name="text" rows="3" required></textarea></label>
            <p class="answer-buttons">
                <button class="button primary" type="submit">"Send as the result"</button>
                <button class="button" type="submit" name="failed" value="true">"Send as an error"</button>
                <span class="hint" aria-live="off">{age}</span>
            </p>
        </PostForm>
    }
    .into_any()
}
