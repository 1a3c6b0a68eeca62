//! A walk for a page. Where a word is to be missing, it goes stretch by stretch, and ends after so many runs: a word that
//! nearly all runs have would lead it past every one of them. Where it ended, another can go on.

use sqlx::Row;
use sqlx::any::AnyRow;

use super::{Resolved, Sql, Start};
use crate::store::runs::RunCursor;
use crate::store::sql::fetch;
use crate::store::{Result, Store};

/// Runs looked at for one page where a word is to be missing.
pub(super) const FARTHEST: u32 = 50_000;
/// The first stretch, which is mostly enough. Each one after it is four times as long, up to the longest.
const FIRST_STRETCH: u32 = 250;
const LONGEST_STRETCH: u32 = 10_000;

/// What a walk found.
pub struct Walked {
    pub rows: Vec<AnyRow>,
    /// Where it ended though neither enough was found nor all was seen.
    pub ended: Option<Ended>,
}

/// The last run that was looked at, and how many were.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    pub at: RunCursor,
    pub looked_at: u64,
}

impl Resolved {
    /// Columns of `r` for a page of matching runs, newest first.
    pub async fn page(&self, store: &Store, columns: &str, cursor: Option<RunCursor>, limit: u32) -> Result<Walked> {
        let start = Start { cursor, ..Start::NEWEST };
        self.walk_far(store, "run r", columns, start, limit, FARTHEST).await
    }

    /// From `cursor` on towards the newest, which come last.
    pub async fn page_upwards(&self, store: &Store, columns: &str, cursor: RunCursor, limit: u32) -> Result<Walked> {
        let start = Start { cursor: Some(cursor), downwards: false, ..Start::NEWEST };
        self.walk_far(store, &self.listed("r"), columns, start, limit, FARTHEST).await
    }

    pub(super) async fn walk_far(
        &self,
        store: &Store,
        run: &str,
        columns: &str,
        mut start: Start,
        limit: u32,
        farthest: u32,
    ) -> Result<Walked> {
        if self.without_words.is_empty() {
            let (sql, args) = self.select_from(run, columns, start, limit);
            return Ok(Walked { rows: fetch(&store.reader, sql, args).await?, ended: None });
        }
        let mut rows = Vec::new();
        let (mut stretch, mut looked_at) = (FIRST_STRETCH.min(farthest), 0);
        loop {
            let Some((last, passed)) = self.stretch(store, start, stretch).await? else {
                return Ok(Walked { rows, ended: None });
            };
            let wanted = limit - u32::try_from(rows.len()).unwrap_or(limit);
            let (sql, args) = self.select_from(run, columns, Start { until: Some(last), ..start }, wanted);
            rows.append(&mut fetch(&store.reader, sql, args).await?);
            looked_at += passed;
            if rows.len() >= limit as usize || passed < stretch {
                return Ok(Walked { rows, ended: None });
            }
            // Both ways the run at the cursor is not looked at again: downwards it lies below, upwards from it on.
            let at = RunCursor(if start.downwards { last } else { last + 1 });
            start.cursor = Some(at);
            if looked_at >= farthest {
                return Ok(Walked { rows, ended: Some(Ended { at, looked_at: looked_at.into() }) });
            }
            stretch = (stretch * 4).min(LONGEST_STRETCH).min(farthest - looked_at);
        }
    }

    /// The last number of the next so many runs of what drives, and how many there are.
    async fn stretch(&self, store: &Store, start: Start, steps: u32) -> Result<Option<(i64, u32)>> {
        let mut sql = Sql { args: Vec::new() };
        let from = self.window(&mut sql, start, steps).from;
        let last = if start.downwards { "MIN" } else { "MAX" };
        let rows =
            fetch(&store.reader, format!("SELECT COUNT(*), COALESCE({last}(n), 0) FROM {from}"), sql.args).await?;
        let Some(row) = rows.first() else { return Ok(None) };
        let passed = u32::try_from(row.try_get::<i64, _>(0)?).unwrap_or(u32::MAX);
        Ok((passed > 0).then_some((row.try_get(1)?, passed)))
    }
}

