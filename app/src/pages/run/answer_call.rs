//! The reply box of a local tool call that is waiting for an answer.

use leptos::prelude::*;

use crate::browser::{FormResult, RunContext, send_on_ctrl_enter, typed_reply};
use crate::components::copy::CopyButton;
use crate::components::post_form::PostForm;

/// The text in the reply box. It outlives the box.
#[derive(Clone, Copy)]
pub struct Draft {
    text: RwSignal<String>,
    /// The answer is being sent, or was sent.
    sent: RwSignal<bool>,
    outcome: RwSignal<Option<FormResult>>,
}

impl Draft {
    pub fn new() -> Self {
        Self { text: RwSignal::new(String::new()), sent: RwSignal::new(false), outcome: RwSignal::new(None) }
    }

    fn send(&self) {
        self.sent.set(true);
        self.outcome.set(None);
    }

    fn is_unsent(&self) -> bool {
        let failed = self.outcome.with(|outcome| matches!(outcome, Some(Err(_))));
        self.text.with(|text| !text.trim().is_empty()) && (!self.sent.get() || failed)
    }
}

#[component]
pub fn AnswerCall(
    /// HTML.
    controls: String,
    /// HTML: the time that the call has been waiting.
    age: Signal<String>,
    draft: Draft,
) -> impl IntoView {
    let run = expect_context::<RunContext>();
    let age = view! { <span class="hint age" aria-live="off" inner_html=move || age.get()></span> };
    if !run.can_write {
        return view! { <p class="answer-call hint">"Your sign-in can't answer it: it lacks runs:write. " {age}</p> }
            .into_any();
    }
    view! {
        <PostForm
            action="/waiting"
            class="answer-call"
            done="Answer sent. The run continues."
            outcome=draft.outcome
            on:submit=move |_| draft.send()
        >
            <div
                inner_html=controls
                on:input=move |event| draft.text.set(typed_reply(&event))
                on:keydown=move |event| send_on_ctrl_enter(&event)
            ></div>
            {age}
        </PostForm>
    }
    .into_any()
}

/// Replaces a reply box that disappeared before its answer was sent, so that the text is not lost.
#[component]
pub fn UnsentDraft(draft: Draft) -> impl IntoView {
    move || {
        draft.is_unsent().then(|| {
            let text = draft.text.get_untracked();
            view! {
                <div class="answer-call unsent-draft">
                    <p role="status">"This call is no longer waiting: it was answered elsewhere, or the run continued without it. Your answer was not sent."</p>
                    <label>"Your unsent answer" <textarea rows="3" readonly prop:value=text.clone()></textarea></label>
                    <CopyButton text label="Copy the text" />
                </div>
            }
        })
    }
}
