//! Logs: appended in batches, read from a position on.

use std::borrow::Cow;

use futures::TryStreamExt;
use protocol::RunStatus;
use sqlx::sqlite::SqliteRow;
use sqlx::{FromRow, QueryBuilder, Row, Sqlite, SqliteConnection};

use super::{Finish, Store};

/// Each reader holds one page at a time, so these bound what a reader costs.
const PAGE_EVENTS: i64 = 256;
const PAGE_BYTES: usize = 256 * 1024;

/// Each statement is a trip to SQLite's thread and back, which costs more than the rows. Only these lengths of statement
/// are used, so that each stays prepared.
const ROWS_AT_ONCE: [usize; 4] = [128, 32, 8, 1];

/// One event on its way into the log, and with the last one how the run ended.
pub struct Entry {
    pub run_id: std::sync::Arc<str>,
    pub seq: u64,
    pub kind: &'static str,
    pub data: String,
    pub finish: Option<Box<Finish>>,
}

/// One event of a log. `data` is the JSON as it was written.
pub struct StoredEvent {
    pub seq: i64,
    pub kind: Cow<'static, str>,
    pub data: String,
}

impl FromRow<'_, SqliteRow> for StoredEvent {
    fn from_row(row: &SqliteRow) -> sqlx::Result<Self> {
        Ok(Self { seq: row.try_get("seq")?, kind: Cow::Owned(row.try_get("kind")?), data: row.try_get("data")? })
    }
}

impl StoredEvent {
    pub fn is_terminal(&self) -> bool {
        matches!(&*self.kind, "result" | "error" | "cancelled")
    }
}

impl Store {
    /// Writes a batch and the ends of the runs in it, all or nothing.
    pub async fn append(&self, entries: &[Entry]) -> sqlx::Result<()> {
        let mut transaction = self.write.begin().await?;
        let mut rest = entries;
        for rows_at_once in ROWS_AT_ONCE {
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

    /// The next page of a log: a few hundred events, fewer when they are large, at least one when there is one.
    pub async fn events_after(&self, run_id: &str, seq: u64) -> sqlx::Result<Vec<StoredEvent>> {
        let page = "SELECT seq, kind, data FROM events WHERE run_id = ? AND seq > ? ORDER BY seq LIMIT ?";
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

    /// Ends every run that a crash left in flight, and says how many there were.
    pub async fn fail_interrupted(&self, message: &str, now_ms: i64) -> sqlx::Result<u64> {
        let data = serde_json::json!({
            "error": message, "code": "server", "errorClass": "server", "finishReason": null, "retryable": true,
        });
        let reason = serde_json::json!({ "errorClass": "server", "finishReason": null });
        let mut transaction = self.write.begin().await?;
        // The position is found and taken in one statement: a commit of the process that died may still land before it.
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
    let mut statement = QueryBuilder::<Sqlite>::new("INSERT INTO events (run_id, seq, kind, data) ");
    statement.push_values(rows, |mut row, entry| {
        row.push_bind(&*entry.run_id).push_bind(entry.seq as i64).push_bind(entry.kind).push_bind(entry.data.as_str());
    });
    statement.build().execute(connection).await?;
    Ok(())
}
