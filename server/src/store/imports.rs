//! What became of imported files.

use app::model::ImportReport;

use super::{Result, Store, WorkspaceId};

impl Store {
    pub async fn keep_import_report(&self, workspace: WorkspaceId, run_id: &str, report: &ImportReport) -> Result<()> {
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
}
