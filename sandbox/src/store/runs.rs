//! Storage of runs and feedback.

use protocol::RunStatus;
use serde_json::Value;
use sqlx::{QueryBuilder, Sqlite, SqliteConnection};

use super::row::from_row;
use super::{NewMessage, NewRetained, Store};

pub struct NewRun<'a> {
    pub id: &'a str,
    pub workspace: &'a str,
    pub session_id: Option<&'a str>,
    pub spec: &'a Value,
    pub metadata: &'a Value,
    pub model_id: &'a str,
    pub input_preview: &'a str,
    pub created_at: i64,
}

/// The final record of a run, stored together with its last event.
pub struct Finish {
    pub status: RunStatus,
    pub final_text: Option<String>,
    pub error: Option<String>,
    pub failure_reason: Option<Value>,
    pub tokens: Value,
    pub turns: u64,
    pub model: Value,
    pub tool_call_count: u64,
    pub completed_at: i64,
    /// Messages for the session; empty if the run failed.
    pub session_turn: Vec<NewMessage>,
    /// Tool results for the session.
    pub retained: Vec<NewRetained>,
    /// The fallback model, if the session switches to it.
    pub active_model_id: Option<String>,
}

pub struct RunRecord {
    pub id: String,
    pub session_id: Option<String>,
    pub status: String,
    pub spec: String,
    pub metadata: String,
    pub spec_name: Option<String>,
    pub agent_id: Option<String>,
    pub model_id: String,
    pub input_preview: String,
    pub final_text: Option<String>,
    pub error: Option<String>,
    pub failure_reason: Option<String>,
    pub tokens: Option<String>,
    pub turns: Option<i64>,
    pub model: Option<String>,
    pub tool_call_count: Option<i64>,
    pub created_at: i64,
    pub completed_at: Option<i64>,
}

from_row!(RunRecord {
    id,
    session_id,
    status,
    spec,
    metadata,
    spec_name,
    agent_id,
    model_id,
    input_preview,
    final_text,
    error,
    failure_reason,
    tokens,
    turns,
    model,
    tool_call_count,
    created_at,
    completed_at
});

#[derive(Default)]
pub struct RunFilter {
    pub status: Option<RunStatus>,
    pub model_id: Option<String>,
    pub agent_id: Option<String>,
    pub session_id: Option<String>,
    pub metadata: Vec<(String, String)>,
}

/// Feedback on a run.
pub struct Verdict<'a> {
    pub id: &'a str,
    pub verdict: &'a str,
    pub explanation: Option<&'a str>,
    pub content_snapshot: Option<&'a str>,
}

impl Store {
    /// Stores a run. Returns `false` if its session has ended. Checks and inserts in one statement, so that a session that
    /// ends at the same time either finds the run or prevents it.
    pub async fn create_run(&self, run: NewRun<'_>) -> sqlx::Result<bool> {
        let created = sqlx::query(
            "INSERT INTO runs (id, workspace, session_id, status, spec, metadata, spec_name, agent_id, model_id,
                 input_preview, created_at)
             SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11
             WHERE ?3 IS NULL OR EXISTS (SELECT 1 FROM sessions WHERE id = ?3 AND status = 'active')",
        )
        .bind(run.id)
        .bind(run.workspace)
        .bind(run.session_id)
        .bind(RunStatus::Running.as_str())
        .bind(run.spec.to_string())
        .bind(run.metadata.to_string())
        .bind(run.spec["name"].as_str())
        .bind(run.spec["agentId"].as_str())
        .bind(run.model_id)
        .bind(run.input_preview)
        .bind(run.created_at)
        .execute(&self.write)
        .await?;
        Ok(created.rows_affected() == 1)
    }

    /// Returns the ids of the runs of a session that have not ended.
    pub async fn runs_in_flight(&self, session_id: &str) -> sqlx::Result<Vec<String>> {
        sqlx::query_scalar("SELECT id FROM runs WHERE session_id = ? AND completed_at IS NULL")
            .bind(session_id)
            .fetch_all(&self.read)
            .await
    }

    pub async fn run(&self, workspace: &str, id: &str) -> sqlx::Result<Option<RunRecord>> {
        sqlx::query_as("SELECT * FROM runs WHERE workspace = ? AND id = ?")
            .bind(workspace)
            .bind(id)
            .fetch_optional(&self.read)
            .await
    }

    /// Returns runs, newest first, after the position `(created_at, id)`.
    pub async fn runs(
        &self,
        workspace: &str,
        filter: &RunFilter,
        after: Option<(i64, String)>,
        limit: i64,
    ) -> sqlx::Result<Vec<RunRecord>> {
        let mut query = QueryBuilder::new("SELECT * FROM runs WHERE ");
        filter.push_conditions(workspace, &mut query);
        if let Some((created_at, id)) = after {
            query.push(" AND (created_at, id) < (").push_bind(created_at).push(", ").push_bind(id).push(")");
        }
        query.push(" ORDER BY created_at DESC, id DESC LIMIT ").push_bind(limit);
        query.build_query_as().fetch_all(&self.read).await
    }

    pub async fn count_runs(&self, workspace: &str, filter: &RunFilter) -> sqlx::Result<i64> {
        let mut query = QueryBuilder::new("SELECT count(*) FROM runs WHERE ");
        filter.push_conditions(workspace, &mut query);
        query.build_query_scalar().fetch_one(&self.read).await
    }

    /// Stores or replaces the verdict of a run. Returns true if it is the first one, and the id, which does not change.
    pub async fn give_feedback(&self, run_id: &str, verdict: Verdict<'_>) -> sqlx::Result<(bool, String)> {
        let id: String = sqlx::query_scalar(
            "INSERT INTO feedback (run_id, id, verdict, explanation, content_snapshot) VALUES (?, ?, ?, ?, ?)
             ON CONFLICT (run_id) DO UPDATE SET verdict = excluded.verdict, explanation = excluded.explanation,
                 content_snapshot = excluded.content_snapshot
             RETURNING id",
        )
        .bind(run_id)
        .bind(verdict.id)
        .bind(verdict.verdict)
        .bind(verdict.explanation)
        .bind(verdict.content_snapshot)
        .fetch_one(&self.write)
        .await?;
        Ok((id == verdict.id, id))
    }
}

