//! The times at which events of a running log arrived here. Events themselves have no times.

use sqlx::Row;

use super::sql::{Arg, fetch, rows};
use super::{Result, Store, WorkspaceId, list_key};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    pub at_ms: i64,
    /// The event arrived while it happened. If not, it was already in the log when the log was read.
    pub live: bool,
}

impl Store {
    /// The arrivals of events of a run, by seq. For a log in progress; a packed log has its times with its events.
    pub async fn arrivals(&self, workspace: WorkspaceId, run_id: &str, seqs: &[u64]) -> Result<Vec<(u64, Arrival)>> {
        if seqs.is_empty() {
            return Ok(Vec::new());
        }
        let mut connection = self.reader.acquire().await?;
        let Some(list_key) = list_key::find(&mut connection, workspace, run_id).await? else { return Ok(Vec::new()) };
        let wanted = rows(self.engine, seqs.len(), "?");
        let sql = format!("SELECT seq, seen_at, live FROM run_event WHERE seq IN ({wanted}) AND n = {list_key}");
        let args = seqs.iter().map(|seq| Arg::from(i64::try_from(*seq).unwrap_or(i64::MAX))).collect();
        let found = fetch(&mut *connection, sql, args).await?;
        let arrivals = found.iter().map(|row| {
            let (seq, live): (i64, i64) = (row.try_get(0)?, row.try_get(2)?);
            Ok((u64::try_from(seq).unwrap_or(0), Arrival { at_ms: row.try_get(1)?, live: live == 1 }))
        });
        arrivals.collect()
    }
}
