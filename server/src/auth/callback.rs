//! `GET /auth/callback`: finishes a sign-in when MANTYX sends the browser back.

use axum::extract::{Query, State};
use axum::response::{IntoResponse, Redirect, Response};
use serde::Deserialize;
use tower_sessions::Session;

use super::session::{PENDING_KEY, PendingSignIn, SignedInUser, USER_KEY};
use super::{Caller, Credential};
use crate::clock::now_ms;
use crate::mantyx::MantyxError;
use crate::state::AppState;
use crate::store::Grant;
use crate::web::launch::restore_stashed;
use crate::web::problem::Problem;

#[derive(Deserialize)]
pub struct Params {
    code: Option<String>,
    state: Option<String>,
    error: Option<String>,
}

pub async fn callback(State(state): State<AppState>, session: Session, Query(params): Query<Params>) -> Response {
    match finish(&state, &session, params).await {
        Ok(return_to) => Redirect::to(&return_to).into_response(),
        Err(problem) => problem.into_response(),
    }
}

async fn finish(state: &AppState, session: &Session, params: Params) -> Result<String, Problem> {
    // Removed before it is compared: a state can be used once.
    let pending: Option<PendingSignIn> = session.remove(PENDING_KEY).await.ok().flatten();
    let Some(pending) = pending.filter(|pending| Some(&pending.state) == params.state.as_ref()) else {
        return Err(Problem::sign_in(
            "This sign-in does not belong to this browser, or it was already used.",
            "Start again from here; nothing was changed.",
        ));
    };
    if let Some(error) = params.error {
        return Err(match error.as_str() {
            "access_denied" => Problem::sign_in(
                "Access was denied on MANTYX's page.",
                "Runlens needs your consent to read the workspace's runs. You can sign in again whenever you like.",
            ),
            _ => Problem::sign_in("MANTYX did not complete the sign-in.", "Try again in a moment."),
        });
    }
    let Some(code) = params.code else {
        return Err(Problem::sign_in("MANTYX sent no authorization code.", "Start the sign-in again."));
    };
    let tokens = state.mantyx.exchange_code(code, pending.pkce_verifier).await.map_err(to_problem)?;
    let user = state.mantyx.userinfo(&tokens.access).await.map_err(to_problem)?;
    let workspace_id = state.store.workspace_from_identity(&user.workspace).await.map_err(|e| Problem::internal(&e))?;
    let email = user.email.unwrap_or_else(|| user.subject.clone());
    let grant = Grant {
        id: crate::random::token(),
        workspace_id,
        subject: user.subject,
        email: email.clone(),
        scopes: tokens.scopes.clone(),
        tokens: state.credentials.seal(&tokens, now_ms()),
    };
    state.store.insert_grant(&grant, now_ms()).await.map_err(|error| Problem::internal(&error))?;
    revoke_earlier_grant(state, session).await;
    let caller =
        Caller { workspace_id, slug: user.workspace.slug.clone(), credential: Credential::Grant(grant.id.clone()) };
    let signed_in = SignedInUser {
        grant_id: grant.id,
        email,
        workspace_slug: user.workspace.slug,
        workspace_name: user.workspace.name,
    };
    // A new session id, so that one known before the sign-in is not signed in.
    session.cycle_id().await.map_err(|error| Problem::internal(&error))?;
    session.insert(USER_KEY, signed_in).await.map_err(|error| Problem::internal(&error))?;
    restore_stashed(state, session, &caller).await;
    Ok(pending.return_to)
}

/// Revokes the grant of an earlier sign-in in this session.
async fn revoke_earlier_grant(state: &AppState, session: &Session) {
    if let Ok(Some(earlier)) = session.get::<SignedInUser>(USER_KEY).await {
        state.credentials.revoke(&earlier.grant_id).await;
    }
}

fn to_problem(error: MantyxError) -> Problem {
    match error {
        MantyxError::Unreachable(reason) => {
            Problem::unavailable("MANTYX cannot be reached.", &format!("{reason}. Try again in a moment."))
        }
        MantyxError::Refused { code, .. } if code == "invalid_grant" => Problem::sign_in(
            "This sign-in has expired or was already used.",
            "An authorization code works once and for ten minutes. Start again from here.",
        ),
        MantyxError::Refused { code, .. } if code == "invalid_client" => Problem::sign_in(
            "MANTYX does not accept this dashboard's client id and secret.",
            "Ask your operator to check MANTYX_CLIENT_ID and MANTYX_CLIENT_SECRET.",
        ),
        MantyxError::MissingScope { scope } => Problem::sign_in(
            "The consent does not include everything Runlens needs.",
            &format!("Sign in again and allow {scope}."),
        ),
        other => Problem::sign_in("MANTYX did not complete the sign-in.", &format!("{other}.")),
    }
}
