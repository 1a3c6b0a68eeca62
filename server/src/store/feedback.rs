//! Feedback on runs.

use domain::{Feedback, Thumb};
use sqlx::Row;

use super::{Result, Store, WorkspaceId};

impl Store {
    /// Stores feedback, replacing earlier feedback on the run.
    pub async fn save_feedback(&self, workspace: WorkspaceId, run_id: &str, feedback: &Feedback) -> Result<()> {
        sqlx::query(
            "INSERT INTO run_feedback (workspace_id, run_id, verdict, explanation, given_by, given_at, sent) \
             VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (workspace_id, run_id) DO UPDATE SET \
             verdict = excluded.verdict, explanation = excluded.explanation, given_by = excluded.given_by, \
             given_at = excluded.given_at, sent = excluded.sent",
        )
        .bind(workspace.0)
        .bind(run_id)
        .bind(feedback.thumb.as_str())
        .bind(&feedback.explanation)
        .bind(&feedback.given_by)
        .bind(feedback.given_at_ms)
        .bind(i64::from(feedback.sent))
        .execute(&self.writer)
        .await
        .map(drop)
    }

    pub async fn feedback(&self, workspace: WorkspaceId, run_id: &str) -> Result<Option<Feedback>> {
        let row = sqlx::query(
            "SELECT verdict, explanation, given_by, given_at, sent FROM run_feedback \
             WHERE workspace_id = $1 AND run_id = $2",
        )
        .bind(workspace.0)
        .bind(run_id)
        .fetch_optional(&self.reader)
        .await?;
        row.map(|row| {
            Ok(Feedback {
                thumb: if row.try_get::<&str, _>("verdict")? == Thumb::Down.as_str() { Thumb::Down } else { Thumb::Up },
                explanation: row.try_get("explanation")?,
                given_by: row.try_get("given_by")?,
                given_at_ms: row.try_get("given_at")?,
                sent: row.try_get::<i64, _>("sent")? == 1,
            })
        })
        .transpose()
    }
}
