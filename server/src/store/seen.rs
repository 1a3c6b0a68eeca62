//! When events of a log in flight came here: the log itself has no times.

use sqlx::Row;

use super::sql::{Arg, fetch, rows};
use super::{Result, Store, WorkspaceId, log};

/// How an event came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    pub at_ms: i64,
    /// Somebody was listening when it happened. Else it was in the log already when that was read.
    pub live: bool,
}

impl Store {
    /// When these events of a run came. Those of a log that has ended are not known any more.
    pub async fn seen(&self, workspace: WorkspaceId, run_id: &str, seqs: &[u64]) -> Result<Vec<(u64, Seen)>> {
        if seqs.is_empty() {
            return Ok(Vec::new());
        }
        let mut connection = self.reader.acquire().await?;
        let Some(n) = log::number(&mut connection, workspace, run_id).await? else { return Ok(Vec::new()) };
        let wanted = rows(self.engine, seqs.len(), "?");
        let sql = format!("SELECT seq, seen_at, live FROM run_event WHERE seq IN ({wanted}) AND n = {n}");
        let args = seqs.iter().map(|seq| Arg::from(i64::try_from(*seq).unwrap_or(i64::MAX))).collect();
        let found = fetch(&mut *connection, sql, args).await?;
        let seen = found.iter().map(|row| {
            let (seq, live): (i64, i64) = (row.try_get(0)?, row.try_get(2)?);
            Ok((u64::try_from(seq).unwrap_or(0), Seen { at_ms: row.try_get(1)?, live: live == 1 }))
        });
        seen.collect()
    }
}
