//! Tool results that a session remembers, beside what was said.

use serde_json::Value;
use sqlx::SqliteConnection;

use super::row::from_row;
use super::{Finish, Store};

/// The result of one call, kept for the session's later runs.
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

impl Retained {
    /// Belongs to a run as soon as it is written down.
    pub fn new(call_id: &str, name: &str, input: &Value, output: &str) -> Self {
        let end = (0..=output.len().min(MAX_BYTES)).rev().find(|end| output.is_char_boundary(*end)).unwrap_or(0);
        Self {
            run_id: String::new(),
            call_id: call_id.to_owned(),
            name: name.to_owned(),
            input: input.to_string(),
            output: output[..end].to_owned(),
        }
    }
}

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
        .bind(&retained.input)
        .bind(&retained.output)
        .bind(run_id)
        .execute(&mut *connection)
        .await?;
    }
    Ok(())
}
