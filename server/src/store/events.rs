//! The events of runs, as they came.

use protocol::Event;
use sqlx::AssertSqlSafe;

use super::{Result, Store, WorkspaceId};

/// Rows in one INSERT: four values each, well under either engine's limit of bound values.
const INSERT_CHUNK: usize = 200;

impl Store {
    /// Stores events; those that are there already stay as they are.
    pub async fn insert_events(&self, workspace: WorkspaceId, run_id: &str, events: &[Event]) -> Result<()> {
        if events.is_empty() {
            return Ok(());
        }
        let mut tx = self.writer.begin().await?;
        for chunk in events.chunks(INSERT_CHUNK) {
            let rows: Vec<String> =
                (0..chunk.len()).map(|i| format!("($1, $2, ${}, ${})", 3 + 2 * i, 4 + 2 * i)).collect();
            let sql = format!(
                "INSERT INTO run_event (workspace_id, run_id, seq, event) VALUES {} ON CONFLICT DO NOTHING",
                rows.join(", ")
            );
            // Only numbered placeholders are formatted in.
            let mut insert = sqlx::query(AssertSqlSafe(sql)).bind(workspace.0).bind(run_id);
            for event in chunk {
                let seq = i64::try_from(event.seq).unwrap_or(i64::MAX);
                insert = insert.bind(seq).bind(serde_json::to_string(event).unwrap_or_default());
            }
            insert.execute(&mut *tx).await?;
        }
        tx.commit().await
    }

    /// At most `limit` events after `seq`, in order.
    pub async fn events_after(&self, workspace: WorkspaceId, run_id: &str, seq: u64, limit: u32) -> Result<Vec<Event>> {
        let rows: Vec<String> = sqlx::query_scalar(
            "SELECT event FROM run_event WHERE workspace_id = $1 AND run_id = $2 AND seq > $3 ORDER BY seq LIMIT $4",
        )
        .bind(workspace.0)
        .bind(run_id)
        .bind(i64::try_from(seq).unwrap_or(i64::MAX))
        .bind(i64::from(limit))
        .fetch_all(&self.reader)
        .await?;
        rows.iter().map(|json| Event::parse(json).map_err(|error| sqlx::Error::Decode(Box::new(error)))).collect()
    }

    /// The highest seq stored, 0 where there is none.
    pub async fn last_seq(&self, workspace: WorkspaceId, run_id: &str) -> Result<u64> {
        let last: Option<i64> =
            sqlx::query_scalar("SELECT MAX(seq) FROM run_event WHERE workspace_id = $1 AND run_id = $2")
                .bind(workspace.0)
                .bind(run_id)
                .fetch_one(&self.reader)
                .await?;
        Ok(last.unwrap_or(0).try_into().unwrap_or(0))
    }
}
