//! Redaction patterns of a workspace, and the encrypted key of its hashes.

use domain::RedactionPattern;
use sqlx::Row;

use super::audit::{self, NewAuditEntry};
use super::{Result, Store, WorkspaceId};

#[derive(Clone, Debug)]
pub struct StoredRedaction {
    /// `None` if the stored list cannot be parsed.
    pub patterns: Option<Vec<RedactionPattern>>,
    pub version: i64,
    pub sealed_key: Option<Vec<u8>>,
}

impl Store {
    /// `None` if the workspace has never had a pattern.
    pub async fn redaction(&self, workspace: WorkspaceId) -> Result<Option<StoredRedaction>> {
        let row = sqlx::query(
            "SELECT r.patterns, r.version, k.hash_key FROM redaction r \
             LEFT JOIN redaction_key k ON k.workspace_id = r.workspace_id WHERE r.workspace_id = $1",
        )
        .bind(workspace.0)
        .fetch_optional(&self.reader)
        .await?;
        let read = |row: sqlx::any::AnyRow| {
            let patterns: String = row.try_get("patterns")?;
            Ok(StoredRedaction {
                patterns: serde_json::from_str(&patterns).ok(),
                version: row.try_get("version")?,
                sealed_key: row.try_get("hash_key")?,
            })
        };
        row.map(read).transpose()
    }

    /// Replaces the patterns. Returns false if the present version is not `replaces_version`, which is 0 before the first.
    pub async fn set_redaction(
        &self,
        workspace: WorkspaceId,
        patterns: &[RedactionPattern],
        replaces_version: i64,
        entry: &NewAuditEntry,
    ) -> Result<bool> {
        let patterns = serde_json::to_string(patterns).map_err(|error| sqlx::Error::Encode(error.into()))?;
        let mut tx = self.begin_writing(workspace).await?;
        let version: Option<i64> = sqlx::query_scalar("SELECT version FROM redaction WHERE workspace_id = $1")
            .bind(workspace.0)
            .fetch_optional(&mut *tx)
            .await?;
        if version.unwrap_or(0) != replaces_version {
            return Ok(false);
        }
        sqlx::query(
            "INSERT INTO redaction (workspace_id, patterns, version) VALUES ($1, $2, $3) \
             ON CONFLICT (workspace_id) DO UPDATE SET patterns = excluded.patterns, version = excluded.version",
        )
        .bind(workspace.0)
        .bind(patterns)
        .bind(replaces_version + 1)
        .execute(&mut *tx)
        .await?;
        audit::add(&mut tx, workspace, entry).await?;
        tx.commit().await?;
        Ok(true)
    }

    /// Stores the first key. If there is one, it stays.
    pub async fn insert_redaction_key(&self, workspace: WorkspaceId, sealed: &[u8]) -> Result<()> {
        sqlx::query(
            "INSERT INTO redaction_key (workspace_id, hash_key) VALUES ($1, $2) ON CONFLICT (workspace_id) DO NOTHING",
        )
        .bind(workspace.0)
        .bind(sealed)
        .execute(&self.writer)
        .await
        .map(drop)
    }
}
