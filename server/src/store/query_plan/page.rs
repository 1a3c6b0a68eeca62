//! Running a plan for one page of rows.
//!
//! A plan with an excluded text is scanned in batches, up to a limit: a word that nearly all runs contain would
//! otherwise make the scan read every run. A scan that stopped can be continued.

use domain::RunSort;
use sqlx::Row;
use sqlx::any::AnyRow;

use super::select::ScanRange;
use super::{QueryPlan, sorted};
use crate::store::runs::RunCursor;
use crate::store::sql::{Args, fetch};
use crate::store::{Result, Store};

/// Runs scanned for one page of a plan with an excluded text.
pub(super) const MAX_SCANNED: u32 = 50_000;
/// The first batch is usually enough. Each further batch is four times as long, up to the longest.
const FIRST_BATCH: u32 = 250;
const LONGEST_BATCH: u32 = 10_000;

/// The only column of a page that needs no more: the narrow index of the list has it.
pub(in crate::store) const LIST_KEY: &str = "r.n";

/// An order of runs, and the place where a page begins.
#[derive(Clone, Copy)]
pub(in crate::store) struct PageOrder {
    pub sort: RunSort,
    pub cursor: Option<RunCursor>,
    pub includes_cursor: bool,
}

/// The rows that a plan returned.
#[derive(Default)]
pub(in crate::store) struct PlanRows {
    pub rows: Vec<AnyRow>,
    /// Set if the scan reached neither the wanted number of rows nor the end of the index.
    pub stopped_early: Option<StoppedEarly>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::store) struct StoppedEarly {
    /// The position where the next scan continues.
    pub cursor: RunCursor,
    /// The number of runs that were scanned.
    pub scanned: u64,
}

impl QueryPlan {
    /// Columns of `r` for a page of matching runs in an order, after `cursor` or, if `includes_cursor`, from it on. The
    /// cursor must be one of the same order.
    pub(in crate::store) async fn page(
        &self,
        store: &Store,
        columns: &str,
        order: PageOrder,
        limit: u32,
    ) -> Result<PlanRows> {
        let PageOrder { sort, cursor, includes_cursor } = order;
        let Some(measure) = sorted::measure_of(sort.column) else {
            let newest_first = !sort.ascending;
            let range =
                ScanRange { cursor: cursor.map(RunCursor::list_key), includes_cursor, newest_first, ..ScanRange::ALL };
            let run = if columns == LIST_KEY { self.run_in_list_index("r") } else { "run r".to_owned() };
            return self.rows(store, &run, columns, range, limit, MAX_SCANNED).await;
        };
        let rows = self.sorted_rows(store, columns, measure, order, limit).await?;
        Ok(PlanRows { rows, stopped_early: None })
    }

    pub(super) async fn rows(
        &self,
        store: &Store,
        run: &str,
        columns: &str,
        range: ScanRange,
        limit: u32,
        max_scanned: u32,
    ) -> Result<PlanRows> {
        if self.matches_nothing {
            return Ok(PlanRows::default());
        }
        if self.excluded_texts.is_empty() {
            let (sql, args) = self.select(run, columns, range, limit);
            return Ok(PlanRows { rows: fetch(&store.reader, sql, args).await?, stopped_early: None });
        }
        self.rows_in_batches(store, run, columns, range, limit, max_scanned).await
    }

    async fn rows_in_batches(
        &self,
        store: &Store,
        run: &str,
        columns: &str,
        mut range: ScanRange,
        limit: u32,
        max_scanned: u32,
    ) -> Result<PlanRows> {
        let mut rows = Vec::new();
        let (mut batch, mut scanned) = (FIRST_BATCH.min(max_scanned), 0);
        loop {
            let Some((last, entries)) = self.end_of_batch(store, range, batch).await? else {
                return Ok(PlanRows { rows, stopped_early: None });
            };
            let wanted = limit - u32::try_from(rows.len()).unwrap_or(limit);
            let (sql, args) = self.select(run, columns, ScanRange { last: Some(last), ..range }, wanted);
            rows.append(&mut fetch(&store.reader, sql, args).await?);
            scanned += entries;
            if rows.len() >= limit as usize || entries < batch {
                return Ok(PlanRows { rows, stopped_early: None });
            }
            let cursor = RunCursor::Created(last);
            (range.cursor, range.includes_cursor) = (Some(last), false);
            if scanned >= max_scanned {
                let stopped_early = StoppedEarly { cursor, scanned: scanned.into() };
                return Ok(PlanRows { rows, stopped_early: Some(stopped_early) });
            }
            batch = (batch * 4).min(LONGEST_BATCH).min(max_scanned - scanned);
        }
    }

