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
use crate::store::{Erasable, EraseTarget, PendingErasure, Store, WorkspaceId};
use crate::vault::{Vault, purpose};

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
            tracing::warn!(%error, %workspace, "cannot remove the rest of what was erased; retrying later");
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
    if let EraseTarget::Run(id) = target {
        let drafts = delete_drafts(store, vault, workspace, target).await?;
        let done = store.erase_run(workspace, id, &entry).await?;
        return Ok(log_erased(workspace, &done, drafts));
    }
    store.begin_erasure(workspace, target, &vault.seal_json(purpose::PENDING_ERASURE, target), &entry).await?;
    let found = store.erasable(workspace, target).await?;
    erase_found(store, vault, workspace, target, &found, entry.at_ms).await
}

/// Erases a target that was recorded. Can be repeated after an interruption.
async fn erase_found(
    store: &Store,
    vault: &Vault,
    workspace: WorkspaceId,
    target: &EraseTarget,
    found: &Erasable,
    started_at_ms: i64,
) -> Result<Erased, Error> {
    let drafts = delete_drafts(store, vault, workspace, target).await?;
    if let EraseTarget::Metadata { key, value } = target {
        store.erase_batches(workspace, key, value).await?;
    }
    store.erase_found(workspace, found, started_at_ms).await?;
    store.end_erasure(workspace, target).await?;
    Ok(log_erased(workspace, found, drafts))
}

/// Continues erasures that were interrupted. Returns the runs that it erased.
pub async fn resume_erasures(store: &Store, vault: &Vault) -> Result<Vec<(WorkspaceId, String)>, Error> {
    let mut erased = Vec::new();
    for PendingErasure { workspace, sealed, started_at_ms } in store.pending_erasures().await? {
        let Ok(target) = vault.open_json::<EraseTarget>(purpose::PENDING_ERASURE, &sealed) else {
            tracing::error!(%workspace, "an interrupted erasure cannot be continued: its target cannot be decrypted");
            continue;
        };
        let found = store.erasable(workspace, &target).await?;
        let found = store.created_until(workspace, found, started_at_ms).await?;
        erase_found(store, vault, workspace, &target, &found, started_at_ms).await?;
        erased.extend(found.run_ids.into_iter().map(|run_id| (workspace, run_id)));
    }
    Ok(erased)
}

async fn delete_drafts(
    store: &Store,
    vault: &Vault,
    workspace: WorkspaceId,
    target: &EraseTarget,
) -> Result<usize, Error> {
    let drafts = drafts::containing(store, vault, workspace, target).await?;
    for key in &drafts {
        store.delete_draft(workspace, key).await?;
    }
    Ok(drafts.len())
}

fn log_erased(workspace: WorkspaceId, done: &Erasable, drafts: usize) -> Erased {
    let erased = Erased { runs: done.run_ids.len(), sessions: done.session_ids.len(), drafts };
    tracing::info!(%workspace, runs = erased.runs, sessions = erased.sessions, drafts = erased.drafts, "erased");
    erased
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed::Seeder;

    const NOW_MS: i64 = 1_790_000_000_000;

    #[tokio::test]
    async fn an_interrupted_erasure_is_continued() -> anyhow::Result<()> {
        let dir = tempfile::tempdir()?;
        let store = Store::open(&format!("sqlite:{}", dir.path().join("x.db").display())).await?;
        let vault = Vault::new("a key");
        let workspace = store.workspace_from_slug("demo").await?;
        let seeder = Seeder::new(1, 10, NOW_MS, store.packer().clone());
        for index in 0..10 {
            let mut update = seeder.run(index)?.0;
            update.summary.metadata = [("customer".to_owned(), "acme".to_owned())].into();
            // The last one comes after the erasure.
            update.summary.created_at_ms = if index == 9 { NOW_MS + 1 } else { NOW_MS - 1 };
            store.upsert_runs(workspace, &[update]).await?;
        }
        let target = EraseTarget::Metadata { key: "customer".to_owned(), value: "acme".to_owned() };
        let entry =
            crate::store::NewAuditEntry { at_ms: NOW_MS, ..Actor::command_line().entry(AuditAction::EraseMetadata) };
        let sealed = vault.seal_json(purpose::PENDING_ERASURE, &target);
        store.begin_erasure(workspace, &target, &sealed, &entry).await?;
        // The process ends after the first transaction.
        let mut found = store.erasable(workspace, &target).await?;
        found.run_ids.truncate(3);
        store.erase_found(workspace, &found, NOW_MS).await?;
        let left = store.count_runs(workspace).await?;
        assert!((7..10).contains(&left), "{left}");

        resume_erasures(&store, &vault).await?;
        assert_eq!(store.count_runs(workspace).await?, 1);
        assert!(store.pending_erasures().await?.is_empty());
        assert!(resume_erasures(&store, &vault).await?.is_empty());
        Ok(())
    }
}
