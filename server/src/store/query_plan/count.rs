//! Counting the runs that match a plan.
//!
//! Tags and hours have their counts, so most filters are counted exactly without reading runs. All others are counted up to
//! a limit.

use domain::MatchCount;
use protocol::query::Term;
use sqlx::Row;

use super::QueryPlan;
use super::page::LIST_KEY;
use super::sample::MAX_ENTRIES_WITH_TEXT;
use super::scan_index::ScanIndex;
use super::select::ScanRange;
use crate::store::sql::fetch;
use crate::store::{Result, Store};

/// Runs counted if each scanned run matches.
const MAX_COUNTED: u32 = 50_000;
/// Runs scanned if each one is tested.
const MAX_TESTED: u32 = 10_000;

impl Store {
    /// Counts the matching runs.
    pub async fn count_matches(&self, plan: &QueryPlan) -> Result<MatchCount> {
        if plan.matches_nothing {
            return Ok(exactly(0));
        }
        let is_time = |term: &Term| matches!(term, Term::Since(_) | Term::Before(_));
        if plan.query.is_empty() {
            return Ok(exactly(self.count_runs(plan.workspace).await?));
        }
        if plan.query.clauses.iter().all(|clause| is_time(&clause.term)) {
            return Ok(exactly(self.count_by_hours(plan).await?));
        }
        if let ([tags], [_]) = (plan.tags.as_slice(), plan.query.clauses.as_slice())
            && tags.exclusive
        {
            let runs = match tags.negated {
                true => self.count_runs(plan.workspace).await? - tags.runs,
                false => tags.runs,
            };
            return Ok(exactly(runs));
        }
        plan.count_scanned(self).await
    }
}

fn exactly(runs: i64) -> MatchCount {
    MatchCount { runs: u64::try_from(runs).unwrap_or(0), is_exact: true }
}

impl QueryPlan {
    async fn count_scanned(&self, store: &Store) -> Result<MatchCount> {
        if !self.texts.is_empty() {
            // As many as the other counts beside the list read.
            let scan = self.newest(store, MAX_ENTRIES_WITH_TEXT, MAX_ENTRIES_WITH_TEXT).await?;
            return match scan.exact_index(self) {
                Some(index) if !scan.ended => self.count_index(store, index, MAX_TESTED).await,
                _ => Ok(MatchCount { runs: scan.found.len() as u64, is_exact: scan.ended }),
            };
        }
        if self.every_scanned_run_matches() {
            return self.count_index(store, self.scan_index, MAX_COUNTED).await;
        }
        let (run, max_entries) = (self.run_in_list_index("r"), MAX_TESTED);
        let range = ScanRange { max_entries: Some(max_entries), ..ScanRange::ALL };
        let (sql, args) = self.select(&run, LIST_KEY, range, max_entries);
        let rows = fetch(&store.reader, format!("SELECT COUNT(*) FROM ({sql}) counted"), args).await?;
        let runs: i64 = rows.first().map_or(Ok(0), |row| row.try_get(0))?;
        let is_exact = !self.has_more_entries_than(store, max_entries).await?;
        Ok(MatchCount { runs: u64::try_from(runs).unwrap_or(0), is_exact })
    }

    /// Counts an index whose entries all match.
    async fn count_index(&self, store: &Store, index: ScanIndex, limit: u32) -> Result<MatchCount> {
        let entries = self.count_entries(store, index, limit + 1).await?;
        Ok(MatchCount { runs: entries.min(limit).into(), is_exact: entries <= limit })
    }
}

#[cfg(test)]
mod tests {
    use domain::RunSort;
    use protocol::Query;

    use super::*;
    use crate::seed::Seeder;

    const UNTIL_MS: i64 = 1_790_000_000_000;

    #[tokio::test]
    async fn a_count_is_the_number_of_listed_runs() -> anyhow::Result<()> {
        let dir = tempfile::tempdir()?;
        let store = Store::open(&format!("sqlite:{}", dir.path().join("x.db").display())).await?;
        let workspace = store.workspace_from_slug("demo").await?;
        let seeder = Seeder::new(1, 250, UNTIL_MS, store.packer().clone());
        let runs = (0..250).map(|index| Ok(seeder.run(index)?.0)).collect::<anyhow::Result<Vec<_>>>()?;
        store.upsert_runs(workspace, &runs).await?;
        for text in [
            "",
            "env:prod",
            "-env:prod",
            "env:prod,dev",
            "tool:recall,get_customer",
            "env:nowhere",
            "env:prod status:failed",
            "since:5m",
            "since:10m before:3m env:prod",
            "duration:>30s",
            "order",
            "order env:prod",
            "-forecast",
        ] {
            let query = Query::parse(text).map_err(|error| anyhow::anyhow!("{error}"))?;
            let plan = store.plan(workspace, &query, UNTIL_MS).await?;
            let listed = store.list_runs(&plan, RunSort::default(), None, 1_000).await?.runs.len() as u64;
            assert_eq!(store.count_matches(&plan).await?, MatchCount { runs: listed, is_exact: true }, "{text}");
        }
        Ok(())
    }
}
