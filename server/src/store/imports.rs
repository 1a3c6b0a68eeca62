//! Reports of imported files.

use domain::ImportReport;
use sqlx::Row;

use super::run_row::origin_to_number;
use super::{Origin, Result, Store, WorkspaceId};

impl Store {
    pub async fn save_import_report(&self, workspace: WorkspaceId, run_id: &str, report: &ImportReport) -> Result<()> {
        let json = serde_json::to_string(report).map_err(|error| sqlx::Error::Encode(Box::new(error)))?;
        sqlx::query(
            "INSERT INTO run_import (workspace_id, run_id, report) VALUES ($1, $2, $3) \
             ON CONFLICT (workspace_id, run_id) DO UPDATE SET report = excluded.report",
        )
        .bind(workspace.0)
        .bind(run_id)
        .bind(json)
        .execute(&self.writer)
        .await
        .map(drop)
    }

    pub async fn import_report(&self, workspace: WorkspaceId, run_id: &str) -> Result<Option<ImportReport>> {
        let json: Option<String> =
            sqlx::query_scalar("SELECT report FROM run_import WHERE workspace_id = $1 AND run_id = $2")
                .bind(workspace.0)
                .bind(run_id)
                .fetch_optional(&self.reader)
                .await?;
        Ok(json.and_then(|json| serde_json::from_str(&json).ok()))
    }

    /// Imports of any workspace that have not ended and got no event since a time.
    pub async fn imports_without_end(&self, since_ms: i64) -> Result<Vec<(WorkspaceId, String)>> {
        let rows = sqlx::query(
            "SELECT r.workspace_id, r.id FROM workspace w JOIN run r ON r.workspace_id = w.id \
             WHERE r.log_state = 0 AND r.origin = $1 AND r.status = 'running' \
             AND NOT EXISTS (SELECT 1 FROM run_event e WHERE e.n = r.n AND e.seen_at > $2)",
        )
        .bind(origin_to_number(Origin::Imported))
        .bind(since_ms)
        .fetch_all(&self.reader)
        .await?;
        rows.iter().map(|row| Ok((WorkspaceId(row.try_get(0)?), row.try_get(1)?))).collect()
    }
}