impl RunFilter {
    fn push_conditions(&self, workspace: &str, query: &mut QueryBuilder<Sqlite>) {
        query.push("workspace = ").push_bind(workspace.to_owned());
        let columns = [
            ("status", self.status.map(|status| status.as_str().to_owned())),
            ("model_id", self.model_id.clone()),
            ("agent_id", self.agent_id.clone()),
            ("session_id", self.session_id.clone()),
        ];
        for (column, value) in columns {
            if let Some(value) = value {
                query.push(" AND ").push(column).push(" = ").push_bind(value);
            }
        }
        push_metadata(&self.metadata, query);
    }
}

/// The API rejects keys with quotes, and they are bound as parameters too.
pub(super) fn push_metadata(metadata: &[(String, String)], query: &mut QueryBuilder<Sqlite>) {
    for (key, value) in metadata {
        query.push(" AND json_extract(metadata, ").push_bind(format!("$.\"{key}\"")).push(") = ");
        query.push_bind(value.clone());
    }
}

pub(super) async fn finish(connection: &mut SqliteConnection, run_id: &str, finish: &Finish) -> sqlx::Result<()> {
    sqlx::query(
        "UPDATE runs SET status = ?, final_text = ?, error = ?, failure_reason = ?, tokens = ?, turns = ?, model = ?,
             tool_call_count = ?, completed_at = ? WHERE id = ?",
    )
    .bind(finish.status.as_str())
    .bind(&finish.final_text)
    .bind(&finish.error)
    .bind(finish.failure_reason.as_ref().map(Value::to_string))
    .bind(finish.tokens.to_string())
    .bind(finish.turns as i64)
    .bind(finish.model.to_string())
    .bind(finish.tool_call_count as i64)
    .bind(finish.completed_at)
    .bind(run_id)
    .execute(&mut *connection)
    .await?;
    if let Some(model_id) = &finish.active_model_id {
        set_active_model(connection, run_id, model_id).await?;
    }
    Ok(())
}

/// Sets `activeModelId` in the specs of the run and its session. `modelId` does not change.
async fn set_active_model(connection: &mut SqliteConnection, run_id: &str, model_id: &str) -> sqlx::Result<()> {
    for statement in [
        "UPDATE runs SET spec = json_set(spec, '$.activeModelId', ?) WHERE id = ?",
        "UPDATE sessions SET spec = json_set(spec, '$.activeModelId', ?)
         WHERE id = (SELECT session_id FROM runs WHERE id = ?)",
    ] {
        sqlx::query(statement).bind(model_id).bind(run_id).execute(&mut *connection).await?;
    }
    Ok(())
}