#[cfg(test)]
mod tests {
    use anyhow::Context;
    use protocol::Query;

    use super::*;
    use crate::seed::Seeder;
    use crate::store::WorkspaceId;

    const UNTIL_MS: i64 = 1_790_000_000_000;

    async fn store_with_runs(dir: &tempfile::TempDir) -> anyhow::Result<(Store, WorkspaceId)> {
        let store = Store::open(&format!("sqlite:{}", dir.path().join("x.db").display())).await?;
        let workspace = store.workspace_from_slug("demo").await?;
        let seeder = Seeder::new(1, 600, UNTIL_MS, store.packer().clone());
        let runs = (0..600).map(|index| Ok(seeder.run(index)?.0)).collect::<anyhow::Result<Vec<_>>>()?;
        store.upsert_runs(workspace, &runs).await?;
        Ok((store, workspace))
    }

    async fn resolved(store: &Store, workspace: WorkspaceId, text: &str) -> anyhow::Result<Resolved> {
        let query = Query::parse(text).map_err(|error| anyhow::anyhow!("{error}"))?;
        Resolved::new(store, workspace, &query, UNTIL_MS).await?.context("no tag")
    }

    async fn numbers(
        resolved: &Resolved,
        store: &Store,
        cursor: Option<i64>,
        downwards: bool,
        farthest: u32,
    ) -> anyhow::Result<(Vec<i64>, Option<Ended>)> {
        let start = Start { cursor: cursor.map(RunCursor), downwards, ..Start::NEWEST };
        let walked = resolved.walk_far(store, "run r", "r.n", start, 1_000, farthest).await?;
        Ok((walked.rows.iter().map(|row| row.try_get(0)).collect::<Result<_>>()?, walked.ended))
    }

    #[tokio::test]
    async fn a_walk_by_stretches_finds_what_the_others_leave() -> anyhow::Result<()> {
        let dir = tempfile::tempdir()?;
        let (store, workspace) = store_with_runs(&dir).await?;
        for (with, without) in
            [("refund", "-refund"), ("env:prod refund", "env:prod -refund"), ("order refund", "order -refund")]
        {
            let rest = with.trim_end_matches("refund").trim();
            let all = numbers(&resolved(&store, workspace, rest).await?, &store, None, true, 1_000).await?.0;
            let with = numbers(&resolved(&store, workspace, with).await?, &store, None, true, 1_000).await?.0;
            assert!(!with.is_empty() && with.len() < all.len(), "{without}");
            let expected: Vec<i64> = all.iter().copied().filter(|n| !with.contains(n)).collect();
            let resolved = resolved(&store, workspace, without).await?;
            assert_eq!(numbers(&resolved, &store, None, true, 1_000).await?, (expected.clone(), None), "{without}");

            // Walks that end early go on where the one before ended, without a gap and without repeating.
            let (mut pieces, mut cursor, mut walks) = (Vec::new(), None, 0);
            loop {
                let (mut found, ended) = numbers(&resolved, &store, cursor, true, 40).await?;
                pieces.append(&mut found);
                walks += 1;
                let Some(ended) = ended else { break };
                assert_eq!(ended.looked_at, 40);
                cursor = Some(ended.at.0);
            }
            assert!(walks > 1);
            assert_eq!(pieces, expected, "{without}");

            let (mut pieces, mut cursor) = (Vec::new(), Some(0));
            while let Some(at) = cursor {
                let (mut found, ended) = numbers(&resolved, &store, Some(at), false, 40).await?;
                pieces.append(&mut found);
                cursor = ended.map(|ended| ended.at.0);
            }
            pieces.reverse();
            assert_eq!(pieces, expected, "{without} upwards");
        }
        Ok(())
    }
}
