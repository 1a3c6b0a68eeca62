//! Workspaces that have been seen here.

use sqlx::Row;
use sqlx::any::AnyRow;

use super::{Result, Store};
use crate::mantyx::WorkspaceIdentity;

/// Our own number for a workspace. Only sign-in and a verified credential can produce one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WorkspaceId(pub(super) i64);

impl std::fmt::Display for WorkspaceId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// No workspace has this number: its lock is held while one is looked up or made, so that two requests at once do not
/// make two of it.
const ANY_WORKSPACE: WorkspaceId = WorkspaceId(0);

#[derive(Clone, Debug)]
pub struct WorkspaceSize {
    pub slug: String,
    pub runs: i64,
    pub synced_at_ms: i64,
}

impl Store {
    /// The workspace that MANTYX says a credential belongs to. A workspace first seen by slug alone is adopted; a slug
    /// that has moved to another workspace is taken from the one that had it, so that no data moves with it.
    pub async fn workspace_from_identity(&self, info: &WorkspaceIdentity) -> Result<WorkspaceId> {
        let mut tx = self.begin_writing(ANY_WORKSPACE).await?;
        let known: Option<i64> = sqlx::query_scalar("SELECT id FROM workspace WHERE mantyx_id = $1")
            .bind(&info.id)
            .fetch_optional(&mut *tx)
            .await?;
        let id = match known {
            Some(id) => id,
            None => {
                let adopted: Option<i64> =
                    sqlx::query_scalar("SELECT id FROM workspace WHERE slug = $1 AND mantyx_id IS NULL")
                        .bind(&info.slug)
                        .fetch_optional(&mut *tx)
                        .await?;
                match adopted {
                    Some(id) => id,
                    None => {
                        sqlx::query_scalar(
                            "INSERT INTO workspace (mantyx_id, slug, name) VALUES ($1, $2, $3) RETURNING id",
                        )
                        .bind(&info.id)
                        .bind(&info.slug)
                        .bind(&info.name)
                        .fetch_one(&mut *tx)
                        .await?
                    }
                }
            }
        };
        sqlx::query("UPDATE workspace SET slug = NULL WHERE slug = $1 AND id <> $2")
            .bind(&info.slug)
            .bind(id)
            .execute(&mut *tx)
            .await?;
        sqlx::query("UPDATE workspace SET mantyx_id = $1, slug = $2, name = $3 WHERE id = $4")
            .bind(&info.id)
            .bind(&info.slug)
            .bind(&info.name)
            .bind(id)
            .execute(&mut *tx)
            .await?;
        tx.commit().await?;
        Ok(WorkspaceId(id))
    }

    /// The slug under which MANTYX knows a workspace now.
    pub async fn workspace_slug(&self, id: WorkspaceId) -> Result<Option<String>> {
        let slug: Option<Option<String>> = sqlx::query_scalar("SELECT slug FROM workspace WHERE id = $1")
            .bind(id.0)
            .fetch_optional(&self.reader)
            .await?;
        Ok(slug.flatten())
    }

    /// Every workspace with what it holds, for the operator.
    pub async fn workspace_sizes(&self) -> Result<Vec<WorkspaceSize>> {
        let rows = sqlx::query(
            "SELECT COALESCE(w.slug, w.name), \
             CAST((SELECT COALESCE(SUM(t.runs), 0) FROM tag t WHERE t.workspace_id = w.id AND t.key = 'status') AS BIGINT), \
             COALESCE((SELECT s.synced_at FROM sync_state s WHERE s.workspace_id = w.id), 0) FROM workspace w",
        )
        .fetch_all(&self.reader)
        .await?;
        let size = |row: &AnyRow| -> Result<WorkspaceSize> {
            Ok(WorkspaceSize { slug: row.try_get(0)?, runs: row.try_get(1)?, synced_at_ms: row.try_get(2)? })
        };
        rows.iter().map(size).collect()
    }

    /// The workspace of an API key that MANTYX accepted for this slug; such a key does not tell the workspace's id.
    pub async fn workspace_from_slug(&self, slug: &str) -> Result<WorkspaceId> {
        let mut tx = self.begin_writing(ANY_WORKSPACE).await?;
        let known: Option<i64> =
            sqlx::query_scalar("SELECT id FROM workspace WHERE slug = $1").bind(slug).fetch_optional(&mut *tx).await?;
        let id = match known {
            Some(id) => id,
            None => {
                sqlx::query_scalar("INSERT INTO workspace (slug, name) VALUES ($1, $1) RETURNING id")
                    .bind(slug)
                    .fetch_one(&mut *tx)
                    .await?
            }
        };
        tx.commit().await?;
        Ok(WorkspaceId(id))
    }
}
