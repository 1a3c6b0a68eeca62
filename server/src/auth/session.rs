//! The browser session, and the middleware that binds a request to its workspace.

use std::sync::Arc;

use app::backend::SignedIn;
use app::model::Viewer;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use serde::{Deserialize, Serialize};
use tower_sessions::cookie::SameSite;
use tower_sessions::cookie::time::Duration;
use tower_sessions::{Expiry, Session, SessionManagerLayer};

use super::{Caller, Credential, SealedSessionStore};
use crate::state::AppState;
use crate::workspace::SignedInWorkspace;

pub const USER_KEY: &str = "user";
pub const PENDING_KEY: &str = "pending sign-in";

/// The signed-in user, stored in the session.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SignedInUser {
    pub grant_id: String,
    pub email: String,
    pub workspace_slug: String,
    pub workspace_name: String,
}

/// A sign-in between `/auth/start` and `/auth/callback`, stored in the session and used once.
#[derive(Debug, Serialize, Deserialize)]
pub struct PendingSignIn {
    pub state: String,
    pub pkce_verifier: String,
    pub return_to: String,
}

/// Returns the session layer. Cookies are HttpOnly, SameSite=Lax, and Secure when served over https.
pub fn layer(store: SealedSessionStore, secure: bool) -> SessionManagerLayer<SealedSessionStore> {
    SessionManagerLayer::new(store)
        .with_name("runlens_session")
        .with_http_only(true)
        .with_same_site(SameSite::Lax)
        .with_secure(secure)
        .with_expiry(Expiry::OnInactivity(Duration::days(14)))
}

/// Middleware that adds [`SignedIn`] and its [`Caller`] to requests of a signed-in user whose grant is still stored.
pub async fn attach_workspace(
    State(state): State<AppState>,
    session: Session,
    mut request: Request,
    next: Next,
) -> Response {
    if let Some(workspace) = signed_in_workspace(&state, &session).await {
        request.extensions_mut().insert(workspace.caller.clone());
        request.extensions_mut().insert(SignedIn(Arc::new(workspace)));
    }
    next.run(request).await
}

/// Returns the workspace of a signed-in session. A session that cannot be read counts as signed out.
pub async fn signed_in_workspace(state: &AppState, session: &Session) -> Option<SignedInWorkspace> {
    let user: SignedInUser = session.get(USER_KEY).await.ok().flatten()?;
    let grant = state.store.grant(&user.grant_id).await.ok().flatten()?;
    let viewer =
        Viewer { email: user.email, workspace: user.workspace_name, workspace_slug: user.workspace_slug.clone() };
    let caller =
        Caller { workspace_id: grant.workspace_id, slug: user.workspace_slug, credential: Credential::Grant(grant.id) };
    Some(SignedInWorkspace { state: state.clone(), caller, viewer, scopes: grant.scopes })
}
