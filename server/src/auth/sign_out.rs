//! `POST /auth/sign-out`: ends the session here. Its tokens are revoked in the background.
//!
//! The browser forgets its session in any case. While nothing can be saved, the session is refused from memory and ended in
//! the database later.

use std::net::IpAddr;

use axum::extract::{Extension, State};
use axum::http::header::SET_COOKIE;
use axum::response::{AppendHeaders, IntoResponse, Redirect, Response};
use tower_sessions::Session;

use super::session::{SignedInUser, USER_KEY, expired_cookie};
use crate::audit::Actor;
use crate::state::AppState;
use crate::web::client_address::ClientAddress;
use crate::web::problem::Problem;

const TITLE: &str = "This browser is signed out.";
const NOT_ENDED: &str = "Nothing can be saved at the moment, so your session is still stored on the server. The server \
    refuses it, and deletes it as soon as it can save again.";

pub async fn sign_out(
    State(state): State<AppState>,
    session: Session,
    client: Option<Extension<ClientAddress>>,
) -> Response {
    end_session(&state, &session, client.map(|client| client.0.0)).await
}

/// Ends the session of a request, and sends its browser to the sign-in.
pub(super) async fn end_session(state: &AppState, session: &Session, address: Option<IpAddr>) -> Response {
    if let Ok(Some(user)) = session.get::<SignedInUser>(USER_KEY).await {
        let actor = Actor::person(&user.email, address);
        if let Err(error) = state.credentials.sign_out(&user.grant_id, Some(&actor)).await {
            tracing::error!(%error, "a sign-out could not be stored; retrying");
            return not_ended(state);
        }
    }
    if let Err(error) = session.flush().await {
        tracing::warn!(%error, "cannot delete a session at sign-out");
        return not_ended(state);
    }
    Redirect::to("/sign-in").into_response()
}

fn not_ended(state: &AppState) -> Response {
    let forget = AppendHeaders([(SET_COOKIE, expired_cookie(state.is_https()))]);
    (forget, Problem::unavailable(TITLE, NOT_ENDED)).into_response()
}
