//! Running a plan for the newest matching runs, to count values beside a list.
//!
//! The scan is short, so its duration depends neither on the size of the workspace nor on the selectivity of the query.

use sqlx::Row;
use sqlx::any::AnyRow;

use super::QueryPlan;
use super::page::MAX_SCANNED;
use super::scan_index::ScanIndex;
use super::select::ScanRange;
use crate::store::sql::{Args, fetch};
use crate::store::{Engine, Result, Store};

/// Runs scanned for a sample: some milliseconds.
const MAX_ENTRIES: u32 = 5_000;
/// The same for figures, which are not needed beside a list.
const MAX_ENTRIES_OF_FACTS: u32 = 15_000;
/// The same if the text of each run is checked.
pub(super) const MAX_ENTRIES_WITH_TEXT: u32 = 1_000;
/// The list key and the facts of a run.
const FACTS: &str = "r.n, r.body";
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
    /// What runs add to figures, from narrow rows of their own.
    Facts,
}

impl QueryPlan {
    /// The newest matching runs, at most `wanted`.
    pub(in crate::store) async fn sample(&self, store: &Store, columns: SampleColumns, wanted: u32) -> Result<Sample> {
        let max_entries = match columns {
            _ if !self.texts.is_empty() => MAX_ENTRIES_WITH_TEXT,
            SampleColumns::Facts => MAX_ENTRIES_OF_FACTS,
            _ => MAX_ENTRIES,
        };
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
        if !self.texts.is_empty() {
            let mut scan = self.newest(store, wanted, max_entries).await?;
            if scan.found.len() < MIN_ROWS as usize {
                scan = self.newest(store, MIN_ROWS, MAX_SCANNED).await?;
            }
            let complete = scan.ended && scan.found.len() <= wanted as usize;
            scan.found.truncate(wanted as usize);
            let (run, columns) = self.run_and_columns(columns);
            return Ok(Sample { rows: self.rows_of(store, &run, columns, &scan.found).await?, complete });
        }
        if self.every_scanned_run_matches() {
            return self.first_rows(store, columns, wanted).await;
        }
        let rows = self.read(store, columns, Some(max_entries), wanted).await?;
        let full = rows.len() == wanted as usize;
        let complete = !full && !self.has_more_entries_than(store, max_entries).await?;
        if full || complete || rows.len() >= MIN_ROWS as usize {
            return Ok(Sample { rows, complete });
        }
        self.first_rows(store, columns, MIN_ROWS).await
    }

    /// For plans without texts.
    pub(super) fn every_scanned_run_matches(&self) -> bool {
        let is_scanned = |position| self.scan_index == ScanIndex::Tag(position);
        (0..self.tags.len()).all(is_scanned) && self.columns.is_empty()
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
        let (run, columns) = match (columns, self.engine) {
            (SampleColumns::Facts, Engine::Postgres) => (self.facts_one_by_one(), FACTS),
            _ => self.run_and_columns(columns),
        };
        let (sql, args) = self.select(&run, columns, ScanRange { max_entries, ..ScanRange::ALL }, limit);
        fetch(&store.reader, sql, args).await
    }

    /// The facts as a lookup for each scanned run. PostgreSQL would otherwise read all facts and join them.
    fn facts_one_by_one(&self) -> String {
        let workspace = self.workspace;
        format!(
            "LATERAL (SELECT f.n, f.workspace_id, f.body FROM run_facts f \
             WHERE f.workspace_id = {workspace} AND f.n = c.n OFFSET 0) r"
        )
    }

    /// The `FROM` item for `r`, and the columns to select from it.
    fn run_and_columns(&self, columns: SampleColumns) -> (String, &'static str) {
        match columns {
            SampleColumns::Tags => ("run r".to_owned(), "r.n, r.tags"),
            SampleColumns::ListKeyAndStatus => (self.run_in_list_index("r"), "r.n, r.status"),
            SampleColumns::Facts => ("run_facts r".to_owned(), FACTS),
        }
    }

    pub(super) async fn has_more_entries_than(&self, store: &Store, entries: u32) -> Result<bool> {
        Ok(self.count_entries(store, self.scan_index, entries + 1).await? > entries)
    }

    /// Counts the entries of an index, up to a limit.
    pub(super) async fn count_entries(&self, store: &Store, index: ScanIndex, limit: u32) -> Result<u32> {
        let mut args = Args::default();
        let from = self.first_entries_clause(&mut args, index, ScanRange::ALL, limit);
        let rows = fetch(&store.reader, format!("SELECT COUNT(*) FROM {from}"), args.into_vec()).await?;
        let found: i64 = rows.first().map_or(Ok(0), |row| row.try_get(0))?;
        Ok(u32::try_from(found).unwrap_or(u32::MAX))
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
            let sample = async |wanted, max_entries| -> Result<(Vec<i64>, bool)> {
                let plan = store.plan(workspace, &query, UNTIL_MS).await?;
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
            let (some, complete) = sample(1_000, 3).await?;
            assert!(!complete && (MIN_ROWS as usize..every.len()).contains(&some.len()), "{text}");
            assert_eq!(some, every[..some.len()], "{text}");
        }
        Ok(())
    }
}
