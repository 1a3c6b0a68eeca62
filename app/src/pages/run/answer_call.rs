//! The reply box of a local tool call that nobody has answered yet.

use leptos::prelude::*;

use super::Run;
use crate::components::post_form::PostForm;

#[component]
pub fn AnswerCall(
    tool_use_id: String,
    /// How long it has been waiting, drawn.
    age: Signal<String>,
) -> impl IntoView {
    let run = expect_context::<Run>();
    let age = view! { <span class="hint age" aria-live="off" inner_html=move || age.get()></span> };
    if !run.can_write {
        return view! { <p class="answer-call hint">"Your sign-in may not answer it: it lacks runs:write. " {age}</p> }
            .into_any();
    }
    view! {
        <PostForm action="/rpc/answer-call" class="answer-call" done="Sent. The run goes on.">
            <input type="hidden" name="id" value=run.id.get_value() />
            <input type="hidden" name="tool_use_id" value=tool_use_id />
            <label>"Your answer" <textarea name="text" rows="3" required></textarea></label>
            <p class="answer-buttons">
                <button class="button primary" type="submit">"Send as the result"</button>
                <button class="button" type="submit" name="failed" value="true">"Send as an error"</button>
                {age}
            </p>
        </PostForm>
    }
    .into_any()
}
