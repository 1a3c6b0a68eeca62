//! Running a plan for the newest matching runs, to count values beside a list.
//!
//! The scan is short, so its duration depends neither on the size of the workspace nor on the selectivity of the query.

use sqlx::Row;
use sqlx::any::AnyRow;

use super::page::MAX_SCANNED;
use super::scan_index::ScanIndex;
use super::select::ScanRange;
use super::{PlanRows, QueryPlan};
use crate::store::sql::{Args, fetch};
use crate::store::{Engine, Result, Store};

/// Runs scanned for a sample: some milliseconds.
const MAX_ENTRIES: u32 = 5_000;
/// The same if SQLite looks up the text of each run, which is slow with a million runs.
const MAX_ENTRIES_WITH_TEXT: u32 = 100;
/// Sample at least this many runs, however rare they are: the page of the list beside the counts shows them.
const MIN_ROWS: u32 = 25;

/// The newest matching runs.
pub(in crate::store) struct Sample {
    pub rows: Vec<AnyRow>,
    /// No further run matches.
    pub complete: bool,
}

/// The columns that a sample reads.
#[derive(Clone, Copy)]
pub(in crate::store) enum SampleColumns {
    Tags,
    ListKeyAndStatus,
}

impl QueryPlan {
    /// The newest matching runs, at most `wanted`.
    pub(in crate::store) async fn sample(&self, store: &Store, columns: SampleColumns, wanted: u32) -> Result<Sample> {
        let slow = self.looks_up_text() && self.engine == Engine::Sqlite;
        let max_entries = if slow { MAX_ENTRIES_WITH_TEXT } else { MAX_ENTRIES };
        self.sample_within(store, columns, wanted, max_entries).await
    }

    async fn sample_within(
        &self,
        store: &Store,
        columns: SampleColumns,
        wanted: u32,
        max_entries: u32,
    ) -> Result<Sample> {
        if self.matches_nothing {
            return Ok(Sample { rows: Vec::new(), complete: true });
        }
        if self.every_scanned_run_matches() {
            return self.first_rows(store, columns, wanted).await;
        }
        if !self.excluded_texts.is_empty() {
            let (run, columns) = self.run_and_columns(columns);
            let found = self.rows(store, &run, columns, ScanRange::ALL, wanted, max_entries).await?;
            if found.stopped_early.is_none() || found.rows.len() >= MIN_ROWS as usize {
                return Ok(Sample::new(found, wanted));
            }
            let found = self.rows(store, &run, columns, ScanRange::ALL, MIN_ROWS, MAX_SCANNED).await?;
            return Ok(Sample::new(found, MIN_ROWS));
        }
        let rows = self.read(store, columns, Some(max_entries), wanted).await?;
        let full = rows.len() == wanted as usize;
        let complete = !full && !self.has_more_entries_than(store, max_entries).await?;
        if full || complete || rows.len() >= MIN_ROWS as usize {
            return Ok(Sample { rows, complete });
        }
        self.first_rows(store, columns, MIN_ROWS).await
    }

    /// Returns true if the text of each scanned run is looked up.
    pub(super) fn looks_up_text(&self) -> bool {
        self.texts.len() > usize::from(self.scan_index.is_text())
    }

    pub(super) fn every_scanned_run_matches(&self) -> bool {
        let tags = self.tags.iter().enumerate().all(|(index, _)| self.scan_index == ScanIndex::Tag(index));
        tags && !self.looks_up_text() && self.excluded_texts.is_empty() && self.columns.is_empty()
    }

    async fn first_rows(&self, store: &Store, columns: SampleColumns, wanted: u32) -> Result<Sample> {
        let rows = self.read(store, columns, None, wanted).await?;
        Ok(Sample { complete: rows.len() < wanted as usize, rows })
    }

