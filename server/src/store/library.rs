//! Launch templates and drafts. Their contents are encrypted before they reach the store.

use sqlx::Row;
use sqlx::any::AnyRow;

use super::{Result, Store, WorkspaceId};

#[derive(Clone, Debug)]
pub struct StoredTemplate {
    pub id: String,
    pub subject: String,
    pub email: String,
    pub shared: bool,
    pub name: String,
    pub notes: String,
    pub sealed: Vec<u8>,
    pub changed_at_ms: i64,
}

impl Store {
    /// Templates that a person may see: their own and shared ones.
    pub async fn templates(&self, workspace: WorkspaceId, subject: &str) -> Result<Vec<StoredTemplate>> {
        let rows = sqlx::query(
            "SELECT id, subject, email, shared, name, notes, content, changed_at FROM launch_template \
             WHERE workspace_id = $1 AND (subject = $2 OR shared = 1) ORDER BY name, id",
        )
        .bind(workspace.0)
        .bind(subject)
        .fetch_all(&self.reader)
        .await?;
        rows.iter()
            .map(|row| {
                Ok(StoredTemplate {
                    id: row.try_get("id")?,
                    subject: row.try_get("subject")?,
                    email: row.try_get("email")?,
                    shared: row.try_get::<i64, _>("shared")? == 1,
                    name: row.try_get("name")?,
                    notes: row.try_get("notes")?,
                    sealed: row.try_get("content")?,
                    changed_at_ms: row.try_get("changed_at")?,
                })
            })
            .collect()
    }

    /// Stores a new template. Returns false if its owner has `max` templates already.
    pub async fn insert_template(&self, workspace: WorkspaceId, template: &StoredTemplate, max: i64) -> Result<bool> {
        // Counted under the workspace's lock: several saves at a time must not exceed the limit together.
        let mut tx = self.begin_writing(workspace).await?;
        let count = "SELECT COUNT(*) FROM launch_template WHERE workspace_id = $1 AND subject = $2";
        let known: i64 =
            sqlx::query_scalar(count).bind(workspace.0).bind(&template.subject).fetch_one(&mut *tx).await?;
        if known >= max {
            return Ok(false);
        }
        sqlx::query(
            "INSERT INTO launch_template (workspace_id, id, subject, email, shared, name, notes, content, changed_at) \
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
        )
        .bind(workspace.0)
        .bind(&template.id)
        .bind(&template.subject)
        .bind(&template.email)
        .bind(i64::from(template.shared))
        .bind(&template.name)
        .bind(&template.notes)
        .bind(&template.sealed)
        .bind(template.changed_at_ms)
        .execute(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(true)
    }

    /// Changes a template. Returns false if its owner has none with this id.
    pub async fn update_template(&self, workspace: WorkspaceId, template: &StoredTemplate) -> Result<bool> {
        let saved = sqlx::query(
            "UPDATE launch_template SET email = $1, shared = $2, name = $3, notes = $4, content = $5, changed_at = $6 \
             WHERE workspace_id = $7 AND id = $8 AND subject = $9",
        )
        .bind(&template.email)
        .bind(i64::from(template.shared))
        .bind(&template.name)
        .bind(&template.notes)
        .bind(&template.sealed)
        .bind(template.changed_at_ms)
        .bind(workspace.0)
        .bind(&template.id)
        .bind(&template.subject)
        .execute(&self.writer)
        .await?;
        Ok(saved.rows_affected() == 1)
    }

    /// Returns false if this person has no such template.
    pub async fn delete_template(&self, workspace: WorkspaceId, subject: &str, id: &str) -> Result<bool> {
        let deleted = sqlx::query("DELETE FROM launch_template WHERE workspace_id = $1 AND subject = $2 AND id = $3")
            .bind(workspace.0)
            .bind(subject)
            .bind(id)
            .execute(&self.writer)
            .await?;
        Ok(deleted.rows_affected() == 1)
    }

    pub async fn draft(&self, workspace: WorkspaceId, subject: &str) -> Result<Option<(Vec<u8>, i64)>> {
        let row = sqlx::query("SELECT content, changed_at FROM launch_draft WHERE workspace_id = $1 AND subject = $2")
            .bind(workspace.0)
            .bind(subject)
            .fetch_optional(&self.reader)
            .await?;
        row.map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).transpose()
    }

    pub async fn save_draft(&self, workspace: WorkspaceId, subject: &str, sealed: &[u8], now_ms: i64) -> Result<()> {
        sqlx::query(
            "INSERT INTO launch_draft (workspace_id, subject, content, changed_at) VALUES ($1, $2, $3, $4) \
             ON CONFLICT (workspace_id, subject) DO UPDATE SET content = excluded.content, \
             changed_at = excluded.changed_at",
        )
        .bind(workspace.0)
        .bind(subject)
        .bind(sealed)
        .bind(now_ms)
        .execute(&self.writer)
        .await
        .map(drop)
    }

    /// Metadata keys and values of the workspace's runs, most used first.
    pub async fn metadata_in_use(&self, workspace: WorkspaceId) -> Result<Vec<(String, String)>> {
        let rows = sqlx::query(
            "SELECT key, value FROM tag WHERE workspace_id = $1 AND key LIKE 'metadata.%' AND runs > 0 \
             ORDER BY runs DESC, key, value LIMIT 500",
        )
        .bind(workspace.0)
        .fetch_all(&self.reader)
        .await?;
        let pair = |row: &AnyRow| -> Result<(String, String)> {
            let key: String = row.try_get(0)?;
            Ok((key["metadata.".len()..].to_owned(), row.try_get(1)?))
        };
        rows.iter().map(pair).collect()
    }
}
