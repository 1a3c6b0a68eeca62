//! Counts of runs by hour and status, which histograms read instead of the runs. The table is `run_hour`.

use std::collections::BTreeMap;

use sqlx::AnyConnection;

use super::run_row::RunRow;
use super::sql::{Arg, execute, rows};
use super::{Engine, Result, WorkspaceId};

/// Changes to the counts, collected and then written together.
#[derive(Default)]
pub(super) struct HourCounts(BTreeMap<(i64, &'static str), i64>);

impl HourCounts {
    /// Counts the change of a run from one row to another.
    pub fn record(&mut self, before: Option<&RunRow>, after: Option<&RunRow>) {
        let key = |row: &RunRow| (row.summary.created_at_ms.div_euclid(3_600_000), row.summary.status.as_str());
        if let Some(row) = before {
            *self.0.entry(key(row)).or_default() -= 1;
        }
        if let Some(row) = after {
            *self.0.entry(key(row)).or_default() += 1;
        }
    }

    pub async fn write(self, tx: &mut AnyConnection, engine: Engine, workspace: WorkspaceId) -> Result<()> {
        let changed: Vec<_> = self.0.into_iter().filter(|(_, change)| *change != 0).collect();
        if changed.is_empty() {
            return Ok(());
        }
        let args = changed.iter().flat_map(|((hour, status), change)| {
            [Arg::from(workspace.0), Arg::from(*hour), Arg::from(*status), Arg::from(*change)]
        });
        let sql = format!(
            "INSERT INTO run_hour (workspace_id, hour, status, runs) VALUES {} \
             ON CONFLICT (workspace_id, hour, status) DO UPDATE SET runs = run_hour.runs + excluded.runs",
            rows(engine, changed.len(), "(?, ?, ?, ?)")
        );
        execute(tx, sql, args.collect()).await.map(drop)
    }
}
