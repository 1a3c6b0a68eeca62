//! Deleting the oldest runs, by age or by size. Off by default.

use std::collections::BTreeSet;

use sqlx::{AssertSqlSafe, Row};

use super::hour_counts::HourCounts;
use super::sql::execute;
use super::tags::TagChanges;
use super::{Engine, Result, Store, WorkspaceId, list_key, run_row, text};

/// Tables with rows of a run that are deleted with it.
const TABLES_BY_RUN_ID: [&str; 4] = ["run_feedback", "run_import", "run_answer", "run_answerer"];

/// Runs deleted per transaction.
const CHUNK: i64 = 500;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Retention {
    pub max_age_ms: Option<i64>,
    pub max_bytes: Option<u64>,
}

impl Store {
    /// Deletes runs beyond the limits. Returns the number of deleted runs.
    pub async fn enforce(&self, retention: Retention, now_ms: i64) -> Result<u64> {
        let mut deleted = 0;
        if let Some(max_age_ms) = retention.max_age_ms {
            let before = list_key::first_at(now_ms.saturating_sub(max_age_ms));
            while let Some(batch) = self.delete_oldest(before).await? {
                deleted += batch.runs;
            }
        }
        if let Some(max_bytes) = retention.max_bytes {
            let mut stored = self.stored_bytes().await?;
            while stored > max_bytes
                && let Some(batch) = self.delete_oldest(i64::MAX).await?
            {
                deleted += batch.runs;
                stored = match self.engine {
                    Engine::Sqlite => self.stored_bytes().await?,
                    Engine::Postgres => stored.saturating_sub(batch.bytes),
                };
            }
        }
        Ok(deleted)
    }

    /// The size of stored runs: SQLite's pages in use. PostgreSQL's files do not shrink, so contents are summed up there.
    pub async fn stored_bytes(&self) -> Result<u64> {
        let bytes: i64 = match self.engine {
            Engine::Sqlite => {
                let mut pages = [0_i64; 3];
                let mut connection = self.reader.acquire().await?;
                for (i, pragma) in ["PRAGMA page_count", "PRAGMA freelist_count", "PRAGMA page_size"].iter().enumerate()
                {
                    pages[i] = sqlx::query_scalar(AssertSqlSafe(*pragma)).fetch_one(&mut *connection).await?;
                }
                (pages[0] - pages[1]) * pages[2]
            }
            Engine::Postgres => sqlx::query_scalar(AssertSqlSafe(content_size(""))).fetch_one(&self.reader).await?,
        };
        Ok(u64::try_from(bytes).unwrap_or(0))
    }

    /// The size of the database on disk, as the engine reports it.
    pub async fn database_bytes(&self) -> Result<u64> {
        let sql = match self.engine {
            Engine::Sqlite => "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()",
            Engine::Postgres => "SELECT pg_database_size(current_database())",
        };
        let bytes: i64 = sqlx::query_scalar(sql).fetch_one(&self.reader).await?;
        Ok(u64::try_from(bytes).unwrap_or(0))
    }

    /// Deletes some of the oldest runs below a list key. `None` if there are none.
    async fn delete_oldest(&self, below: i64) -> Result<Option<Deleted>> {
        let rows = sqlx::query("SELECT workspace_id, n FROM run WHERE n < $1 ORDER BY n LIMIT $2")
            .bind(below)
            .bind(CHUNK)
            .fetch_all(&self.reader)
            .await?;
        let mut found: Vec<(i64, i64)> = Vec::with_capacity(rows.len());
        for row in &rows {
            found.push((row.try_get(0)?, row.try_get(1)?));
        }
        let mut deleted = Deleted { runs: found.len() as u64, bytes: 0 };
        let workspaces: BTreeSet<i64> = found.iter().map(|(workspace, _)| *workspace).collect();
        for workspace in workspaces {
            let in_workspace = found.iter().filter(|(id, _)| *id == workspace);
            let list_keys: Vec<i64> = in_workspace.map(|(_, list_key)| *list_key).collect();
            deleted.bytes += self.delete_runs(WorkspaceId(workspace), &list_keys).await?;
        }
        Ok((!found.is_empty()).then_some(deleted))
    }

    /// Deletes runs with everything that belongs to them. Returns the size of their contents in bytes.
    async fn delete_runs(&self, workspace: WorkspaceId, list_keys: &[i64]) -> Result<u64> {
        let list = list_keys.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
        let mut tx = self.begin_writing(workspace).await?;
        let rows = run_row::select(&mut tx, &format!("r.n IN ({list})"), Vec::new()).await?;
        let bytes: i64 = sqlx::query_scalar(AssertSqlSafe(content_size(&format!("WHERE n IN ({list})"))))
            .fetch_one(&mut *tx)
            .await?;
        let mut changes = TagChanges::default();
        let mut hours = HourCounts::default();
        for row in &rows {
            changes.record(row.list_key, &row.tags.all(), &BTreeSet::new());
            hours.record(Some(row).filter(|row| row.indexed > 0), None);
        }
        changes.write(&mut tx, self.engine).await?;
        hours.write(&mut tx, self.engine, workspace).await?;
        text::delete(&mut tx, self.engine, &list).await?;
        for table in TABLES_BY_RUN_ID {
            let sql = format!(
                "DELETE FROM {table} WHERE workspace_id = $1 \
                 AND run_id IN (SELECT id FROM run WHERE workspace_id = $1 AND n IN ({list}))"
            );
            execute(&mut tx, sql, vec![workspace.0.into()]).await?;
        }
        for table in ["run_event", "run_log", "run_spec", "run"] {
            execute(&mut tx, format!("DELETE FROM {table} WHERE n IN ({list})"), Vec::new()).await?;
        }
        tx.commit().await?;
        let newest = rows.iter().map(|row| row.summary.created_at_ms).max().unwrap_or(0);
        self.update_sync_state(workspace, |state| state.keep_after_ms = state.keep_after_ms.max(newest + 1)).await?;
        Ok(u64::try_from(bytes).unwrap_or(0))
    }
}

/// The runs of one batch.
struct Deleted {
    runs: u64,
    bytes: u64,
}

/// SQL for the size of runs: logs, specs, and about a kilobyte for a row with its tags and words.
fn content_size(condition: &str) -> String {
    format!(
        "SELECT CAST((SELECT COALESCE(SUM(length(body)), 0) FROM run_log {condition}) \
         + (SELECT COALESCE(SUM(length(body)), 0) FROM run_spec {condition}) \
         + (SELECT COUNT(*) * 1024 FROM run {condition}) AS BIGINT)"
    )
}
