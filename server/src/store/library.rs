//! Launch templates and drafts. Their contents are encrypted before they reach the store.

use sqlx::Row;
use sqlx::any::AnyRow;

use super::sql::{Arg, args, execute, fetch, fetch_optional, fetch_value};
use super::{NewAuditEntry, Result, Store, WorkspaceId, audit};

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

impl StoredTemplate {
    fn args(&self, workspace: WorkspaceId) -> Vec<Arg> {
        let Self { id, subject, email, shared, name, notes, sealed, changed_at_ms } = self;
        args![workspace, id, subject, email, i64::from(*shared), name, notes, sealed, *changed_at_ms]
    }
}

impl Store {
    /// Templates that a person may see: their own and shared ones.
    pub async fn templates(&self, workspace: WorkspaceId, subject: &str) -> Result<Vec<StoredTemplate>> {
        let sql = "SELECT id, subject, email, shared, name, notes, content, changed_at FROM launch_template \
                   WHERE workspace_id = $1 AND (subject = $2 OR shared = 1) ORDER BY name, id";
        let rows = fetch(&self.reader, sql, args![workspace, subject]).await?;
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
    pub async fn insert_template(
        &self,
        workspace: WorkspaceId,
        template: &StoredTemplate,
        max: i64,
        entry: Option<&NewAuditEntry>,
    ) -> Result<bool> {
        // Counted under the workspace's lock: several saves at a time must not exceed the limit together.
        let mut tx = self.begin_writing(workspace).await?;
        let count = "SELECT COUNT(*) FROM launch_template WHERE workspace_id = $1 AND subject = $2";
        let known: Option<i64> = fetch_value(&mut *tx, count, args![workspace, &template.subject]).await?;
        if known.is_some_and(|known| known >= max) {
            return Ok(false);
        }
        let sql = "INSERT INTO launch_template (workspace_id, id, subject, email, shared, name, notes, content, \
                   changed_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
        execute(&mut tx, sql, template.args(workspace)).await?;
        if let Some(entry) = entry {
            audit::add(&mut tx, workspace, entry).await?;
        }
        tx.commit().await?;
        Ok(true)
    }

    /// Changes a template. Returns false if its owner has none with this id.
    pub async fn update_template(
        &self,
        workspace: WorkspaceId,
        template: &StoredTemplate,
        entry: Option<&NewAuditEntry>,
    ) -> Result<bool> {
        let sql = "UPDATE launch_template SET email = $4, shared = $5, name = $6, notes = $7, content = $8, \
                   changed_at = $9 WHERE workspace_id = $1 AND id = $2 AND subject = $3";
        self.change_template(workspace, sql, template.args(workspace), entry).await
    }

    /// Returns false if this person has no such template.
    pub async fn delete_template(
        &self,
        workspace: WorkspaceId,
        subject: &str,
        id: &str,
        entry: Option<&NewAuditEntry>,
    ) -> Result<bool> {
        let sql = "DELETE FROM launch_template WHERE workspace_id = $1 AND subject = $2 AND id = $3";
        self.change_template(workspace, sql, args![workspace, subject, id], entry).await
    }

    /// Changes one row together with the entry about it. Returns false if there is no such row.
    async fn change_template(
        &self,
        workspace: WorkspaceId,
        sql: &str,
        args: Vec<Arg>,
        entry: Option<&NewAuditEntry>,
    ) -> Result<bool> {
        let mut tx = self.begin_writing(workspace).await?;
        if execute(&mut tx, sql.to_owned(), args).await? == 0 {
            return Ok(false);
        }
        if let Some(entry) = entry {
            audit::add(&mut tx, workspace, entry).await?;
        }
        tx.commit().await?;
        Ok(true)
    }

    /// Returns a draft and when it was changed.
    pub async fn draft(&self, workspace: WorkspaceId, subject: &str) -> Result<Option<(Vec<u8>, i64)>> {
        let sql = "SELECT content, changed_at FROM launch_draft WHERE workspace_id = $1 AND subject = $2";
        let row = fetch_optional(&self.reader, sql, args![workspace, subject]).await?;
        row.map(|row| Ok((row.try_get(0)?, row.try_get(1)?))).transpose()
    }

    /// Stores a draft, and `kept` beside it in the same transaction. Returns false, and stores nothing, if another request
    /// has changed the draft since it was read: `read_at_ms` is when that version was changed.
    pub async fn save_draft(
        &self,
        workspace: WorkspaceId,
        draft: (&str, &[u8]),
        kept: Option<(&str, &[u8])>,
        read_at_ms: Option<i64>,
        now_ms: i64,
    ) -> Result<bool> {
        let sql = "INSERT INTO launch_draft (workspace_id, subject, content, changed_at) VALUES ($1, $2, $3, $4) \
                   ON CONFLICT (workspace_id, subject) DO UPDATE SET content = excluded.content, \
                   changed_at = excluded.changed_at";
        let unchanged = format!("{sql} WHERE launch_draft.changed_at = $5");
        let mut tx = self.begin().await?;
        let (subject, sealed) = draft;
        // Later than the version that it replaces, also within a millisecond.
        let changed_at_ms = read_at_ms.map_or(now_ms, |read_at_ms| now_ms.max(read_at_ms + 1));
        let args = args![workspace, subject, sealed, changed_at_ms, read_at_ms];
        if execute(&mut tx, unchanged, args).await? == 0 {
            return Ok(false);
        }
        if let Some((subject, sealed)) = kept {
            execute(&mut tx, sql, args![workspace, subject, sealed, now_ms]).await?;
        }
        tx.commit().await?;
        Ok(true)
    }

    /// Metadata keys and values of the workspace's runs, most used first.
    pub async fn metadata_in_use(&self, workspace: WorkspaceId) -> Result<Vec<(String, String)>> {
        let sql = "SELECT key, value FROM tag WHERE workspace_id = $1 AND key LIKE 'metadata.%' AND runs > 0 \
                   ORDER BY runs DESC, key, value LIMIT 500";
        let rows = fetch(&self.reader, sql, args![workspace]).await?;
        let pair = |row: &AnyRow| -> Result<(String, String)> {
            let key: String = row.try_get(0)?;
            Ok((key["metadata.".len()..].to_owned(), row.try_get(1)?))
        };
        rows.iter().map(pair).collect()
    }
}
