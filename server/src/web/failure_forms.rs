//! `POST /failures/{id}`: the forms of a failure group's page, which set its state or its note.

use axum::extract::rejection::FormRejection;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Redirect, Response};
use axum::{Extension, Form};
use domain::url::encode_segment;
use domain::{FailureChange, FailureState};
use serde::Deserialize;

use super::form_notice::NoticeStore;
use super::local_path::local_path;
use super::problem::Problem;
use crate::api::ApiCaller;
use crate::failures;
use crate::state::AppState;

#[derive(Deserialize)]
pub struct FailureForm {
    state: Option<FailureState>,
    note: Option<String>,
    replaces_note_at_ms: Option<i64>,
    /// The page to show afterwards.
    return_to: Option<String>,
}

pub async fn change_failure(
    State(state): State<AppState>,
    Extension(notices): Extension<NoticeStore>,
    caller: ApiCaller,
    Path(id): Path<String>,
    form: Result<Form<FailureForm>, FormRejection>,
) -> Response {
    let page = format!("/failures/{}", encode_segment(&id));
    let form = match form {
        Ok(Form(form)) => form,
        Err(rejection) => return rejection.into_response(),
    };
    let message = match form.state {
        Some(FailureState::Open) => "Reopened.",
        Some(FailureState::Resolved) => "Resolved. A new run of this kind reopens it.",
        Some(FailureState::Muted) => "Muted. New runs of this kind change nothing.",
        None => "Note saved.",
    };
    let typed: Vec<String> = form.note.iter().cloned().collect();
    let change = FailureChange { state: form.state, note: form.note, replaces_note_at_ms: form.replaces_note_at_ms };
    match failures::change(&state, &caller.0, &id, change).await {
        Ok(_) => {
            notices.announce(message).await;
            let back = local_path(form.return_to.as_deref());
            Redirect::to(if back.starts_with("/failures") { &back } else { &page }).into_response()
        }
        Err(error) => Problem::form(&error.into(), &page, &typed).into_response(),
    }
}
