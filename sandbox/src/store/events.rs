//! Storage of logs: appends in batches, reads from a position.

use std::borrow::Cow;

use futures::TryStreamExt;
use protocol::RunStatus;
use sqlx::sqlite::SqliteRow;
use sqlx::{FromRow, QueryBuilder, Row, Sqlite, SqliteConnection};

use super::{Finish, Store};

/// Limits for one page. A reader holds one page in memory.
const PAGE_EVENTS: i64 = 256;
const PAGE_BYTES: usize = 256 * 1024;

/// Rows per INSERT. A round trip to SQLite's thread costs more than the rows; few sizes keep the statements prepared.
const INSERT_SIZES: [usize; 4] = [128, 32, 8, 1];

/// An event to append. The last one has the final record of the run.
pub struct Entry {
    pub run_id: std::sync::Arc<str>,
    pub seq: u64,
    pub kind: &'static str,
    pub data: String,
    /// When it happened, on a virtual clock.
    pub at_ms: Option<i64>,
    pub finish: Option<Box<Finish>>,
}

/// A stored event. `data` is JSON.
pub struct StoredEvent {
    pub seq: i64,
    pub kind: Cow<'static, str>,
    pub data: String,
    pub at_ms: Option<i64>,
}

impl FromRow<'_, SqliteRow> for StoredEvent {
    fn from_row(row: &SqliteRow) -> sqlx::Result<Self> {
        Ok(Self {
            seq: row.try_get("seq")?,
            kind: Cow::Owned(row.try_get("kind")?),
            data: row.try_get("data")?,
            at_ms: row.try_get("at_ms")?,
        })
    }
}

impl StoredEvent {
    pub fn is_terminal(&self) -> bool {
        matches!(&*self.kind, "result" | "error" | "cancelled")
    }
}

impl Store {
    /// Writes a batch and the final records in it, in one transaction.
    pub async fn append(&self, entries: &[Entry]) -> sqlx::Result<()> {
        let mut transaction = self.write.begin().await?;
        let mut rest = entries;
        for rows_at_once in INSERT_SIZES {
            let chunks = rest.chunks_exact(rows_at_once);
            rest = chunks.remainder();
            for rows in chunks {
                insert(&mut transaction, rows).await?;
            }
        }
        for entry in entries {
            if let Some(finish) = &entry.finish {
                super::runs::finish(&mut transaction, &entry.run_id, finish).await?;
                super::sessions::append_turn(&mut transaction, &entry.run_id, finish).await?;
            }
        }
        transaction.commit().await
    }

    /// Returns the next page of a log: up to a few hundred events, at least one if there is one.
    pub async fn events_after(&self, run_id: &str, seq: u64) -> sqlx::Result<Vec<StoredEvent>> {
        let page = "SELECT seq, kind, data, at_ms FROM events WHERE run_id = ? AND seq > ? ORDER BY seq LIMIT ?";
        let mut rows = sqlx::query_as::<_, StoredEvent>(page)
            .bind(run_id)
            .bind(i64::try_from(seq).unwrap_or(i64::MAX))
            .bind(PAGE_EVENTS)
            .fetch(&self.read);
        let mut events = Vec::new();
        let mut bytes = 0;
        while bytes < PAGE_BYTES
            && let Some(event) = rows.try_next().await?
        {
            bytes += event.data.len();
            events.push(event);
        }
        Ok(events)
    }

    /// Ends every run that a crash interrupted, and returns their number.
    pub async fn fail_interrupted(&self, message: &str, now_ms: i64) -> sqlx::Result<u64> {
        let data = serde_json::json!({
            "error": message, "code": "server", "errorClass": "server", "finishReason": null, "retryable": true,
        });
        let reason = serde_json::json!({ "errorClass": "server", "finishReason": null });
        let mut transaction = self.write.begin().await?;
        // Finds and uses the position in one statement, because a last commit of the dead process may still arrive.
        sqlx::query(
            "INSERT INTO events (run_id, seq, kind, data)
             SELECT id, (SELECT coalesce(max(seq), 0) + 1 FROM events WHERE run_id = id), 'error', ?
             FROM runs WHERE completed_at IS NULL",
        )
        .bind(data.to_string())
        .execute(&mut *transaction)
        .await?;
        let ended = sqlx::query(
            "UPDATE runs SET status = ?, error = ?, failure_reason = ?, completed_at = max(created_at, ?),
                 turns = (SELECT count(*) FROM events WHERE run_id = id AND kind = 'assistant_message')
             WHERE completed_at IS NULL",
        )
        .bind(RunStatus::Failed.as_str())
        .bind(message)
        .bind(reason.to_string())
        .bind(now_ms)
        .execute(&mut *transaction)
        .await?
        .rows_affected();
        transaction.commit().await?;
        Ok(ended)
    }
}

async fn insert(connection: &mut SqliteConnection, rows: &[Entry]) -> sqlx::Result<()> {
    let mut statement = QueryBuilder::<Sqlite>::new("INSERT INTO events (run_id, seq, kind, data, at_ms) ");
    statement.push_values(rows, |mut row, entry| {
        row.push_bind(&*entry.run_id).push_bind(entry.seq as i64).push_bind(entry.kind);
        row.push_bind(entry.data.as_str()).push_bind(entry.at_ms);
    });
    statement.build().execute(connection).await?;
    Ok(())
}