    /// The last list key of the next `batch` entries of the scanned index, and the number of entries. `None` at the end.
    async fn end_of_batch(&self, store: &Store, range: ScanRange, batch: u32) -> Result<Option<(i64, u32)>> {
        let mut args = Args::default();
        let from = self.first_entries_clause(&mut args, range, batch);
        let last = if range.newest_first { "MIN" } else { "MAX" };
        let sql = format!("SELECT COUNT(*), COALESCE({last}(n), 0) FROM {from}");
        let rows = fetch(&store.reader, sql, args.into_vec()).await?;
        let Some(row) = rows.first() else { return Ok(None) };
        let entries = u32::try_from(row.try_get::<i64, _>(0)?).unwrap_or(u32::MAX);
        Ok((entries > 0).then_some((row.try_get(1)?, entries)))
    }
}

#[cfg(test)]
mod tests {
    use protocol::Query;

    use super::*;
    use crate::seed::Seeder;
    use crate::store::WorkspaceId;

    const UNTIL_MS: i64 = 1_790_000_000_000;
    /// No test here needs more scans.
    const MAX_SCANS: usize = 100;

    async fn store_with_runs(dir: &tempfile::TempDir) -> anyhow::Result<(Store, WorkspaceId)> {
        let store = Store::open(&format!("sqlite:{}", dir.path().join("x.db").display())).await?;
        let workspace = store.workspace_from_slug("demo").await?;
        let seeder = Seeder::new(1, 600, UNTIL_MS, store.packer().clone());
        let runs = (0..600).map(|index| Ok(seeder.run(index)?.0)).collect::<anyhow::Result<Vec<_>>>()?;
        store.upsert_runs(workspace, &runs).await?;
        Ok((store, workspace))
    }

    async fn plan(store: &Store, workspace: WorkspaceId, text: &str) -> anyhow::Result<QueryPlan> {
        let query = Query::parse(text).map_err(|error| anyhow::anyhow!("{error}"))?;
        Ok(store.plan(workspace, &query, UNTIL_MS).await?)
    }

    async fn list_keys(
        plan: &QueryPlan,
        store: &Store,
        cursor: Option<i64>,
        newest_first: bool,
        max_scanned: u32,
    ) -> anyhow::Result<(Vec<i64>, Option<StoppedEarly>)> {
        let range = ScanRange { cursor, newest_first, ..ScanRange::ALL };
        let found = plan.rows(store, "run r", "r.n", range, 1_000, max_scanned).await?;
        Ok((found.rows.iter().map(|row| row.try_get(0)).collect::<Result<_>>()?, found.stopped_early))
    }

    #[tokio::test]
    async fn excluding_a_word_finds_all_runs_without_it() -> anyhow::Result<()> {
        let dir = tempfile::tempdir()?;
        let (store, workspace) = store_with_runs(&dir).await?;
        for (with, without) in [
            ("forecast", "-forecast"),
            ("env:prod forecast", "env:prod -forecast"),
            ("order forecast", "order -forecast"),
        ] {
            let rest = with.trim_end_matches("forecast").trim();
            let all = list_keys(&plan(&store, workspace, rest).await?, &store, None, true, 1_000).await?.0;
            let with = list_keys(&plan(&store, workspace, with).await?, &store, None, true, 1_000).await?.0;
            assert!(!with.is_empty() && with.len() < all.len(), "{without}");
            let expected: Vec<i64> = all.iter().copied().filter(|list_key| !with.contains(list_key)).collect();
            let plan = plan(&store, workspace, without).await?;
            assert_eq!(list_keys(&plan, &store, None, true, 1_000).await?, (expected.clone(), None), "{without}");

            // Scans that stop early continue without gaps and without duplicates, in both directions.
            let scan_in_pieces = async |first: Option<i64>, newest_first: bool| -> anyhow::Result<(Vec<i64>, usize)> {
                let (mut pieces, mut cursor) = (Vec::new(), first);
                for scans in 1..=MAX_SCANS {
                    let (mut found, stopped) = list_keys(&plan, &store, cursor, newest_first, 40).await?;
                    pieces.append(&mut found);
                    let Some(stopped) = stopped else { return Ok((pieces, scans)) };
                    assert_eq!(stopped.scanned, 40);
                    cursor = Some(stopped.cursor.list_key());
                }
                anyhow::bail!("{without} did not end after {MAX_SCANS} scans")
            };
            let (pieces, scans) = scan_in_pieces(None, true).await?;
            assert!(scans > 1);
            assert_eq!(pieces, expected, "{without}");
            let (mut pieces, _) = scan_in_pieces(Some(0), false).await?;
            pieces.reverse();
            assert_eq!(pieces, expected, "{without} upwards");
        }
        Ok(())
    }
}
