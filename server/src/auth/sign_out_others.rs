//! `POST /auth/sign-out-others` and `POST /auth/sign-out-everywhere`: end the other sessions of the person who asks, or all.
//! Each session has a grant of its own, and ends with it.

use axum::Extension;
use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};
use tower_sessions::Session;

use super::session::IDLE_LIMIT_MS;
use super::sign_out::end_session;
use super::{Caller, Credential};
use crate::clock::now_ms;
use crate::state::AppState;
use crate::store;
use crate::web::form_notice::NoticeStore;
use crate::web::problem::Problem;

/// The part of the settings page with the sessions.
const SESSIONS: &str = "/settings#sessions";

pub async fn sign_out_others(
    State(state): State<AppState>,
    Extension(notices): Extension<NoticeStore>,
    Extension(caller): Extension<Caller>,
) -> Response {
    match end_others(&state, &caller).await {
        Ok(ended) => {
            let message = match ended {
                0 => "You were not signed in elsewhere.".to_owned(),
                1 => "One other session was signed out.".to_owned(),
                ended => format!("{ended} other sessions were signed out."),
            };
            notices.announce(&message).await;
            Redirect::to(SESSIONS).into_response()
        }
        Err(error) => Problem::store(&error).into_response(),
    }
}

pub async fn sign_out_everywhere(
    State(state): State<AppState>,
    session: Session,
    Extension(caller): Extension<Caller>,
) -> Response {
    if let Err(error) = end_others(&state, &caller).await {
        return Problem::store(&error).into_response();
    }
    end_session(&state, &session, caller.actor.address).await
}

/// Ends the other grants of the caller's person in this workspace. Returns how many had a session. One that cannot be ended
/// now is refused from now on, and ended later.
async fn end_others(state: &AppState, caller: &Caller) -> store::Result<usize> {
    let Credential::Grant(own) = &caller.credential else { return Ok(0) };
    let Some(grant) = state.store.grant(own).await? else { return Ok(0) };
    let others = state.store.grants_of_person(grant.workspace_id, &grant.subject).await?;
    let sessions = state.store.sign_ins(grant.workspace_id, &grant.subject, now_ms(), now_ms() - IDLE_LIMIT_MS).await?;
    let mut ended = Ok(());
    for other in others.iter().filter(|other| other.id != *own) {
        ended = ended.and(state.credentials.sign_out(&other.id, Some(&caller.actor)).await);
    }
    ended.map(|()| sessions.iter().filter(|session| session.grant_id != *own).count())
}
