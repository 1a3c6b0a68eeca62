//! Letting go of the oldest runs, by age or by size. Off unless the operator says so.

use std::collections::BTreeSet;

use sqlx::{AssertSqlSafe, Row};

use super::ingest::Hours;
use super::sql::execute;
use super::tags::TagChanges;
use super::{Engine, Result, Store, WorkspaceId, number, run_row, text};

/// What stands beside a run under its id and goes with it.
const OF_RUN_ID: [&str; 4] = ["run_feedback", "run_import", "run_answer", "run_answerer"];

/// Runs removed in one transaction.
const CHUNK: i64 = 500;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Retention {
    pub max_age_ms: Option<i64>,
    pub max_bytes: Option<u64>,
}

impl Store {
    /// Removes what is older, or more, than is to be kept. Tells how many runs it was.
    pub async fn enforce(&self, retention: Retention, now_ms: i64) -> Result<u64> {
        let mut removed = 0;
        if let Some(max_age_ms) = retention.max_age_ms {
            let before = number::first_at(now_ms.saturating_sub(max_age_ms));
            while let Some(gone) = self.remove_oldest(before).await? {
                removed += gone.runs;
            }
        }
        if let Some(max_bytes) = retention.max_bytes {
            let mut stored = self.stored_bytes().await?;
            while stored > max_bytes
                && let Some(gone) = self.remove_oldest(i64::MAX).await?
            {
                removed += gone.runs;
                stored = match self.engine {
                    Engine::Sqlite => self.stored_bytes().await?,
                    Engine::Postgres => stored.saturating_sub(gone.bytes),
                };
            }
        }
        Ok(removed)
    }

    /// What runs take: SQLite tells its pages in use; PostgreSQL's files do not shrink, so contents are added up there.
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
            Engine::Postgres => sqlx::query_scalar(AssertSqlSafe(contents(""))).fetch_one(&self.reader).await?,
        };
        Ok(u64::try_from(bytes).unwrap_or(0))
    }

    /// What the database takes on disk, as its engine tells without reading it.
    pub async fn database_bytes(&self) -> Result<u64> {
        let sql = match self.engine {
            Engine::Sqlite => "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()",
            Engine::Postgres => "SELECT pg_database_size(current_database())",
        };
        let bytes: i64 = sqlx::query_scalar(sql).fetch_one(&self.reader).await?;
        Ok(u64::try_from(bytes).unwrap_or(0))
    }

    /// Removes some of the oldest runs below a number; `None` where there is none.
    async fn remove_oldest(&self, below: i64) -> Result<Option<Gone>> {
        let rows = sqlx::query("SELECT workspace_id, n FROM run WHERE n < $1 ORDER BY n LIMIT $2")
            .bind(below)
            .bind(CHUNK)
            .fetch_all(&self.reader)
            .await?;
        let mut found: Vec<(i64, i64)> = Vec::with_capacity(rows.len());
        for row in &rows {
            found.push((row.try_get(0)?, row.try_get(1)?));
        }
        let mut gone = Gone { runs: found.len() as u64, bytes: 0 };
        let workspaces: BTreeSet<i64> = found.iter().map(|(workspace, _)| *workspace).collect();
        for workspace in workspaces {
            let numbers: Vec<i64> = found.iter().filter(|(id, _)| *id == workspace).map(|(_, n)| *n).collect();
            gone.bytes += self.remove(WorkspaceId(workspace), &numbers).await?;
        }
        Ok((!found.is_empty()).then_some(gone))
    }

    /// Removes runs with all that stands beside them. Tells how many bytes their contents took.
    async fn remove(&self, workspace: WorkspaceId, numbers: &[i64]) -> Result<u64> {
        let list = numbers.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
        let mut tx = self.begin_writing(workspace).await?;
        let rows = run_row::select(&mut tx, &format!("r.n IN ({list})"), Vec::new()).await?;
        let bytes: i64 =
            sqlx::query_scalar(AssertSqlSafe(contents(&format!("WHERE n IN ({list})")))).fetch_one(&mut *tx).await?;
        let mut changes = TagChanges::default();
        let mut hours = Hours::default();
        for row in &rows {
            changes.note(row.n, &row.tags.all(), &BTreeSet::new());
            hours.note(Some(row).filter(|row| row.indexed > 0), None);
        }
        changes.write(&mut tx, self.engine).await?;
        hours.write(&mut tx, self.engine, workspace).await?;
        text::delete(&mut tx, self.engine, &list).await?;
        for table in OF_RUN_ID {
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

/// What one step removed.
struct Gone {
    runs: u64,
    bytes: u64,
}

/// A statement that adds up what runs contain: about a kilobyte for a row with its tags and words.
fn contents(which: &str) -> String {
    format!(
        "SELECT CAST((SELECT COALESCE(SUM(length(body)), 0) FROM run_log {which}) \
         + (SELECT COALESCE(SUM(length(body)), 0) FROM run_spec {which}) \
         + (SELECT COUNT(*) * 1024 FROM run {which}) AS BIGINT)"
    )
}