    async fn read(
        &self,
        store: &Store,
        columns: SampleColumns,
        max_entries: Option<u32>,
        limit: u32,
    ) -> Result<Vec<AnyRow>> {
        let (run, columns) = self.run_and_columns(columns);
        let (sql, args) = self.select(&run, columns, ScanRange { max_entries, ..ScanRange::ALL }, limit);
        fetch(&store.reader, sql, args).await
    }

    /// The `FROM` item for `r`, and the columns to select from it.
    fn run_and_columns(&self, columns: SampleColumns) -> (String, &'static str) {
        match columns {
            SampleColumns::Tags => ("run r".to_owned(), "r.tags"),
            SampleColumns::ListKeyAndStatus => (self.run_in_list_index("r"), "r.n, r.status"),
        }
    }

    pub(super) async fn has_more_entries_than(&self, store: &Store, entries: u32) -> Result<bool> {
        Ok(self.count_entries(store, entries + 1).await? > entries)
    }

    /// Counts the entries of the scanned index, up to a limit.
    pub(super) async fn count_entries(&self, store: &Store, limit: u32) -> Result<u32> {
        let mut args = Args::default();
        let from = self.first_entries_clause(&mut args, ScanRange::ALL, limit);
        let rows = fetch(&store.reader, format!("SELECT COUNT(*) FROM {from}"), args.into_vec()).await?;
        let found: i64 = rows.first().map_or(Ok(0), |row| row.try_get(0))?;
        Ok(u32::try_from(found).unwrap_or(u32::MAX))
    }
}

impl Sample {
    fn new(found: PlanRows, wanted: u32) -> Self {
        Self { complete: found.stopped_early.is_none() && found.rows.len() < wanted as usize, rows: found.rows }
    }
}

#[cfg(test)]
mod tests {
    use protocol::Query;

    use super::*;
    use crate::seed::Seeder;

    const UNTIL_MS: i64 = 1_790_000_000_000;

    #[tokio::test]
    async fn a_sample_has_the_newest_runs_and_knows_if_it_is_complete() -> anyhow::Result<()> {
        let dir = tempfile::tempdir()?;
        let store = Store::open(&format!("sqlite:{}", dir.path().join("x.db").display())).await?;
        let workspace = store.workspace_from_slug("demo").await?;
        let seeder = Seeder::new(1, 400, UNTIL_MS, store.packer().clone());
        let runs = (0..400).map(|index| Ok(seeder.run(index)?.0)).collect::<anyhow::Result<Vec<_>>>()?;
        store.upsert_runs(workspace, &runs).await?;

        for text in [
            "env:prod status:succeeded",
            "env:prod,dev -status:failed duration:>5s",
            "tokens:>3000 env:prod",
            "order env:prod",
            "-forecast env:prod",
        ] {
            let query = Query::parse(text).map_err(|error| anyhow::anyhow!("{error}"))?;
            let plan = store.plan(workspace, &query, UNTIL_MS).await?;
            let sample = async |wanted, max_entries| -> Result<(Vec<i64>, bool)> {
                let columns = SampleColumns::ListKeyAndStatus;
                let Sample { rows, complete } = plan.sample_within(&store, columns, wanted, max_entries).await?;
                Ok((rows.iter().map(|row| row.try_get(0)).collect::<Result<_>>()?, complete))
            };
            let (every, complete) = sample(1_000, 1_000).await?;
            assert!(complete && every.len() > MIN_ROWS as usize, "{text}: {}", every.len());
            let (some, complete) = sample(1_000, 90).await?;
            assert!(!complete && some.len() < every.len(), "{text}");
            assert_eq!(some, every[..some.len()], "{text}");
            assert_eq!(sample(10, 90).await?, (every[..10].to_vec(), false), "{text}");
            // The scan is too short, but the runs that the list shows are counted.
            assert_eq!(sample(1_000, 3).await?, (every[..MIN_ROWS as usize].to_vec(), false), "{text}");
        }
        Ok(())
    }
}
