//! The audit log: entries are added in the transaction of what they record, and go by age and number.

use domain::{AuditAction, AuditEntry, AuditPage};
use sqlx::any::AnyRow;
use sqlx::{AnyConnection, Row};

use super::{Result, Store, WorkspaceId};

/// Entries of one workspace. The oldest go first.
const MAX_ENTRIES: i64 = 100_000;
/// The number of entries is checked once for so many new ones.
const CHECK_EVERY: i64 = 256;
const MAX_CHARS: usize = 200;

/// An entry to add.
#[derive(Clone, Debug)]
pub struct NewAuditEntry {
    pub at_ms: i64,
    pub actor: String,
    pub address: Option<String>,
    pub action: AuditAction,
    pub target: Option<String>,
    pub detail: Option<String>,
}

impl NewAuditEntry {
    pub fn about(self, target: &str) -> Self {
        Self { target: Some(target.to_owned()), ..self }
    }

    pub fn with_detail(self, detail: String) -> Self {
        Self { detail: Some(detail), ..self }
    }
}

impl Store {
    /// Adds an entry for something that changes nothing in this database.
    pub async fn add_audit_entry(&self, workspace: WorkspaceId, entry: &NewAuditEntry) -> Result<()> {
        let mut tx = self.begin().await?;
        add(&mut tx, workspace, entry).await?;
        tx.commit().await
    }

    /// A page of entries, newest first, that are older than the one with the id `before`.
    pub async fn audit_page(&self, workspace: WorkspaceId, before: Option<i64>, limit: u32) -> Result<AuditPage> {
        let rows = sqlx::query(
            "SELECT id, at, actor, address, action, target, detail FROM audit_entry \
             WHERE workspace_id = $1 AND id < $2 ORDER BY id DESC LIMIT $3",
        )
        .bind(workspace.0)
        .bind(before.unwrap_or(i64::MAX))
        .bind(i64::from(limit) + 1)
        .fetch_all(&self.reader)
        .await?;
        let limit = limit as usize;
        let shown = &rows[..rows.len().min(limit)];
        let last = shown.last().filter(|_| rows.len() > limit);
        let next_cursor = last.map(|row| row.try_get::<i64, _>("id")).transpose()?.map(|id| id.to_string());
        Ok(AuditPage { entries: shown.iter().map(read).collect::<Result<_>>()?, next_cursor })
    }

    /// Deletes entries from before a time.
    pub async fn delete_audit_entries_before(&self, at_ms: i64) -> Result<u64> {
        let done = sqlx::query("DELETE FROM audit_entry WHERE at < $1").bind(at_ms).execute(&self.writer).await?;
        Ok(done.rows_affected())
    }
}

/// Adds an entry within a transaction.
pub(super) async fn add(tx: &mut AnyConnection, workspace: WorkspaceId, entry: &NewAuditEntry) -> Result<()> {
    let short = |text: &Option<String>| text.as_deref().map(|text| text.chars().take(MAX_CHARS).collect::<String>());
    let id: i64 = sqlx::query_scalar(
        "INSERT INTO audit_entry (workspace_id, at, actor, address, action, target, detail) \
         VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id",
    )
    .bind(workspace.0)
    .bind(entry.at_ms)
    .bind(&entry.actor)
    .bind(&entry.address)
    .bind(entry.action.as_str())
    .bind(short(&entry.target))
    .bind(short(&entry.detail))
    .fetch_one(&mut *tx)
    .await?;
    if id % CHECK_EVERY == 0 { delete_surplus(tx, workspace, MAX_ENTRIES).await } else { Ok(()) }
}

async fn delete_surplus(tx: &mut AnyConnection, workspace: WorkspaceId, keep: i64) -> Result<()> {
    sqlx::query(
        "DELETE FROM audit_entry WHERE workspace_id = $1 AND id <= \
         (SELECT id FROM audit_entry WHERE workspace_id = $1 ORDER BY id DESC LIMIT 1 OFFSET $2)",
    )
    .bind(workspace.0)
    .bind(keep)
    .execute(tx)
    .await
    .map(drop)
}

fn read(row: &AnyRow) -> Result<AuditEntry> {
    Ok(AuditEntry {
        at_ms: row.try_get("at")?,
        actor: row.try_get("actor")?,
        address: row.try_get("address")?,
        action: row.try_get("action")?,
        target: row.try_get("target")?,
        detail: row.try_get("detail")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(number: i64) -> NewAuditEntry {
        let (actor, target) = ("ada@acme.test".to_owned(), Some(format!("run_{number}")));
        NewAuditEntry { at_ms: number, actor, address: None, action: AuditAction::Launch, target, detail: None }
    }

    #[tokio::test]
    async fn the_newest_entries_stay_and_other_workspaces_keep_theirs() -> anyhow::Result<()> {
        let dir = tempfile::tempdir()?;
        let store = Store::open(&format!("sqlite:{}", dir.path().join("x.db").display())).await?;
        let (acme, globex) = (store.workspace_from_slug("acme").await?, store.workspace_from_slug("globex").await?);
        for number in 0..10 {
            store.add_audit_entry(acme, &entry(number)).await?;
            store.add_audit_entry(globex, &entry(number)).await?;
        }
        let mut tx = store.begin().await?;
        delete_surplus(&mut tx, acme, 4).await?;
        tx.commit().await?;
        let targets = async |workspace| -> Result<Vec<String>> {
            let page = store.audit_page(workspace, None, 100).await?;
            Ok(page.entries.into_iter().filter_map(|entry| entry.target).collect())
        };
        assert_eq!(targets(acme).await?, ["run_9", "run_8", "run_7", "run_6"]);
        assert_eq!(targets(globex).await?.len(), 10);
        assert_eq!(store.delete_audit_entries_before(9).await?, 12);
        assert_eq!(
            (targets(acme).await?, targets(globex).await?),
            (vec!["run_9".to_owned()], vec!["run_9".to_owned()])
        );
        Ok(())
    }

    #[tokio::test]
    async fn pages_follow_each_other_without_gaps() -> anyhow::Result<()> {
        let dir = tempfile::tempdir()?;
        let store = Store::open(&format!("sqlite:{}", dir.path().join("x.db").display())).await?;
        let acme = store.workspace_from_slug("acme").await?;
        for number in 0..5 {
            store.add_audit_entry(acme, &entry(number)).await?;
        }
        let (mut seen, mut before) = (Vec::new(), None);
        for _ in 0..3 {
            let page = store.audit_page(acme, before, 2).await?;
            seen.extend(page.entries.into_iter().map(|entry| entry.at_ms));
            before = page.next_cursor.and_then(|cursor| cursor.parse().ok());
        }
        assert_eq!((seen, before), (vec![4, 3, 2, 1, 0], None));
        Ok(())
    }
}
