//! Finds the consent with which answers are sent: one of the person who launched the run, with the scope for it.

use crate::audit::Actor;
use crate::auth::scopes::{RUNS_WRITE, includes};
use crate::auth::{Caller, Credential};
use crate::error::Error;
use crate::state::AppState;
use crate::store::WorkspaceId;

/// The reason why answers cannot be sent now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Obstacle {
    #[error("The person who launched the run is signed out")]
    SignedOut,
    #[error("The sign-in of the person who launched the run does not include {RUNS_WRITE}")]
    MissingScope,
    #[error("The workspace may not use this dashboard any more (RUNLENS_WORKSPACES)")]
    WorkspaceNotAllowed,
}

/// Returns the newest consent of a person that allows answers.
pub async fn find(
    state: &AppState,
    workspace_id: WorkspaceId,
    subject: &str,
) -> Result<Result<Caller, Obstacle>, Error> {
    let grants = state.store.grants_of_person(workspace_id, subject).await?;
    let Some(slug) = state.store.workspace_slug(workspace_id).await?.filter(|_| !grants.is_empty()) else {
        return Ok(Err(Obstacle::SignedOut));
    };
    if !state.workspaces.allows(&slug) {
        return Ok(Err(Obstacle::WorkspaceNotAllowed));
    }
    let allowed = grants.into_iter().find(|grant| includes(&grant.scopes, RUNS_WRITE));
    let caller = allowed.map(|grant| Caller {
        workspace_id,
        slug,
        credential: Credential::Grant(grant.id),
        actor: Actor::default(),
    });
    Ok(caller.ok_or(Obstacle::MissingScope))
}
