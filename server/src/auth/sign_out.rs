//! `POST /auth/sign-out`: ends the session here. Its tokens are revoked in the background.

use axum::extract::{Extension, State};
use axum::response::{IntoResponse, Redirect, Response};
use tower_sessions::Session;

use super::session::{SignedInUser, USER_KEY};
use crate::audit::Actor;
use crate::state::AppState;
use crate::web::client_address::ClientAddress;
use crate::web::problem::Problem;

pub async fn sign_out(
    State(state): State<AppState>,
    session: Session,
    client: Option<Extension<ClientAddress>>,
) -> Response {
    if let Ok(Some(user)) = session.get::<SignedInUser>(USER_KEY).await {
        let actor = Actor::person(&user.email, client.map(|client| client.0.0));
        if let Err(error) = state.credentials.sign_out(&user.grant_id, Some(&actor)).await {
            return Problem::store(&error).into_response();
        }
    }
    if let Err(error) = session.flush().await {
        tracing::warn!(%error, "cannot delete a session at sign-out");
    }
    Redirect::to("/sign-in").into_response()
}
