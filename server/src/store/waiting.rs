//! Runs that wait for an answer from outside, and the people who are writing one.

use domain::RunSummary;
use sqlx::Row;

use super::run_row::{SUMMARY_COLUMNS, read_summary};
use super::sql::{args, execute, fetch};
use super::{CallKey, Result, Store, WorkspaceId};

/// A person who is writing an answer to a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallWriter {
    pub run_id: String,
    pub tool_use_id: String,
    pub subject: String,
    pub email: String,
}

impl Store {
    /// Runs in progress whose log has a call without an answer, the oldest first.
    pub async fn waiting_runs(&self, workspace: WorkspaceId, limit: u32) -> Result<Vec<RunSummary>> {
        let sql = format!(
            "SELECT {SUMMARY_COLUMNS} FROM tag t JOIN run_tag rt ON rt.tag_id = t.id JOIN run r ON r.n = rt.n \
             WHERE t.workspace_id = $1 AND t.key = 'is' AND t.value = 'waiting' AND r.workspace_id = $1 \
             AND r.origin = 0 AND r.status IN ('pending', 'running') ORDER BY rt.n LIMIT $2"
        );
        let rows = fetch(&self.reader, sql, args![workspace, i64::from(limit)]).await?;
        rows.iter().map(read_summary).collect()
    }

    /// Records that a person is writing an answer to a call, and forgets those who wrote before a time.
    pub async fn note_call_writer(
        &self,
        call: CallKey<'_>,
        subject: &str,
        email: &str,
        now_ms: i64,
        forget_before_ms: i64,
    ) -> Result<()> {
        let mut tx = self.begin().await?;
        let forget = "DELETE FROM call_writer WHERE workspace_id = $1 AND written_at < $2";
        execute(&mut tx, forget, args![call.workspace, forget_before_ms]).await?;
        let note = "INSERT INTO call_writer (workspace_id, run_id, tool_use_id, subject, email, written_at) \
                    VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (workspace_id, run_id, tool_use_id, subject) \
                    DO UPDATE SET email = excluded.email, written_at = excluded.written_at";
        let CallKey { workspace, run_id, tool_use_id, .. } = call;
        execute(&mut tx, note, args![workspace, run_id, tool_use_id, subject, email, now_ms]).await?;
        tx.commit().await
    }

    /// People who have been writing answers since a time, by call and address, at most `limit`.
    pub async fn call_writers(&self, workspace: WorkspaceId, since_ms: i64, limit: u32) -> Result<Vec<CallWriter>> {
        let sql = "SELECT run_id, tool_use_id, subject, email FROM call_writer \
                   WHERE workspace_id = $1 AND written_at >= $2 ORDER BY run_id, tool_use_id, email LIMIT $3";
        let rows = fetch(&self.reader, sql, args![workspace, since_ms, i64::from(limit)]).await?;
        let writer = |row: &sqlx::any::AnyRow| {
            Ok(CallWriter {
                run_id: row.try_get("run_id")?,
                tool_use_id: row.try_get("tool_use_id")?,
                subject: row.try_get("subject")?,
                email: row.try_get("email")?,
            })
        };
        rows.iter().map(writer).collect()
    }
}
