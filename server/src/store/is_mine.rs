//! Launcher tags, which `is:mine` filters by: a launched run gets one once it is stored.

use std::collections::{BTreeSet, HashMap};

use sqlx::Row;

use super::audit::{self, NewAuditEntry};
use super::run_row;
use super::sql::fetch;
use super::tags::{self, Tag, TagChanges};
use super::{Result, Store, WorkspaceId};

/// Launches per transaction.
const CHUNK: i64 = 200;
const LAUNCHER_KEY: &str = "launcher";

impl Store {
    /// Records a run that a person started without the launch form.
    pub async fn record_launch(
        &self,
        workspace: WorkspaceId,
        subject: &str,
        run_id: &str,
        entry: &NewAuditEntry,
    ) -> Result<()> {
        let mut tx = self.begin().await?;
        sqlx::query(
            "INSERT INTO launch (workspace_id, key, fingerprint, state, lease_until, created_at, subject, run_id) \
             VALUES ($1, $2, '', 'started', 0, $3, $4, $5) ON CONFLICT DO NOTHING",
        )
        .bind(workspace.0)
        .bind(format!("run.{run_id}"))
        .bind(entry.at_ms)
        .bind(subject)
        .bind(run_id)
        .execute(&mut *tx)
        .await?;
        audit::add(&mut tx, workspace, entry).await?;
        tx.commit().await
    }

    /// Returns the person who launched a run here.
    pub async fn launcher_of(&self, workspace: WorkspaceId, run_id: &str) -> Result<Option<String>> {
        sqlx::query_scalar(
            "SELECT subject FROM launch WHERE workspace_id = $1 AND run_id = $2 AND subject <> '' LIMIT 1",
        )
        .bind(workspace.0)
        .bind(run_id)
        .fetch_optional(&self.reader)
        .await
    }

    /// Adds the launcher tag to launched runs that are stored by now.
    pub async fn tag_launched_runs(&self, workspace: WorkspaceId) -> Result<()> {
        let sql = "SELECT l.key, l.subject, l.run_id FROM launch l \
             JOIN run r ON r.workspace_id = l.workspace_id AND r.id = l.run_id \
             WHERE l.workspace_id = $1 AND l.marked = 0 AND l.subject <> '' LIMIT $2";
        let rows = fetch(&self.reader, sql.to_owned(), vec![workspace.0.into(), CHUNK.into()]).await?;
        if rows.is_empty() {
            return Ok(());
        }
        let mut launchers: HashMap<String, (String, Tag)> = HashMap::new();
        for row in &rows {
            let (key, subject, run_id): (String, String, String) = (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
            launchers.insert(run_id, (key, Tag::new(LAUNCHER_KEY, &subject)));
        }
        let mut tx = self.begin_writing(workspace).await?;
        let wanted: BTreeSet<Tag> = launchers.values().map(|(_, tag)| tag.clone()).collect();
        let known = tags::ids(&mut tx, self.engine, &self.tag_cache, workspace, &wanted).await?;
        let run_ids: Vec<&str> = launchers.keys().map(String::as_str).collect();
        let mut runs = run_row::by_ids(&mut tx, workspace, &run_ids).await?;
        let mut changes = TagChanges::default();
        for (run_id, row) in &mut runs {
            let before = row.tags.all();
            row.tags.own.extend(launchers.get(run_id).and_then(|(_, tag)| known.ids.get(tag)));
            changes.record(row.list_key, &before, &row.tags.all());
        }
        run_row::write(&mut tx, self.engine, workspace, &runs.values().collect::<Vec<_>>()).await?;
        changes.write(&mut tx, self.engine).await?;
        for (key, _) in launchers.values() {
            sqlx::query("UPDATE launch SET marked = 1 WHERE workspace_id = $1 AND key = $2")
                .bind(workspace.0)
                .bind(key)
                .execute(&mut *tx)
                .await?;
        }
        tx.commit().await?;
        self.tag_cache.insert(workspace, &known);
        Ok(())
    }
}
