//! Workspaces that signed in here or were used with an API key.

use domain::WorkspaceIdentity;
use sqlx::Row;
use sqlx::any::AnyRow;

use super::{Origin, Result, Store, run_row};

/// The id of a workspace in this database. Only sign-in and a verified credential produce one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WorkspaceId(pub(super) i64);

impl std::fmt::Display for WorkspaceId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// An id that no workspace has. Its write lock is held while a workspace is looked up or inserted, so that two requests
/// do not insert it twice.
const ANY_WORKSPACE: WorkspaceId = WorkspaceId(0);

#[derive(Clone, Debug)]
pub struct WorkspaceSize {
    pub slug: String,
    pub runs: i64,
    pub synced_at_ms: i64,
}

impl Store {
    /// The workspace with this identity. With `adopt`, a workspace that was stored by slug only gets the identity. If the
    /// slug has moved from another workspace, that workspace loses it, so that no data moves with a slug.
    pub async fn workspace_from_identity(&self, identity: &WorkspaceIdentity, adopt: bool) -> Result<WorkspaceId> {
        let mut tx = self.begin_writing(ANY_WORKSPACE).await?;
        let known: Option<i64> = sqlx::query_scalar("SELECT id FROM workspace WHERE mantyx_id = $1")
            .bind(&identity.id)
            .fetch_optional(&mut *tx)
            .await?;
        let id = match known {
            Some(id) => id,
            None => {
                let stored: Option<i64> =
                    sqlx::query_scalar("SELECT id FROM workspace WHERE slug = $1 AND mantyx_id IS NULL")
                        .bind(&identity.slug)
                        .fetch_optional(&mut *tx)
                        .await?;
                match stored.filter(|_| adopt) {
                    Some(id) => id,
                    None => {
                        sqlx::query_scalar(
                            "INSERT INTO workspace (mantyx_id, slug, name) VALUES ($1, $2, $3) RETURNING id",
                        )
                        .bind(&identity.id)
                        .bind(&identity.slug)
                        .bind(&identity.name)
                        .fetch_one(&mut *tx)
                        .await?
                    }
                }
            }
        };
        sqlx::query("UPDATE workspace SET slug = NULL WHERE slug = $1 AND id <> $2")
            .bind(&identity.slug)
            .bind(id)
            .execute(&mut *tx)
            .await?;
        sqlx::query("UPDATE workspace SET mantyx_id = $1, slug = $2, name = $3 WHERE id = $4")
            .bind(&identity.id)
            .bind(&identity.slug)
            .bind(&identity.name)
            .bind(id)
            .execute(&mut *tx)
            .await?;
        tx.commit().await?;
        Ok(WorkspaceId(id))
    }

    /// The workspace that is stored under a slug, with MANTYX's id if it is known.
    pub async fn workspace_by_slug(&self, slug: &str) -> Result<Option<(WorkspaceId, Option<String>)>> {
        let row = sqlx::query("SELECT id, mantyx_id FROM workspace WHERE slug = $1")
            .bind(slug)
            .fetch_optional(&self.reader)
            .await?;
        row.map(|row| Ok((WorkspaceId(row.try_get(0)?), row.try_get(1)?))).transpose()
    }

    /// The newest runs that came from MANTYX.
    pub async fn newest_mirrored_runs(&self, workspace: WorkspaceId, limit: u32) -> Result<Vec<String>> {
        sqlx::query_scalar("SELECT id FROM run WHERE workspace_id = $1 AND origin = $2 ORDER BY n DESC LIMIT $3")
            .bind(workspace.0)
            .bind(run_row::origin_to_number(Origin::Mirrored))
            .bind(i64::from(limit))
            .fetch_all(&self.reader)
            .await
    }

    /// The current slug of a workspace.
    pub async fn workspace_slug(&self, id: WorkspaceId) -> Result<Option<String>> {
        let slug: Option<Option<String>> = sqlx::query_scalar("SELECT slug FROM workspace WHERE id = $1")
            .bind(id.0)
            .fetch_optional(&self.reader)
            .await?;
        Ok(slug.flatten())
    }

    /// The sizes of all workspaces, for metrics.
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

    /// The workspace with this slug, inserted if it is new. For API keys, which do not reveal MANTYX's workspace id.
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

    /// Returns true if a slug belongs to the workspace with this MANTYX id. The first id seen for a slug is stored.
    pub async fn pin_workspace(&self, slug: &str, mantyx_id: &str) -> Result<bool> {
        sqlx::query("INSERT INTO pinned_workspace (slug, mantyx_id) VALUES ($1, $2) ON CONFLICT (slug) DO NOTHING")
            .bind(slug)
            .bind(mantyx_id)
            .execute(&self.writer)
            .await?;
        let pinned: String = sqlx::query_scalar("SELECT mantyx_id FROM pinned_workspace WHERE slug = $1")
            .bind(slug)
            .fetch_one(&self.writer)
            .await?;
        Ok(pinned == mantyx_id)
    }
}
