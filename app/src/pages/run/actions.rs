//! The actions in the header of a run: cancel, relaunch, compare, export, feedback, delete.

use leptos::prelude::*;

use crate::browser::RunContext;
use crate::browser::copy_link;
use crate::components::icon::{Icon, IconView};
use crate::components::more_menu::MoreMenu;
use crate::components::post_form::PostForm;
use crate::components::text_area::textarea_content;
use crate::components::time::RelativeTime;
use crate::model::run::RunView;
use domain::{Feedback, Thumb};

#[component]
pub fn Actions(feedback: Option<Feedback>, now_ms: i64) -> impl IntoView {
    let run = expect_context::<RunContext>();
    let id = run.id.get_value();
    let is_running =
        Memo::new(move |_| !run.state.with(|state| state.ended) && !run.summary.with(|run| run.status.is_terminal()));
    view! {
        <div class="run-actions">
            {(is_running.get_untracked() && run.can_write).then(|| view! { <CancelForm is_running /> })}
            {run.has_spec.then(|| view! { <a class="button" href=format!("/launch?like={id}")><IconView icon=Icon::Play />"Relaunch"</a> })}
            <a class="button" href=format!("/compare?left={id}")>"Compare"</a>
            <details class="menu-button" data-popover="">
                <summary class="button"><IconView icon=Icon::Download />"Export"</summary>
                <div class="menu">
                    <a href=format!("/runs/{id}/export") download="" rel="external">"Log (NDJSON, can be imported again)"</a>
                    <a href=format!("/runs/{id}/export?format=html") download="" rel="external">"Report (one HTML file, secrets hidden)"</a>
                    <CopyLink />
                    <p class="hint">"The link opens this view for people in this workspace only."</p>
                </div>
            </details>
            <FeedbackForm feedback now_ms />
            {run.can_write.then(|| view! { <MoreMenu><a class="danger" href=format!("/runs/{id}/delete")>"Delete run…"</a></MoreMenu> })}
        </div>
    }
}

/// Asks for confirmation, because a cancelled run can't be resumed. Its place stays reserved after the end of the run.
#[component]
fn CancelForm(is_running: Memo<bool>) -> impl IntoView {
    let run = expect_context::<RunContext>();
    view! {
        <details class="menu-button cancel-run" class:gone=move || !is_running.get() data-popover="">
            <summary class="button danger"><IconView icon=Icon::Slash />"Cancel"</summary>
            <div class="menu">
                <p>"The run stops after its current step. This can't be undone."</p>
                <PostForm action="/rpc/cancel-run" class="cancel-form" done="Cancelling. The run stops after its current step.">
                    <input type="hidden" name="id" value=run.id.get_value() />
                    <button class="button danger" type="submit">"Stop this run"</button>
                </PostForm>
            </div>
        </details>
    }
}

/// Copies the URL of the current view.
#[component]
fn CopyLink() -> impl IntoView {
    let run = expect_context::<RunContext>();
    let copied = RwSignal::new(false);
    let copy = move |_| copy_link(&run.href(RunView::clone), copied);
    view! { <button type="button" class="button js-only" on:click=copy>{move || if copied.get() { "Link copied" } else { "Copy a link to this view" }}</button> }
}

/// Thumbs up or down, with an optional note.
#[component]
fn FeedbackForm(feedback: Option<Feedback>, now_ms: i64) -> impl IntoView {
    let run = expect_context::<RunContext>();
    let chosen = RwSignal::new(feedback.as_ref().map(|feedback| feedback.thumb));
    let pressed_last = StoredValue::new(None);
    let on_done = Callback::new(move |()| chosen.set(pressed_last.get_value()));
    let button = move |thumb: Thumb, icon: Icon, label: &'static str| {
        let pressed = move || (chosen.get() == Some(thumb)).to_string();
        view! {
            <button class="button" type="submit" name="thumb" value=thumb.as_str() aria-pressed=pressed on:click=move |_| pressed_last.set_value(Some(thumb))>
                <IconView icon />{label}
            </button>
        }
    };
    let note = feedback.as_ref().map(|feedback| feedback.explanation.clone()).unwrap_or_default();
    let last_feedback = feedback.map(|feedback| {
        let destination = if feedback.sent { "Sent to MANTYX" } else { "Saved here, not at MANTYX" };
        view! { <p class="hint">{destination} " by " {feedback.given_by} ", " <RelativeTime at_ms=feedback.given_at_ms now_ms /></p> }
    });
    view! {
        <details class="feedback" data-popover="" data-thumb=move || chosen.get().map(Thumb::as_str)>
            <summary class="button"><IconView icon=Icon::Thumb />"Feedback"</summary>
            <div class="menu">
                <PostForm action="/rpc/give-feedback" class="feedback-form" done="Thank you. Saved." on_done=on_done>
                    <input type="hidden" name="id" value=run.id.get_value() />
                    <label>"What was good or wrong (optional)"<textarea name="explanation" rows="3" maxlength="4000">{textarea_content(&note)}</textarea></label>
                    <span class="feedback-buttons" role="group" aria-label="Your feedback">
                        {button(Thumb::Up, Icon::Thumb, "Send as good")}
                        {button(Thumb::Down, Icon::ThumbDown, "Send as bad")}
                    </span>
                    <p class="hint">"Either button sends your feedback with the note."</p>
                </PostForm>
                {last_feedback}
            </div>
        </details>
    }
}
