//! `GET /auth/start`: starts a sign-in and redirects the browser to MANTYX.

use axum::extract::{Query, State};
use axum::http::HeaderMap;
use axum::http::header::SET_COOKIE;
use axum::response::{AppendHeaders, IntoResponse, Redirect, Response};
use serde::Deserialize;

use super::pending::PendingSignIn;
use crate::clock::now_ms;
use crate::state::AppState;
use crate::web::local_path::local_path;
use crate::web::problem::Problem;

#[derive(Deserialize)]
pub struct Params {
    return_to: Option<String>,
}

pub async fn start(State(state): State<AppState>, headers: HeaderMap, Query(params): Query<Params>) -> Response {
    let started = match state.mantyx.start_sign_in() {
        Ok(started) => started,
        Err(error) => return Problem::sign_in("The sign-in could not be started.", &error.to_string()).into_response(),
    };
    // The session is stored after this response is built, so a database that cannot be written is reported here.
    if let Err(error) = state.readiness.check_writable(&state.store).await {
        return Problem::store(&error).into_response();
    }
    let pending = PendingSignIn {
        state: started.state,
        pkce_verifier: started.pkce_verifier,
        return_to: local_path(params.return_to.as_deref()),
        started_at_ms: now_ms(),
    };
    let cookies = pending.cookies(&state.vault, &headers, state.is_https());
    let cookies: Vec<_> = cookies.into_iter().map(|cookie| (SET_COOKIE, cookie)).collect();
    (AppendHeaders(cookies), Redirect::to(started.authorize_url.as_str())).into_response()
}
