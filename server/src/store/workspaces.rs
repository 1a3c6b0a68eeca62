//! Workspaces that have been seen here.

use protocol::messages::WorkspaceInfo;

use super::{Result, Store};

/// Our own number for a workspace. Only sign-in and a verified credential can produce one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WorkspaceId(pub(super) i64);

impl Store {
    /// The workspace that MANTYX says a credential belongs to. A workspace first seen by slug alone is adopted; a slug
    /// that has moved to another workspace is taken from the one that had it, so that no data moves with it.
    pub async fn workspace_from_identity(&self, info: &WorkspaceInfo) -> Result<WorkspaceId> {
        let mut tx = self.writer.begin().await?;
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

    /// The workspace of an API key that MANTYX accepted for this slug; such a key does not tell the workspace's id.
    pub async fn workspace_from_slug(&self, slug: &str) -> Result<WorkspaceId> {
        let mut tx = self.writer.begin().await?;
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
