//! Deleting runs with everything that belongs to them.

use std::collections::BTreeSet;

use super::hour_counts::HourCounts;
use super::sql::execute;
use super::tags::TagChanges;
use super::{Origin, Result, Store, WorkspaceId, run_row, text};

/// Tables with rows of a run that are deleted with it.
const TABLES_BY_RUN_ID: [&str; 4] = ["run_feedback", "run_import", "run_answer", "run_answerer"];

impl Store {
    /// Deletes old runs, and never syncs runs of that age again.
    pub(super) async fn delete_old_runs(&self, workspace: WorkspaceId, list_keys: &[i64]) -> Result<()> {
        let newest_ms = self.delete_runs(workspace, list_keys).await?;
        self.update_sync_state(workspace, |state| state.keep_after_ms = state.keep_after_ms.max(newest_ms + 1)).await?;
        Ok(())
    }

    /// Deletes an imported run. Returns whether there was one that has ended.
    pub async fn delete_imported_run(&self, workspace: WorkspaceId, id: &str) -> Result<bool> {
        let list_key: Option<i64> = sqlx::query_scalar(
            "SELECT n FROM run WHERE workspace_id = $1 AND id = $2 AND origin = $3 AND status NOT IN ('pending', 'running')",
        )
        .bind(workspace.0)
        .bind(id)
        .bind(run_row::origin_to_number(Origin::Imported))
        .fetch_optional(&self.writer)
        .await?;
        let Some(list_key) = list_key else { return Ok(false) };
        self.delete_runs(workspace, &[list_key]).await?;
        Ok(true)
    }

    /// Deletes runs with everything that belongs to them. Returns the time of the newest one.
    async fn delete_runs(&self, workspace: WorkspaceId, list_keys: &[i64]) -> Result<i64> {
        let list = list_keys.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
        let mut tx = self.begin_writing(workspace).await?;
        let rows = run_row::select(&mut tx, &format!("r.n IN ({list})"), Vec::new()).await?;
        let mut changes = TagChanges::default();
        let mut hours = HourCounts::default();
        for row in &rows {
            changes.record(row.list_key, &row.tags.all(), &BTreeSet::new());
            hours.record(Some(row).filter(|row| row.indexed > 0), None);
        }
        changes.write(&mut tx, self.engine).await?;
        hours.write(&mut tx, self.engine, workspace).await?;
        text::delete(&mut tx, self.engine, &list).await?;
        for table in TABLES_BY_RUN_ID {
            let sql = format!(
                "DELETE FROM {table} WHERE workspace_id = $1 \
                 AND run_id IN (SELECT id FROM run WHERE workspace_id = $1 AND n IN ({list}))"
            );
            execute(&mut tx, sql, vec![workspace.0.into()]).await?;
        }
        for table in ["run_event", "run_log", "run_spec", "run"] {
            execute(&mut tx, format!("DELETE FROM {table} WHERE n IN ({list})"), Vec::new()).await?;
        }
        tx.commit().await?;
        Ok(rows.iter().map(|row| row.summary.created_at_ms).max().unwrap_or(0))
    }
}
