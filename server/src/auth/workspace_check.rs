//! Finds the stored workspace of a credential, and refuses one whose slug has moved to another workspace.
//!
//! MANTYX can give a slug to another workspace. An id decides where `userinfo` reports it. An API key may have no identity: then
//! the workspace that is stored under its slug must be the same one. It is, if MANTYX shows one of its newest runs to the
//! key, because MANTYX shows a run only to its own workspace.

use app::AppError;
use domain::WorkspaceIdentity;

use crate::error::Error;
use crate::mantyx::{Bearer, MantyxError};
use crate::state::AppState;
use crate::store::WorkspaceId;

/// Stored runs that MANTYX is asked for.
const MAX_LOOKUPS: u32 = 3;

/// The workspace of a credential, and its person if MANTYX reports one.
pub struct WorkspaceOf {
    pub id: WorkspaceId,
    pub slug: String,
    pub email: Option<String>,
}

/// Returns the workspace of a credential. `slug` is used if MANTYX does not report the workspace.
pub async fn workspace_of(state: &AppState, bearer: &Bearer, slug: Option<&str>) -> Result<WorkspaceOf, Error> {
    match state.mantyx.userinfo(bearer).await {
        Ok(user) => {
            state.workspaces.check(&state.store, &user.workspace).await?;
            let id = workspace_of_identity(state, bearer, &user.workspace).await?;
            Ok(WorkspaceOf { id, slug: user.workspace.slug, email: user.email })
        }
        Err(error @ (MantyxError::Unreachable(_) | MantyxError::RateLimited { .. })) => Err(error.into()),
        Err(_) => {
            let slug = slug.ok_or(MantyxError::Unauthorized)?;
            match state.mantyx.models(bearer, slug).await {
                Ok(_) => {
                    state.workspaces.check_slug(slug)?;
                    let id = workspace_of_slug(state, bearer, slug).await?;
                    Ok(WorkspaceOf { id, slug: slug.to_owned(), email: None })
                }
                Err(MantyxError::NotFound) => Err(MantyxError::Unauthorized.into()),
                Err(error) => Err(error.into()),
            }
        }
    }
}

/// Returns the workspace with an identity. What was stored by slug only becomes its own if it is the same workspace.
pub async fn workspace_of_identity(
    state: &AppState,
    bearer: &Bearer,
    identity: &WorkspaceIdentity,
) -> Result<WorkspaceId, Error> {
    let is_same = match state.store.workspace_by_slug(&identity.slug).await? {
        Some((stored, None)) => shows_runs(state, bearer, &identity.slug, stored).await? != Some(false),
        _ => true,
    };
    if !is_same {
        tracing::warn!(
            slug = identity.slug,
            "the slug belongs to another workspace now; its earlier data is kept apart"
        );
    }
    Ok(state.store.workspace_from_identity(identity, is_same).await?)
}

async fn workspace_of_slug(state: &AppState, bearer: &Bearer, slug: &str) -> Result<WorkspaceId, Error> {
    let Some((stored, mantyx_id)) = state.store.workspace_by_slug(slug).await? else {
        return Ok(state.store.workspace_from_slug(slug).await?);
    };
    let is_same = match shows_runs(state, bearer, slug, stored).await? {
        Some(is_same) => is_same,
        // There is no run of MANTYX to compare with. Where the id is known, the slug may belong to another workspace now, and
        // templates, views and sessions are stored although no run is.
        None => mantyx_id.is_none(),
    };
    if is_same { Ok(stored) } else { Err(moved(slug).into()) }
}

/// Returns whether MANTYX shows one of a workspace's newest runs to a credential. `None` if no run of MANTYX is stored.
async fn shows_runs(
    state: &AppState,
    bearer: &Bearer,
    slug: &str,
    workspace: WorkspaceId,
) -> Result<Option<bool>, Error> {
    let runs = state.store.newest_mirrored_runs(workspace, MAX_LOOKUPS).await?;
    if runs.is_empty() {
        return Ok(None);
    }
    let mut failed = None;
    for run_id in &runs {
        match state.mantyx.run(bearer, slug, run_id).await {
            Ok(run) if run.id() == Some(run_id) => return Ok(Some(true)),
            Ok(_) | Err(MantyxError::NotFound) => {}
            Err(error) => failed = Some(error),
        }
    }
    // A run that could not be looked up may be the proof.
    failed.map_or(Ok(Some(false)), |error| Err(error.into()))
}

fn moved(slug: &str) -> AppError {
    AppError::Forbidden {
        message: format!(
            "This key can't read any of the runs stored here for the workspace {slug}. The slug may belong to \
             another workspace now, so the stored data is not shown. Sign in to {slug} with MANTYX once; after that the key \
             works for the workspace that you signed in to."
        ),
    }
}
