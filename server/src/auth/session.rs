//! What a browser session holds, and the layer that binds a request to its workspace.

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

/// Kept in the session of somebody who is signed in.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SignedInUser {
    pub grant_id: String,
    pub email: String,
    pub workspace_slug: String,
    pub workspace_name: String,
}

/// Kept in the session between `/auth/start` and `/auth/callback`, and taken out to be used once.
#[derive(Debug, Serialize, Deserialize)]
pub struct PendingSignIn {
    pub state: String,
    pub pkce_verifier: String,
    pub return_to: String,
}

/// Cookies: HttpOnly, SameSite=Lax, Secure when the dashboard is served over https.
pub fn layer(store: SealedSessionStore, secure: bool) -> SessionManagerLayer<SealedSessionStore> {
    SessionManagerLayer::new(store)
        .with_name("runlens_session")
        .with_http_only(true)
        .with_same_site(SameSite::Lax)
        .with_secure(secure)
        .with_expiry(Expiry::OnInactivity(Duration::days(14)))
}

/// Middleware: puts [`SignedIn`] and its [`Caller`] into requests whose session belongs to a user whose consent still stands.
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

/// A session that cannot be read is as good as none.
pub async fn signed_in_workspace(state: &AppState, session: &Session) -> Option<SignedInWorkspace> {
    let user: SignedInUser = session.get(USER_KEY).await.ok().flatten()?;
    let grant = state.store.grant(&user.grant_id).await.ok().flatten()?;
    let viewer =
        Viewer { email: user.email, workspace: user.workspace_name, workspace_slug: user.workspace_slug.clone() };
    let caller =
        Caller { workspace_id: grant.workspace_id, slug: user.workspace_slug, credential: Credential::Grant(grant.id) };
    Some(SignedInWorkspace { state: state.clone(), caller, viewer, scopes: grant.scopes })
}
