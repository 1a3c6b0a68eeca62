//! What can be done to the run from its header: cancel it, take its log along, judge it.

use leptos::form::ActionForm;
use leptos::prelude::*;

use super::Run;
use crate::api::actions::{CancelRun, GiveFeedback};
use crate::components::icon::{Icon, IconView};
use crate::components::time::RelativeTime;
use crate::model::{Feedback, Thumb};

#[component]
pub fn Actions(feedback: Option<Feedback>, now_ms: i64) -> impl IntoView {
    let run = expect_context::<Run>();
    let id = run.id.get_value();
    let running = Memo::new(move |_| {
        !run.state.with(|state| state.status.is_terminal()) && !run.summary.with(|run| run.status.is_terminal())
    });
    view! {
        <div class="run-actions">
            {move || (running.get() && run.can_write).then(|| view! { <Cancel /> })}
            <a class="button" href=format!("/api/runs/{id}/events?download") download=format!("{id}.ndjson") rel="external"><IconView icon=Icon::Download />"Log"</a>
            <FeedbackForm feedback now_ms />
        </div>
    }
}

#[component]
fn Cancel() -> impl IntoView {
    let run = expect_context::<Run>();
    let cancel = ServerAction::<CancelRun>::new();
    let said = move || match cancel.value().get() {
        None => None,
        Some(Ok(())) => Some("Asked to stop. The run ends after what it is doing now.".to_owned()),
        Some(Err(error)) => Some(error.to_string()),
    };
    view! {
        <ActionForm action=cancel attr:class="inline-form">
            <input type="hidden" name="id" value=run.id.get_value() />
            <button class="button danger" type="submit" disabled=move || cancel.pending().get()><IconView icon=Icon::Slash />"Cancel"</button>
        </ActionForm>
        {move || said().map(|said| view! { <span class="hint" role="status">{said}</span> })}
    }
}

/// Up or down at once; a note can go with it.
#[component]
fn FeedbackForm(feedback: Option<Feedback>, now_ms: i64) -> impl IntoView {
    let run = expect_context::<Run>();
    let give = ServerAction::<GiveFeedback>::new();
    let given = feedback.as_ref().map(|feedback| feedback.thumb);
    // What was pressed last, before and after the server has answered.
    let chosen = RwSignal::new(given);
    Effect::new(move |_| {
        if let Some(input) = give.input().get() {
            chosen.set(Some(input.thumb));
        }
    });
    let button = move |thumb: Thumb, icon: Icon, label: &'static str| {
        view! {
            <button class="icon-button" type="submit" name="thumb" value=thumb.as_str() title=label aria-label=label aria-pressed=move || (chosen.get() == Some(thumb)).to_string()>
                <IconView icon />
            </button>
        }
    };
    let note = feedback.as_ref().map(|feedback| feedback.explanation.clone()).unwrap_or_default();
    let kept = feedback.map(|feedback| {
        let place = if feedback.sent { "Sent to MANTYX" } else { "Kept here: this sign-in may not send it to MANTYX" };
        view! { <p class="hint">{place} " by " {feedback.given_by} ", " <RelativeTime at_ms=feedback.given_at_ms now_ms /></p> }
    });
    view! {
        <details class="feedback" data-thumb=move || chosen.get().map(Thumb::as_str)>
            <summary class="button"><IconView icon=Icon::Thumb />"Feedback"</summary>
            <div class="menu">
                <ActionForm action=give>
                    <input type="hidden" name="id" value=run.id.get_value() />
                    <label>"What was good or wrong (optional)"<textarea name="explanation" rows="3" maxlength="4000">{note}</textarea></label>
                    <span class="segmented" role="group" aria-label="Your judgement">
                        {button(Thumb::Up, Icon::Thumb, "Good run")}
                        {button(Thumb::Down, Icon::ThumbDown, "Bad run")}
                    </span>
                </ActionForm>
                {kept}
                {move || give.value().get().map(|given| match given {
                    Ok(()) => view! { <p class="hint" role="status">"Thank you: it is kept."</p> }.into_any(),
                    Err(error) => view! { <p class="field-error" role="alert">{error.to_string()}</p> }.into_any(),
                })}
            </div>
        </details>
    }
}
