//! Removes what erased rows leave behind in the files.

use sqlx::{AssertSqlSafe, Row};

use super::super::sql::{execute, fetch};
use super::super::{Engine, Result, Store};

/// Pages of the word index that one step merges, and the most steps: other writers come between.
const MERGE_PAGES: i64 = 500;
const MAX_MERGE_STEPS: u32 = 1_000_000;
/// Attempts to empty the write-ahead log. Readers may use it meanwhile.
const MAX_CHECKPOINTS: u32 = 10;

impl Store {
    /// Removes what erased rows leave behind in the files. Does nothing if nothing was erased since the last time.
    ///
    /// On PostgreSQL this is a plain `VACUUM`: the space can be used again, but the bytes stay until then.
    pub async fn purge_erased(&self) -> Result<()> {
        let sql = "SELECT workspace_id, generation FROM erasure WHERE generation > purged";
        let pending = fetch(&self.reader, sql.to_owned(), Vec::new()).await?;
        if pending.is_empty() {
            return Ok(());
        }
        match self.engine {
            Engine::Sqlite => {
                self.merge_word_index().await?;
                self.empty_write_ahead_log().await?;
            }
            Engine::Postgres => {
                let tables = "run, run_spec, run_log, run_event, run_text, searched_text, run_tag, tag, run_facts, rollup, run_feedback, run_import, \
                     run_answer, run_answerer, session, session_metadata, launch, launch_draft, launch_batch, \
                     launch_batch_item, failure_group";
                sqlx::query(AssertSqlSafe(format!("VACUUM {tables}"))).execute(&self.writer).await?;
            }
        }
        for row in &pending {
            sqlx::query("UPDATE erasure SET purged = $1 WHERE workspace_id = $2 AND purged < $1")
                .bind(row.try_get::<i64, _>(1)?)
                .bind(row.try_get::<i64, _>(0)?)
                .execute(&self.writer)
                .await?;
        }
        Ok(())
    }

    /// Rewrites the word index without the words of deleted runs, in small steps.
    async fn merge_word_index(&self) -> Result<()> {
        // A negative number begins a merge of everything.
        let mut pages = -MERGE_PAGES;
        for _ in 0..MAX_MERGE_STEPS {
            let mut connection = self.writer.acquire().await?;
            let before: i64 = sqlx::query_scalar("SELECT total_changes()").fetch_one(&mut *connection).await?;
            let sql = format!("INSERT INTO run_word (run_word, rank) VALUES ('merge', {pages})");
            execute(&mut connection, sql, Vec::new()).await?;
            let after: i64 = sqlx::query_scalar("SELECT total_changes()").fetch_one(&mut *connection).await?;
            // SQLite's own rule for the end: the command itself counts as one change.
            if after - before < 2 {
                break;
            }
            pages = MERGE_PAGES;
        }
        Ok(())
    }

    async fn empty_write_ahead_log(&self) -> Result<()> {
        for _ in 0..MAX_CHECKPOINTS {
            let row = sqlx::query("PRAGMA wal_checkpoint(TRUNCATE)").fetch_one(&self.writer).await?;
            if row.try_get::<i64, _>(0)? == 0 {
                return Ok(());
            }
        }
        Err(sqlx::Error::PoolTimedOut)
    }
}
