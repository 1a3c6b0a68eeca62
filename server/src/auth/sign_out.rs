//! `POST /auth/sign-out`: ends the session and revokes its tokens.

use axum::extract::State;
use axum::response::Redirect;
use tower_sessions::Session;

use super::session::{SignedInUser, USER_KEY};
use crate::state::AppState;

pub async fn sign_out(State(state): State<AppState>, session: Session) -> Redirect {
    if let Ok(Some(user)) = session.get::<SignedInUser>(USER_KEY).await {
        state.credentials.revoke(&user.grant_id).await;
    }
    if let Err(error) = session.flush().await {
        tracing::warn!(%error, "cannot delete a session at sign-out");
    }
    Redirect::to("/sign-in")
}
