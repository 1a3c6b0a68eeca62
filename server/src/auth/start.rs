//! `GET /auth/start`: starts a sign-in and redirects the browser to MANTYX.

use axum::extract::{Query, State};
use axum::response::{IntoResponse, Redirect, Response};
use serde::Deserialize;
use tower_sessions::Session;

use super::session::{PENDING_KEY, PendingSignIn};
use crate::state::AppState;
use crate::web::local_path::local_path;
use crate::web::problem::Problem;

#[derive(Deserialize)]
pub struct Params {
    return_to: Option<String>,
}

pub async fn start(State(state): State<AppState>, session: Session, Query(params): Query<Params>) -> Response {
    let started = match state.mantyx.start_sign_in() {
        Ok(started) => started,
        Err(error) => return Problem::sign_in("The sign-in could not be started.", &error.to_string()).into_response(),
    };
    let pending = PendingSignIn {
        state: started.state,
        pkce_verifier: started.pkce_verifier,
        return_to: local_path(params.return_to.as_deref()),
    };
    match session.insert(PENDING_KEY, pending).await {
        Ok(()) => Redirect::to(started.authorize_url.as_str()).into_response(),
        Err(error) => Problem::internal(&error).into_response(),
    }
}
