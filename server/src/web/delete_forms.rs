//! `POST /runs/{id}/delete` and `POST /sessions/{id}/delete`: the forms of the pages that ask for confirmation.

use axum::Extension;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Redirect, Response};
use domain::url::encode_segment;

use super::form_notice::NoticeStore;
use super::problem::Problem;
use crate::api::ApiCaller;
use crate::erase;
use crate::state::AppState;
use crate::store::EraseTarget;

pub async fn delete_run(
    State(state): State<AppState>,
    Extension(notices): Extension<NoticeStore>,
    caller: ApiCaller,
    Path(id): Path<String>,
) -> Response {
    delete(&state, &notices, &caller, EraseTarget::Run(id.clone()), &id, ("/runs", "Run deleted.")).await
}

pub async fn delete_session(
    State(state): State<AppState>,
    Extension(notices): Extension<NoticeStore>,
    caller: ApiCaller,
    Path(id): Path<String>,
) -> Response {
    delete(&state, &notices, &caller, EraseTarget::Session(id.clone()), &id, ("/sessions", "Session deleted.")).await
}

/// Shows `list` with the message, or the error with a link back.
async fn delete(
    state: &AppState,
    notices: &NoticeStore,
    caller: &ApiCaller,
    target: EraseTarget,
    id: &str,
    (list, message): (&str, &str),
) -> Response {
    match erase::erase(state, &caller.0, &target).await {
        Ok(_) => {
            notices.announce(message).await;
            Redirect::to(list).into_response()
        }
        Err(error) => Problem::form(&error.into(), &format!("{list}/{}", encode_segment(id)), &[]).into_response(),
    }
}
