//! The browser session, and the middleware that finds out who sent a request.

use std::net::IpAddr;
use std::sync::Arc;

use app::AppError;
use app::backend::SignedIn;
use app::model::Viewer;
use axum::extract::{Request, State};
use axum::http::header::ACCEPT;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use serde::{Deserialize, Serialize};
use tower_sessions::cookie::SameSite;
use tower_sessions::cookie::time::Duration;
use tower_sessions::session::Error as SessionError;
use tower_sessions::{Expiry, Session, SessionManagerLayer, session_store};

use super::{Caller, Credential, Granted, RequestBearer, SealedSessionStore};
use crate::audit::Actor;
use crate::clock::now_ms;
use crate::error::Error;
use crate::mantyx::MantyxError;
use crate::masking::with_patterns;
use crate::redaction;
use crate::state::AppState;
use crate::web::client_address::ClientAddress;
use crate::web::problem::Problem;
use crate::web::rate_limit::too_many_requests;
use crate::workspace::SignedInWorkspace;

/// A session ends when it was not used for 14 days,
pub const IDLE_LIMIT_MS: i64 = 14 * 86_400_000;
/// and 90 days after the sign-in.
pub const SIGN_IN_LIMIT_MS: i64 = 90 * 86_400_000;

pub const USER_KEY: &str = "user";
const COOKIE_NAME: &str = "runlens_session";

/// The signed-in user, stored in the session.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SignedInUser {
    pub grant_id: String,
    pub email: String,
    pub workspace_slug: String,
    pub workspace_name: String,
}

/// The id of a signed-in session.
#[derive(Clone, Debug)]
pub struct SessionId(pub String);

/// Returns the session layer. Cookies are HttpOnly, SameSite=Lax, and Secure when served over https.
pub fn layer(store: SealedSessionStore, secure: bool) -> SessionManagerLayer<SealedSessionStore> {
    SessionManagerLayer::new(store)
        .with_name(COOKIE_NAME)
        .with_http_only(true)
        .with_same_site(SameSite::Lax)
        .with_secure(secure)
        // The cookie may last as long as a sign-in. The server decides when a session ends.
        .with_expiry(Expiry::OnInactivity(Duration::milliseconds(SIGN_IN_LIMIT_MS)))
}

/// The header that makes a browser forget its session.
pub fn expired_cookie(secure: bool) -> String {
    let secure = if secure { "; Secure" } else { "" };
    format!("{COOKIE_NAME}=; HttpOnly; SameSite=Lax; Path=/; Max-Age=0{secure}")
}

/// Middleware that adds the [`Caller`] of a request and what it was [`Granted`]: from a bearer where one is accepted, otherwise
/// from the session. Requests of a signed-in user also get their [`SignedIn`] backend.
pub async fn identify(State(state): State<AppState>, session: Session, mut request: Request, next: Next) -> Response {
    let bearer = RequestBearer::from_headers(request.headers()).filter(|_| accepts_bearer(request.uri().path()));
    let address = request.extensions().get::<ClientAddress>().map(|client| client.0);
    if let Some(bearer) = bearer {
        // Each unknown credential costs a request to MANTYX.
        if !bearer.is_verified(&state)
            && let Err(wait) = state.anonymous_writes.check(&request)
        {
            return too_many_requests(request.headers(), wait);
        }
        return match bearer.caller(&state, address).await {
            Ok(caller) => {
                let patterns = redaction::patterns(&state, caller.workspace_id).await;
                request.extensions_mut().insert(caller);
                request.extensions_mut().insert(Granted::Bearer(bearer));
                match patterns {
                    Ok(patterns) => with_patterns(patterns, next.run(request)).await,
                    Err(error) => Error::from(error).into_response(),
                }
            }
            Err(error) => {
                if matches!(error, Error::Mantyx(MantyxError::Unauthorized)) {
                    state.anonymous_writes.count_refused_credential(&request);
                }
                error.into_response()
            }
        };
    }
    match signed_in_workspace(&state, &session, address).await {
        Ok(None) => next.run(request).await,
        Ok(Some(mut workspace)) => {
            workspace.cannot_save = request.uri().path().starts_with("/rpc/") && state.readiness.cannot_save(&state);
            let extensions = request.extensions_mut();
            extensions.insert(workspace.caller.clone());
            extensions.insert(Granted::Listed(workspace.scopes.clone()));
            if let Some(id) = session.id() {
                extensions.insert(SessionId(id.to_string()));
            }
            let patterns = workspace.patterns.clone();
            extensions.insert(SignedIn(Arc::new(workspace)));
            with_patterns(patterns, next.run(request)).await
        }
        // The user may well be signed in, so nothing sends them to the sign-in.
        Err(error) => {
            tracing::error!(%error, "cannot load a session");
            let accept = request.headers().get(ACCEPT).and_then(|accept| accept.to_str().ok());
            match accept.is_some_and(|accept| accept.contains("text/html")) {
                true => Problem::database().into_response(),
                false => Error::from(AppError::Database).into_response(),
            }
        }
    }
}

fn accepts_bearer(path: &str) -> bool {
    path.starts_with("/api/") || is_stream_or_file(path)
}

/// Returns true for `/waiting/live`, `/runs/{id}/live` and `/runs/{id}/export`.
pub fn is_stream_or_file(path: &str) -> bool {
    if path == "/waiting/live" {
        return true;
    }
    let after_id = path.strip_prefix("/runs/").and_then(|rest| rest.split_once('/'));
    after_id.is_some_and(|(_, what)| matches!(what, "live" | "export"))
}

/// Returns the workspace of a signed-in session. Fails if the database cannot be read.
async fn signed_in_workspace(
    state: &AppState,
    session: &Session,
    address: Option<IpAddr>,
) -> anyhow::Result<Option<SignedInWorkspace>> {
    let user = match session.get::<SignedInUser>(USER_KEY).await {
        Ok(user) => user,
        Err(SessionError::Store(error @ session_store::Error::Backend(_))) => return Err(error.into()),
        // A record that cannot be parsed is no sign-in.
        Err(_) => None,
    };
    let Some(user) = user else { return Ok(None) };
    if state.credentials.is_signed_out(&user.grant_id) {
        return Ok(None);
    }
    let Some(grant) = state.store.grant(&user.grant_id).await? else { return Ok(None) };
    if grant.created_at_ms <= now_ms() - SIGN_IN_LIMIT_MS {
        return Ok(None);
    }
    if !state.workspaces.allows(&user.workspace_slug) {
        return Ok(None);
    }
    let credential = Credential::Grant(grant.id);
    let caller = Caller {
        workspace_id: grant.workspace_id,
        slug: user.workspace_slug.clone(),
        credential,
        actor: Actor::person(&user.email, address),
    };
    if !state.credentials.recheck(&caller).await {
        return Ok(None);
    }
    let viewer =
        Viewer { email: user.email, workspace: user.workspace_name, workspace_slug: user.workspace_slug, waiting: 0 };
    let patterns = redaction::patterns(state, caller.workspace_id).await?;
    Ok(Some(SignedInWorkspace {
        state: state.clone(),
        caller,
        viewer,
        scopes: grant.scopes,
        patterns,
        cannot_save: false,
    }))
}
