//! Storage of tool results that a session retains.

use serde_json::Value;
use sqlx::SqliteConnection;

use super::row::from_row;
use super::{Finish, Store};

/// A tool result for later runs of the session.
pub struct NewRetained {
    pub call_id: String,
    pub name: String,
    pub input: Value,
    pub output: String,
}

/// A stored result, with its run.
pub struct Retained {
    pub run_id: String,
    pub call_id: String,
    pub name: String,
    pub input: String,
    pub output: String,
}

from_row!(Retained { run_id, call_id, name, input, output });

/// Limit for a stored result.
const MAX_BYTES: usize = 8 * 1024;

impl Store {
    /// Returns the retained results of a session, oldest first.
    pub async fn retained(&self, session_id: &str) -> sqlx::Result<Vec<Retained>> {
        sqlx::query_as(
            "SELECT run_id, call_id, name, input, output FROM retained_results WHERE session_id = ? ORDER BY id",
        )
        .bind(session_id)
        .fetch_all(&self.read)
        .await
    }
}

/// Stores the results of a run together with its messages. A failed run has none.
pub(super) async fn append(connection: &mut SqliteConnection, run_id: &str, finish: &Finish) -> sqlx::Result<()> {
    if finish.session_turn.is_empty() {
        return Ok(());
    }
    for retained in &finish.retained {
        sqlx::query(
            "INSERT INTO retained_results (session_id, run_id, call_id, name, input, output)
             SELECT session_id, id, ?, ?, ?, ? FROM runs WHERE id = ? AND session_id IS NOT NULL",
        )
        .bind(&retained.call_id)
        .bind(&retained.name)
        .bind(retained.input.to_string())
        .bind(shortened(&retained.output))
        .bind(run_id)
        .execute(&mut *connection)
        .await?;
    }
    Ok(())
}

fn shortened(output: &str) -> &str {
    let end = (0..=output.len().min(MAX_BYTES)).rev().find(|end| output.is_char_boundary(*end));
    &output[..end.unwrap_or(0)]
}
