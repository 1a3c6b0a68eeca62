//! Deletes runs and sessions for good: with logs, words, answers, feedback, drafts and cached copies. What was erased is not
//! synced again. MANTYX keeps its own copy.

mod command;
mod drafts;

use app::AppError;
use domain::AuditAction;
use protocol::ids;
use serde::Serialize;

use crate::audit::Actor;
use crate::auth::Caller;
use crate::error::Error;
use crate::state::AppState;
use crate::store::{EraseTarget, Store, WorkspaceId};
use crate::vault::Vault;

pub use command::{EraseOptions, erase_command};

/// MANTYX's limits for metadata.
const MAX_ENTRY_CHARS: usize = 512;

/// What was erased, or would be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Erased {
    pub runs: usize,
    pub sessions: usize,
    /// Drafts of launches that contain it.
    pub drafts: usize,
}

/// Erases on behalf of a caller. Fails if a run or session is not stored here.
pub async fn erase(state: &AppState, caller: &Caller, target: &EraseTarget) -> Result<Erased, Error> {
    let workspace = caller.workspace_id;
    check(target)?;
    let found = state.store.erasable(workspace, target).await?;
    let missing = match target {
        EraseTarget::Run(_) if found.run_ids.is_empty() => Some("run"),
        EraseTarget::Session(_) if found.session_ids.is_empty() && found.run_ids.is_empty() => Some("session"),
        _ => None,
    };
    if let Some(what) = missing {
        return Err(AppError::not_found(what).into());
    }
    let erased = erase_stored(&state.store, &state.vault, workspace, target, &caller.actor).await?;
    if matches!(target, EraseTarget::Run(_)) && erased.runs == 0 {
        // Another request erased it meanwhile.
        return Err(AppError::not_found("run").into());
    }
    for run_id in &found.run_ids {
        state.timelines.forget(workspace, run_id);
    }
    let store = state.store.clone();
    // Rewriting the word index takes a while. If the server stops meanwhile, the next start continues.
    state.tasks.spawn(async move {
        if let Err(error) = store.purge_erased().await {
            tracing::warn!(%error, "cannot remove the rest of what was erased; retrying later");
        }
    });
    Ok(erased)
}

/// Erases what is stored, without the check whether there is something.
async fn erase_stored(
    store: &Store,
    vault: &Vault,
    workspace: WorkspaceId,
    target: &EraseTarget,
    actor: &Actor,
) -> Result<Erased, Error> {
    let entry = match target {
        EraseTarget::Run(id) => actor.entry(AuditAction::DeleteRun).about(id),
        EraseTarget::Session(id) => actor.entry(AuditAction::DeleteSession).about(id),
        // The value itself is what must go.
        EraseTarget::Metadata { key, .. } => actor.entry(AuditAction::EraseMetadata).about(key),
    };
    let drafts = drafts::containing(store, vault, workspace, target).await?;
    for key in &drafts {
        store.delete_draft(workspace, key).await?;
    }
    if let EraseTarget::Metadata { key, value } = target {
        store.erase_batches(workspace, key, value).await?;
    }
    let done = store.erase(workspace, target, &entry).await?;
    let erased = Erased { runs: done.run_ids.len(), sessions: done.session_ids.len(), drafts: drafts.len() };
    tracing::info!(%workspace, runs = erased.runs, sessions = erased.sessions, drafts = erased.drafts, "erased");
    Ok(erased)
}

fn check(target: &EraseTarget) -> Result<(), AppError> {
    match target {
        EraseTarget::Run(id) if !ids::is_path_id(id) => Err(AppError::not_found("run")),
        EraseTarget::Session(id) if !ids::is_path_id(id) => Err(AppError::not_found("session")),
        EraseTarget::Metadata { key, value }
            if key.is_empty() || value.is_empty() || key.len().max(value.len()) > MAX_ENTRY_CHARS =>
        {
            let message = format!("Name a metadata key and a value, each of at most {MAX_ENTRY_CHARS} characters.");
            Err(AppError::Invalid { field: "metadata".to_owned(), message })
        }
        _ => Ok(()),
    }
}
