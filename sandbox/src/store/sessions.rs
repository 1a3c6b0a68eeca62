//! Storage of sessions and their messages.

use serde_json::Value;
use sqlx::{QueryBuilder, Sqlite, SqliteConnection};

use super::row::from_row;
use super::runs::push_metadata;
use super::{Finish, Store};

pub struct NewSession<'a> {
    pub id: &'a str,
    pub workspace: &'a str,
    pub spec: &'a Value,
    pub metadata: &'a Value,
    pub created_at: i64,
}

pub struct NewMessage {
    pub role: String,
    pub content: String,
    /// Without the data.
    pub attachments: Option<Value>,
}

pub struct SessionRecord {
    pub id: String,
    pub name: Option<String>,
    pub status: String,
    pub spec: String,
    pub metadata: String,
    pub created_at: i64,
    pub last_used_at: i64,
    pub ended_at: Option<i64>,
}

from_row!(SessionRecord { id, name, status, spec, metadata, created_at, last_used_at, ended_at });

pub struct SessionMessage {
    pub seq: i64,
    pub role: String,
    pub content: String,
    pub attachments: Option<String>,
    pub run_id: String,
}

from_row!(SessionMessage { seq, role, content, attachments, run_id });

#[derive(Default)]
pub struct SessionFilter {
    pub status: Option<String>,
    pub metadata: Vec<(String, String)>,
}

impl Store {
    pub async fn create_session(&self, session: NewSession<'_>) -> sqlx::Result<()> {
        sqlx::query(
            "INSERT INTO sessions (id, workspace, name, status, spec, metadata, created_at, last_used_at)
             VALUES (?, ?, ?, 'active', ?, ?, ?, ?)",
        )
        .bind(session.id)
        .bind(session.workspace)
        .bind(session.spec["name"].as_str())
        .bind(session.spec.to_string())
        .bind(session.metadata.to_string())
        .bind(session.created_at)
        .bind(session.created_at)
        .execute(&self.write)
        .await?;
        Ok(())
    }

    pub async fn session(&self, workspace: &str, id: &str) -> sqlx::Result<Option<SessionRecord>> {
        sqlx::query_as("SELECT * FROM sessions WHERE workspace = ? AND id = ?")
            .bind(workspace)
            .bind(id)
            .fetch_optional(&self.read)
            .await
    }

    /// Returns sessions, most recently used first, after the position `(last_used_at, id)`.
    pub async fn sessions(
        &self,
        workspace: &str,
        filter: &SessionFilter,
        after: Option<(i64, String)>,
        limit: i64,
        offset: i64,
    ) -> sqlx::Result<Vec<SessionRecord>> {
        let mut query = QueryBuilder::new("SELECT * FROM sessions WHERE ");
        filter.push_conditions(workspace, &mut query);
        if let Some((last_used_at, id)) = after {
            query.push(" AND (last_used_at, id) < (").push_bind(last_used_at).push(", ").push_bind(id).push(")");
        }
        query.push(" ORDER BY last_used_at DESC, id DESC LIMIT ").push_bind(limit);
        query.push(" OFFSET ").push_bind(offset);
        query.build_query_as().fetch_all(&self.read).await
    }

    pub async fn count_sessions(&self, workspace: &str, filter: &SessionFilter) -> sqlx::Result<i64> {
        let mut query = QueryBuilder::new("SELECT count(*) FROM sessions WHERE ");
        filter.push_conditions(workspace, &mut query);
        query.build_query_scalar().fetch_one(&self.read).await
    }

    pub async fn touch_session(&self, id: &str, now_ms: i64) -> sqlx::Result<()> {
        sqlx::query("UPDATE sessions SET last_used_at = max(last_used_at, ?) WHERE id = ?")
            .bind(now_ms)
            .bind(id)
            .execute(&self.write)
            .await?;
        Ok(())
    }

    pub async fn end_session(&self, id: &str, now_ms: i64) -> sqlx::Result<()> {
        sqlx::query("UPDATE sessions SET status = 'ended', ended_at = coalesce(ended_at, ?) WHERE id = ?")
            .bind(now_ms)
            .bind(id)
            .execute(&self.write)
            .await?;
        Ok(())
    }

    /// Returns the last `limit` messages before `before_seq`, oldest first.
    pub async fn session_messages(&self, id: &str, before_seq: i64, limit: i64) -> sqlx::Result<Vec<SessionMessage>> {
        let mut messages: Vec<SessionMessage> = sqlx::query_as(
            "SELECT seq, role, content, attachments, run_id FROM session_messages
             WHERE session_id = ? AND seq < ? ORDER BY seq DESC LIMIT ?",
        )
        .bind(id)
        .bind(before_seq)
        .bind(limit)
        .fetch_all(&self.read)
        .await?;
        messages.reverse();
        Ok(messages)
    }

    pub async fn count_session_messages(&self, id: &str) -> sqlx::Result<i64> {
        sqlx::query_scalar("SELECT count(*) FROM session_messages WHERE session_id = ?")
            .bind(id)
            .fetch_one(&self.read)
            .await
    }

    /// Returns the first message, which serves as title.
    pub async fn first_message(&self, id: &str) -> sqlx::Result<Option<String>> {
        sqlx::query_scalar(
            "SELECT content FROM session_messages WHERE session_id = ? AND role = 'user' ORDER BY seq LIMIT 1",
        )
        .bind(id)
        .fetch_optional(&self.read)
        .await
    }
}

impl SessionFilter {
    fn push_conditions(&self, workspace: &str, query: &mut QueryBuilder<Sqlite>) {
        query.push("workspace = ").push_bind(workspace.to_owned());
        if let Some(status) = &self.status {
            query.push(" AND status = ").push_bind(status.clone());
        }
        push_metadata(&self.metadata, query);
    }
}

/// Adds the messages of a finished run to its session.
pub(super) async fn append_turn(connection: &mut SqliteConnection, run_id: &str, finish: &Finish) -> sqlx::Result<()> {
    for message in &finish.session_turn {
        sqlx::query(
            "INSERT INTO session_messages (session_id, seq, role, content, attachments, run_id)
             SELECT session_id,
                 (SELECT coalesce(max(seq), 0) + 1 FROM session_messages AS said WHERE said.session_id = runs.session_id),
                 ?, ?, ?, id
             FROM runs WHERE id = ? AND session_id IS NOT NULL",
        )
        .bind(&message.role)
        .bind(&message.content)
        .bind(message.attachments.as_ref().map(Value::to_string))
        .bind(run_id)
        .execute(&mut *connection)
        .await?;
    }
    super::retained::append(connection, run_id, finish).await?;
    sqlx::query(
        "UPDATE sessions SET last_used_at = max(last_used_at, ?)
         WHERE id = (SELECT session_id FROM runs WHERE id = ?)",
    )
    .bind(finish.completed_at)
    .bind(run_id)
    .execute(connection)
    .await?;
    Ok(())
}
