//! Tool results that a session remembers, beside what was said.

use serde_json::Value;
use sqlx::SqliteConnection;

use super::row::from_row;
use super::{Finish, Store};

/// The result of one call, to be kept for the session's later runs.
pub struct NewRetained {
    pub call_id: String,
    pub name: String,
    pub input: Value,
    pub output: String,
}

/// A result that is kept, and the run it comes from.
pub struct Retained {
    pub run_id: String,
    pub call_id: String,
    pub name: String,
    pub input: String,
    pub output: String,
}

from_row!(Retained { run_id, call_id, name, input, output });

/// What is kept of a result.
const MAX_BYTES: usize = 8 * 1024;

impl Store {
    /// What a session has retained, in the order in which it happened.
    pub async fn retained(&self, session_id: &str) -> sqlx::Result<Vec<Retained>> {
        sqlx::query_as(
            "SELECT run_id, call_id, name, input, output FROM retained_results WHERE session_id = ? ORDER BY id",
        )
        .bind(session_id)
        .fetch_all(&self.read)
        .await
    }
}

/// Written with the turn that it belongs to; a run that failed leaves nothing behind.
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
