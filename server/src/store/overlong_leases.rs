//! Leases that end later than they should: a process took them while its clock was ahead.

use std::collections::HashSet;

use sqlx::Row;

use super::{Result, Store, WorkspaceId};

/// What processes take leases on.
#[derive(Clone, Copy, Debug)]
pub enum Leased {
    /// Runs whose calls are answered.
    Runs,
    Batches,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OverlongLease {
    workspace_id: WorkspaceId,
    id: String,
    until_ms: i64,
}

impl Store {
    /// Leases that end after this time.
    pub async fn leases_after(&self, what: Leased, at_ms: i64) -> Result<HashSet<OverlongLease>> {
        let sql = match what {
            Leased::Runs => {
                "SELECT workspace_id, run_id AS id, lease_until FROM run_answerer WHERE state = 'open' AND lease_until > $1"
            }
            Leased::Batches => {
                "SELECT workspace_id, id, lease_until FROM launch_batch WHERE state = 'open' AND lease_until > $1"
            }
        };
        let rows = sqlx::query(sql).bind(at_ms).fetch_all(&self.writer).await?;
        let lease = |row: &sqlx::any::AnyRow| {
            Ok(OverlongLease {
                workspace_id: WorkspaceId(row.try_get("workspace_id")?),
                id: row.try_get("id")?,
                until_ms: row.try_get("lease_until")?,
            })
        };
        rows.iter().map(lease).collect()
    }

    /// Ends a lease, unless it was renewed since.
    pub async fn end_lease(&self, what: Leased, lease: &OverlongLease) -> Result<()> {
        let sql = match what {
            Leased::Runs => {
                "UPDATE run_answerer SET lease_until = 0 WHERE workspace_id = $1 AND run_id = $2 AND lease_until = $3"
            }
            Leased::Batches => {
                "UPDATE launch_batch SET lease_until = 0 WHERE workspace_id = $1 AND id = $2 AND lease_until = $3"
            }
        };
        sqlx::query(sql)
            .bind(lease.workspace_id.0)
            .bind(&lease.id)
            .bind(lease.until_ms)
            .execute(&self.writer)
            .await
            .map(drop)
    }
}
