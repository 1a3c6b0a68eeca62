//! Running a plan for one page of rows.

use domain::{RunSort, SortColumn};
use sqlx::any::AnyRow;

use super::select::ScanRange;
use super::text_scan::TextScan;
use super::{QueryPlan, sorted};
use crate::store::runs::RunCursor;
use crate::store::sql::fetch;
use crate::store::{Result, Store};

/// Index entries read for one page of a plan with a text. A word that nearly all runs contain, excluded, or a rare phrase of
/// common words would otherwise make the scan read every run.
pub(super) const MAX_SCANNED: u32 = 50_000;

/// The only column of a page that needs no more: the narrow index of the list has it.
pub(in crate::store) const LIST_KEY: &str = "r.n";

/// An order of runs, and the place where a page begins.
#[derive(Clone, Copy, Debug)]
pub(in crate::store) struct PageOrder {
    pub sort: RunSort,
    pub cursor: Option<RunCursor>,
    pub includes_cursor: bool,
    /// From the last page to the first: runs without a number come before the others.
    pub backwards: bool,
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
    /// Columns of `r`, with `r.n` among them, for a page of matching runs in an order, after `cursor` or, if
    /// `includes_cursor`, from it on. The cursor must be one of the same order.
    pub(in crate::store) async fn page(
        &self,
        store: &Store,
        columns: &str,
        order: PageOrder,
        limit: u32,
    ) -> Result<PlanRows> {
        if self.matches_nothing {
            return Ok(PlanRows::default());
        }
        let run = if columns == LIST_KEY { self.run_in_list_index("r") } else { "run r".to_owned() };
        if !self.texts.is_empty() {
            return self.page_by_text(store, &run, columns, order, limit).await;
        }
        let PageOrder { sort, cursor, includes_cursor, .. } = order;
        let rows = match sorted::measure_of(sort.column) {
            Some(measure) => self.sorted_rows(store, columns, measure, order, limit).await?,
            None => {
                let (cursor, newest_first) = (cursor.map(RunCursor::list_key), !sort.ascending);
                let range = ScanRange { cursor, includes_cursor, newest_first, ..ScanRange::ALL };
                let (sql, args) = self.select(&run, columns, range, limit);
                fetch(&store.reader, sql, args).await?
            }
        };
        Ok(PlanRows { rows, stopped_early: None })
    }

    async fn page_by_text(
        &self,
        store: &Store,
        run: &str,
        columns: &str,
        order: PageOrder,
        limit: u32,
    ) -> Result<PlanRows> {
        let scan = match order.is_newest() {
            true => self.newest(store, limit, MAX_SCANNED).await?,
            false => {
                let mut scan = TextScan::new(self, store, order).await?;
                scan.advance(self, store, limit, MAX_SCANNED).await?;
                scan
            }
        };
        let found = &scan.found[..scan.found.len().min(limit as usize)];
        let rows = self.rows_of(store, run, columns, found).await?;
        let stopped = !scan.ended && found.len() < limit as usize;
        let stopped_early = scan.cursor().filter(|_| stopped);
        let stopped_early = stopped_early.map(|cursor| StoppedEarly { cursor, scanned: scan.scanned.into() });
        Ok(PlanRows { rows, stopped_early })
    }

    /// The newest runs that match the text: at least `wanted`, unless there are fewer or more than `max_entries` index
    /// entries have to be read.
    pub(super) async fn newest(&self, store: &Store, wanted: u32, max_entries: u32) -> Result<TextScan> {
        let mut newest = self.newest.lock().await;
        let scan = match newest.take() {
            Some(scan) => scan,
            None => TextScan::new(self, store, PageOrder::NEWEST).await?,
        };
        let scan = newest.insert(scan);
        scan.advance(self, store, wanted, max_entries.saturating_sub(scan.scanned)).await?;
        Ok(scan.clone())
    }
}

impl PageOrder {
    const NEWEST: Self = Self {
        sort: RunSort { column: SortColumn::Created, ascending: false },
        cursor: None,
        includes_cursor: false,
        backwards: false,
    };

    /// The first page of the list as it is without a choice.
    fn is_newest(self) -> bool {
        self.sort == Self::NEWEST.sort && self.cursor.is_none()
    }
}

#[cfg(test)]
mod tests {
    use protocol::Query;
    use sqlx::Row;

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

    /// The list keys of matching runs, and the cursor if the scan stopped early.
    async fn list_keys(
        plan: &QueryPlan,
        store: &Store,
        cursor: Option<RunCursor>,
        ascending: bool,
        max_entries: u32,
    ) -> anyhow::Result<(Vec<i64>, Option<RunCursor>)> {
        let sort = RunSort { column: SortColumn::Created, ascending };
        let order = PageOrder { sort, cursor, ..PageOrder::NEWEST };
        if plan.texts.is_empty() {
            let rows = plan.page(store, LIST_KEY, order, 1_000).await?.rows;
            return Ok((rows.iter().map(|row| row.try_get(0)).collect::<Result<_>>()?, None));
        }
        let mut scan = TextScan::new(plan, store, order).await?;
        scan.advance(plan, store, 1_000, max_entries).await?;
        let stopped = scan.cursor().filter(|_| !scan.ended);
        Ok((scan.found, stopped))
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
            let all = list_keys(&plan(&store, workspace, rest).await?, &store, None, false, 1_000).await?.0;
            let with = list_keys(&plan(&store, workspace, with).await?, &store, None, false, 1_000).await?.0;
            assert!(!with.is_empty() && with.len() < all.len(), "{without}");
            let expected: Vec<i64> = all.iter().copied().filter(|list_key| !with.contains(list_key)).collect();
            let plan = plan(&store, workspace, without).await?;
            assert_eq!(list_keys(&plan, &store, None, false, 1_000).await?, (expected.clone(), None), "{without}");

            // Scans that stop early continue without gaps and without duplicates, in both directions.
            let scan_in_pieces = async |ascending: bool| -> anyhow::Result<(Vec<i64>, usize)> {
                let (mut pieces, mut cursor) = (Vec::new(), None);
                for scans in 1..=MAX_SCANS {
                    let (mut found, stopped) = list_keys(&plan, &store, cursor, ascending, 40).await?;
                    pieces.append(&mut found);
                    if stopped.is_none() {
                        return Ok((pieces, scans));
                    }
                    cursor = stopped;
                }
                anyhow::bail!("{without} did not end after {MAX_SCANS} scans")
            };
            let (pieces, scans) = scan_in_pieces(false).await?;
            assert!(scans > 1);
            assert_eq!(pieces, expected, "{without}");
            let (mut pieces, _) = scan_in_pieces(true).await?;
            pieces.reverse();
            assert_eq!(pieces, expected, "{without} upwards");
        }
        Ok(())
    }
}
