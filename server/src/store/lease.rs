//! Who syncs a workspace, among all processes on one database.
//!
//! On PostgreSQL a process holds an advisory lock for each workspace that it syncs, all on one connection of its own. When
//! the process ends in whatever way, so do its connection and its locks, and another takes over. SQLite has one process.

use std::collections::HashSet;
use std::sync::Arc;

use sqlx::{AnyConnection, Connection};
use tokio::sync::Mutex;

use super::{Engine, Result, Store, WorkspaceId};

/// Beside the locks for writing.
const SYNC_LOCK: i64 = 2 << 40;

#[derive(Clone, Debug, Default)]
pub(super) struct Leases(Arc<Mutex<Held>>);

#[derive(Debug, Default)]
struct Held {
    connection: Option<AnyConnection>,
    workspaces: HashSet<WorkspaceId>,
}

impl Store {
    /// Whether this process is the one that syncs the workspace, now that it has asked to be.
    pub async fn hold_sync_lock(&self, workspace: WorkspaceId) -> Result<bool> {
        if self.engine == Engine::Sqlite {
            return Ok(true);
        }
        let mut held = self.leases.0.lock().await;
        let outcome = held.acquire(&self.url, workspace).await;
        if outcome.is_err() {
            // The locks went with the connection; the next round begins with a new one.
            *held = Held::default();
        }
        outcome
    }

    /// Lets another process sync the workspace.
    pub async fn release_sync_lock(&self, workspace: WorkspaceId) {
        let mut held = self.leases.0.lock().await;
        if let Err(error) = held.give_back(workspace).await {
            tracing::warn!(%error, "a lock could not be given back; it ends with its connection");
            *held = Held::default();
        }
    }
}

impl Leases {
    /// Lets another process take over at once.
    pub async fn release(&self) {
        let held = std::mem::take(&mut *self.0.lock().await);
        if let Some(connection) = held.connection {
            // The locks end with the connection, whichever way it ends.
            let _ = connection.close().await;
        }
    }
}

impl Held {
    async fn give_back(&mut self, workspace: WorkspaceId) -> Result<()> {
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
