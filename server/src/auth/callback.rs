//! `GET /auth/callback`: finishes a sign-in when MANTYX sends the browser back.

use std::net::IpAddr;

use axum::extract::{Extension, Query, State};
use axum::http::HeaderMap;
use axum::http::header::SET_COOKIE;
use axum::response::{AppendHeaders, IntoResponse, Redirect, Response};
use domain::AuditAction;
use serde::Deserialize;
use tower_sessions::Session;

use super::pending::{PendingSignIn, removal_cookie};
use super::session::{SignedInUser, USER_KEY};
use super::workspace_check::workspace_of_identity;
use super::{Caller, Credential};
use crate::audit::Actor;
use crate::clock::now_ms;
use crate::error::Error;
use crate::mantyx::{MantyxError, TokenSet};
use crate::state::AppState;
use crate::store::Grant;
use crate::web::client_address::ClientAddress;
use crate::web::launch::restore_stashed;
use crate::web::problem::Problem;

#[derive(Deserialize)]
pub struct Params {
    code: Option<String>,
    state: Option<String>,
    error: Option<String>,
}

pub async fn callback(
    State(state): State<AppState>,
    session: Session,
    client: Option<Extension<ClientAddress>>,
    headers: HeaderMap,
    Query(params): Query<Params>,
) -> Response {
    let asked = params.state.clone().unwrap_or_default();
    let Some(pending) = PendingSignIn::find(&state.vault, &headers, &asked, now_ms()) else {
        let problem = Problem::sign_in(
            "This sign-in does not belong to this browser, or it was already used.",
            "Start again from here; nothing was changed.",
        );
        return problem.into_response();
    };
    // A state is used once, whatever the result.
    let used = AppendHeaders([(SET_COOKIE, removal_cookie(&asked, state.is_https()))]);
    let return_to = pending.return_to.clone();
    match finish(&state, &session, params, pending, client.map(|client| client.0.0)).await {
        Ok(()) => (used, Redirect::to(&return_to)).into_response(),
        Err(problem) => (used, problem.returning_to(&return_to)).into_response(),
    }
}

async fn finish(
    state: &AppState,
    session: &Session,
    params: Params,
    pending: PendingSignIn,
    address: Option<IpAddr>,
) -> Result<(), Problem> {
    if let Some(error) = params.error {
        return Err(match error.as_str() {
            "access_denied" => Problem::sign_in(
                "You denied access.",
                "Runlens needs your consent to read the workspace's runs. You can sign in again at any time.",
            ),
            _ => Problem::sign_in("MANTYX did not complete the sign-in.", "Try again in a moment."),
        });
    }
    let Some(code) = params.code else {
        return Err(Problem::sign_in("MANTYX sent no authorization code.", "Start the sign-in again."));
    };
    let tokens = state.mantyx.exchange_code(code, pending.pkce_verifier).await.map_err(to_problem)?;
    let signed_in = sign_in(state, session, &tokens, address).await;
    if signed_in.is_err() {
        // Nobody will use these tokens.
        state.credentials.discard(&tokens).await;
    }
    let caller = signed_in?;
    restore_stashed(state, session, &caller).await;
    Ok(())
}

/// Stores the consent and binds the session to it.
async fn sign_in(
    state: &AppState,
    session: &Session,
    tokens: &TokenSet,
    address: Option<IpAddr>,
) -> Result<Caller, Problem> {
    let user = state.mantyx.userinfo(&tokens.access).await.map_err(to_problem)?;
    state.workspaces.check(&state.store, &user.workspace).await.map_err(|error| Problem::refused(error.into()))?;
    let workspace_id =
        workspace_of_identity(state, &tokens.access, &user.workspace).await.map_err(workspace_problem)?;
    let email = user.email.unwrap_or_else(|| user.subject.clone());
    let grant = Grant {
        id: crate::random::token(),
        workspace_id,
        subject: user.subject,
        email: email.clone(),
        scopes: tokens.scopes.clone(),
        tokens: state.credentials.seal(tokens, now_ms()),
        created_at_ms: now_ms(),
    };
    let earlier = session.get::<SignedInUser>(USER_KEY).await.ok().flatten();
    let actor = Actor::person(&email, address);
    let entry = actor.entry(AuditAction::SignIn).with_detail(format!("scopes: {}", grant.scopes));
    state.store.insert_grant(&grant, &entry).await.map_err(|error| Problem::store(&error))?;
    state.credentials.mark_checked(&grant.id);
    let slug = user.workspace.slug.clone();
    let caller = Caller { workspace_id, slug, credential: Credential::Grant(grant.id.clone()), actor };
    let signed_in = SignedInUser {
        grant_id: grant.id,
        email,
        workspace_slug: user.workspace.slug,
        workspace_name: user.workspace.name,
    };
    session.insert(USER_KEY, signed_in).await.map_err(|error| Problem::internal(&error))?;
    // A new session id, so that one known before the sign-in is not signed in.
    session.cycle_id().await.map_err(|error| Problem::internal(&error))?;
    // The session is bound to the new consent now, so the earlier one can end.
    if let Some(earlier) = earlier
        && let Err(error) = state.credentials.sign_out(&earlier.grant_id, None).await
    {
        tracing::warn!(%error, "cannot end an earlier sign-in");
    }
    Ok(caller)
}

fn workspace_problem(error: Error) -> Problem {
    match error {
        Error::Mantyx(error) => to_problem(error),
        Error::Store(error) => Problem::store(&error),
        other => Problem::internal(&other),
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
