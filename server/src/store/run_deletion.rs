//! Deleting runs with everything that belongs to them.

use std::collections::BTreeSet;

use sqlx::AnyConnection;

use super::failure_groups::GroupChanges;
use super::hour_counts::HourCounts;
use super::insights;
use super::run_row::{self, RunRow};
use super::sql::execute;
use super::tags::TagChanges;
use super::{Result, Store, WorkspaceId, list_key, text};

/// Tables with rows of a run that are deleted with it.
const TABLES_BY_RUN_ID: [&str; 5] = ["run_feedback", "run_import", "run_answer", "run_answerer", "call_writer"];

impl Store {
    /// Deletes old runs, and never syncs runs of that age again.
    pub(super) async fn delete_old_runs(&self, workspace: WorkspaceId, list_keys: &[i64]) -> Result<()> {
        let mut tx = self.begin_writing(workspace).await?;
        let rows = self.delete_rows(&mut tx, workspace, list_keys).await?;
        tx.commit().await?;
        let newest = rows.iter().map(|row| row.summary.created_at_ms).max().unwrap_or(0);
        self.update_sync_state(workspace, |state| state.keep_after_ms = state.keep_after_ms.max(newest + 1)).await?;
        Ok(())
    }

    /// Deletes an import that failed, with the events that were stored.
    pub async fn delete_failed_import(&self, workspace: WorkspaceId, run_id: &str) -> Result<()> {
        let mut tx = self.begin_writing(workspace).await?;
        let list_key = list_key::find(&mut tx, workspace, run_id).await?;
        self.delete_rows(&mut tx, workspace, list_key.as_slice()).await?;
        tx.commit().await
    }

    /// Deletes runs with everything that belongs to them, within a transaction. Returns their rows.
    pub(super) async fn delete_rows(
        &self,
        tx: &mut AnyConnection,
        workspace: WorkspaceId,
        list_keys: &[i64],
    ) -> Result<Vec<RunRow>> {
        if list_keys.is_empty() {
            return Ok(Vec::new());
        }
        let list = list_keys.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
        let rows = run_row::select(tx, &format!("r.n IN ({list})"), Vec::new()).await?;
        let mut changes = TagChanges::default();
        let mut hours = HourCounts::default();
        let mut groups = GroupChanges::default();
        for row in &rows {
            changes.record(row.list_key, &row.tags.all(), &BTreeSet::new());
            hours.record(Some(row).filter(|row| row.indexed > 0), None);
            groups.record(Some(row), None, None);
        }
        changes.write(tx, self.engine).await?;
        hours.write(tx, self.engine, workspace).await?;
        insights::delete(tx, self.engine, workspace, &list).await?;
        text::delete(tx, self.engine, &list).await?;
        for table in TABLES_BY_RUN_ID {
            let sql = format!(
                "DELETE FROM {table} WHERE workspace_id = $1 \
                 AND run_id IN (SELECT id FROM run WHERE workspace_id = $1 AND n IN ({list}))"
            );
            execute(tx, sql, vec![workspace.0.into()]).await?;
        }
        for table in ["run_event", "run_log", "run_spec", "run"] {
            execute(tx, format!("DELETE FROM {table} WHERE n IN ({list})"), Vec::new()).await?;
        }
        groups.write(tx, workspace).await?;
        Ok(rows)
    }
}
