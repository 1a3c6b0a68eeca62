//! Erasures in progress. One that was interrupted is continued by the next clean-up.

use sqlx::Row;

use super::super::sql::{args, execute, fetch};
use super::super::{NewAuditEntry, Result, Store, WorkspaceId, audit};
use super::{Erasable, EraseTarget, record};

/// An erasure that has begun.
#[derive(Clone, Debug)]
pub struct PendingErasure {
    pub workspace: WorkspaceId,
    /// The encrypted target.
    pub sealed: Vec<u8>,
    pub started_at_ms: i64,
}

impl Store {
    /// Records that a target must not be synced again, and that it is being erased.
    pub async fn begin_erasure(
        &self,
        workspace: WorkspaceId,
        target: &EraseTarget,
        sealed: &[u8],
        entry: &NewAuditEntry,
    ) -> Result<()> {
        let mut tx = self.begin_writing(workspace).await?;
        record(&mut tx, workspace, &[target.hash()], entry.at_ms).await?;
        audit::add(&mut tx, workspace, entry).await?;
        let sql = "INSERT INTO pending_erasure (workspace_id, target_hash, target, started_at) VALUES ($1, $2, $3, $4) \
                   ON CONFLICT (workspace_id, target_hash) DO UPDATE SET started_at = excluded.started_at";
        execute(&mut tx, sql, args![workspace, target.hash(), sealed, entry.at_ms]).await?;
        tx.commit().await
    }

    /// Records that nothing of a target is left.
    pub async fn end_erasure(&self, workspace: WorkspaceId, target: &EraseTarget) -> Result<()> {
        let sql = "DELETE FROM pending_erasure WHERE workspace_id = $1 AND target_hash = $2";
        self.change(sql, args![workspace, target.hash()]).await.map(drop)
    }

    /// Erasures of all workspaces that have begun and not ended.
    pub async fn pending_erasures(&self) -> Result<Vec<PendingErasure>> {
        let sql = "SELECT workspace_id, target, started_at FROM pending_erasure ORDER BY started_at";
        let rows = fetch(&self.reader, sql, Vec::new()).await?;
        let pending = |row: &sqlx::any::AnyRow| {
            Ok(PendingErasure {
                workspace: WorkspaceId(row.try_get(0)?),
                sealed: row.try_get(1)?,
                started_at_ms: row.try_get(2)?,
            })
        };
        rows.iter().map(pending).collect()
    }

    /// Leaves out runs that were created after an erasure began: they may have the same metadata again.
    pub async fn created_until(&self, workspace: WorkspaceId, found: Erasable, at_ms: i64) -> Result<Erasable> {
        let mut run_ids = Vec::with_capacity(found.run_ids.len());
        for id in found.run_ids {
            if self.run(workspace, &id).await?.is_some_and(|run| run.created_at_ms <= at_ms) {
                run_ids.push(id);
            }
        }
        Ok(Erasable { run_ids, ..found })
    }
}
