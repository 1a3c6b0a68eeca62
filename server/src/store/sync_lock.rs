//! Locks that make one process sync a workspace, among all processes on one database.
//!
//! On PostgreSQL a process holds an advisory lock per workspace, all on one separate connection. When the process ends,
//! its connection and its locks end too, and another process takes over. SQLite has only one process.

use std::collections::HashSet;
use std::sync::Arc;

use sqlx::{AnyConnection, Connection};
use tokio::sync::Mutex;

use super::{Engine, Result, Store, WorkspaceId};

/// The key space of these locks, next to that of the write locks.
const SYNC_LOCK: i64 = 2 << 40;

#[derive(Clone, Debug, Default)]
pub(super) struct SyncLocks(Arc<Mutex<Held>>);

#[derive(Debug, Default)]
struct Held {
    connection: Option<AnyConnection>,
    workspaces: HashSet<WorkspaceId>,
}

impl Store {
    /// Takes or renews the lock. Returns true if this process holds it.
    pub async fn acquire_sync_lock(&self, workspace: WorkspaceId) -> Result<bool> {
        if self.engine == Engine::Sqlite {
            return Ok(true);
        }
        let mut held = self.sync_locks.0.lock().await;
        let outcome = held.acquire(&self.url, workspace).await;
        if outcome.is_err() {
            // The locks ended with the connection; the next attempt opens a new one.
            *held = Held::default();
        }
        outcome
    }

    /// Releases the lock, so that another process can sync the workspace.
    pub async fn release_sync_lock(&self, workspace: WorkspaceId) {
        let mut held = self.sync_locks.0.lock().await;
        if let Err(error) = held.release(workspace).await {
            tracing::warn!(%error, "could not release a sync lock; closing its connection");
            *held = Held::default();
        }
    }
}

impl SyncLocks {
    /// Releases all locks, so that another process can take over at once.
    pub async fn release_all(&self) {
        let held = std::mem::take(&mut *self.0.lock().await);
        if let Some(connection) = held.connection {
            // The locks end with the connection, even if closing it fails.
            let _ = connection.close().await;
        }
    }
}

impl Held {
    async fn release(&mut self, workspace: WorkspaceId) -> Result<()> {
        if self.workspaces.remove(&workspace)
            && let Some(connection) = &mut self.connection
        {
            let sql = "SELECT CAST(pg_advisory_unlock($1) AS TEXT)";
            sqlx::query(sql).bind(SYNC_LOCK + workspace.0).execute(connection).await?;
        }
        Ok(())
    }

    async fn acquire(&mut self, url: &str, workspace: WorkspaceId) -> Result<bool> {
        let connection = match &mut self.connection {
            Some(connection) => connection,
            none => none.insert(AnyConnection::connect(url).await?),
        };
        if self.workspaces.contains(&workspace) {
            connection.ping().await?;
            return Ok(true);
        }
        let got: i64 =
            sqlx::query_scalar("SELECT CAST(CASE WHEN pg_try_advisory_lock($1) THEN 1 ELSE 0 END AS BIGINT)")
                .bind(SYNC_LOCK + workspace.0)
                .fetch_one(connection)
                .await?;
        if got == 1 {
            self.workspaces.insert(workspace);
        }
        Ok(got == 1)
    }
}
