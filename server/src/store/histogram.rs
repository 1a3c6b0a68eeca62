//! Histograms: runs over time, by status.
//!
//! A query that only limits time uses the stored counts per hour. Hours that are only partly in range, and buckets narrower
//! than an hour, are counted from the runs. For all other queries the newest matching runs are counted.

use std::collections::BTreeMap;

use domain::{Bucket, Histogram};
use protocol::query::Term;
use sqlx::{AssertSqlSafe, Row};

use super::query_plan::{QueryPlan, Sample, SampleColumns};
use super::span::{Ends, HOUR_MS, Span};
use super::sql::fetch;
use super::{Result, Store, WorkspaceId, list_key};

/// Matching runs counted with a query. 5,000 made pages take 30 to 140 ms (p50) at a million runs; the goal is 40.
const SAMPLE_SIZE: u32 = 1_000;
/// Runs counted for buckets narrower than an hour. If there are more, buckets are hours.
const MAX_COUNTED_RUNS: i64 = 50_000;

/// A time, a status, and a number of runs.
type Count = (i64, String, u64);

impl Store {
    /// Matching runs over time in about `wanted` buckets. They cover the query's time range, which ends now if the query
    /// has no end of it.
    pub async fn histogram(&self, plan: &QueryPlan, wanted: i64) -> Result<Histogram> {
        let query = &plan.query;
        let span = Span::of(query, plan.now_ms);
        let ends = span.ends(plan.now_ms);
        let only_time = query.clauses.iter().all(|clause| matches!(clause.term, Term::Since(_) | Term::Before(_)));
        let histogram = if only_time {
            self.count_by_time(plan.workspace, span, ends, wanted).await?
        } else {
            let Sample { rows, complete } = plan.sample(self, SampleColumns::ListKeyAndStatus, SAMPLE_SIZE).await?;
            let counts: Vec<Count> = rows
                .iter()
                .map(|row| Ok((list_key::created_at_ms(row.try_get(0)?), row.try_get(1)?, 1)))
                .collect::<Result<_>>()?;
            Histogram { counted_newest: (!complete).then_some(rows.len() as u64), ..buckets(&counts, ends, wanted) }
        };
        Ok(Histogram { from_ms: span.from, before_ms: span.before, ..histogram })
    }

    /// Counts the runs of a plan that only limits time.
    pub(super) async fn count_by_hours(&self, plan: &QueryPlan) -> Result<i64> {
        let (workspace, span) = (plan.workspace, Span::of(&plan.query, plan.now_ms));
        let first_hour = span.from.map_or(i64::MIN, |from| from.div_euclid(HOUR_MS));
        let end_hour = span.before.map_or(i64::MAX, |before| before.div_euclid(HOUR_MS).saturating_add(1));
        let hours = self.stored_hours(workspace, first_hour, end_hour).await?;
        let mut runs: u64 = hours.iter().filter(|(at, ..)| span.has_whole_hour(*at)).map(|count| count.2).sum();
        for part in span.partial_hours() {
            runs += self.count_runs_by_step(workspace, part, HOUR_MS).await?.iter().map(|count| count.2).sum::<u64>();
        }
        Ok(i64::try_from(runs).unwrap_or(i64::MAX))
    }

    async fn count_by_time(&self, workspace: WorkspaceId, span: Span, ends: Ends, wanted: i64) -> Result<Histogram> {
        let (first, last) = (self.end_of(workspace, span, "ASC").await?, self.end_of(workspace, span, "DESC").await?);
        let (Some(first), Some(last)) = (first, last) else { return Ok(buckets(&[], ends, wanted)) };
        let step = ends.step(first, last, wanted);
        // Includes the whole first and last hour.
        let hours = self.stored_hours(workspace, first.div_euclid(HOUR_MS), last.div_euclid(HOUR_MS) + 1).await?;
        let estimate = hours.iter().map(|count| count.2).sum::<u64>();
        if step < HOUR_MS && estimate <= MAX_COUNTED_RUNS.unsigned_abs() {
            return Ok(in_steps(&self.count_runs_by_step(workspace, span, step).await?, ends, step));
        }
        let mut counts: Vec<Count> = hours.into_iter().filter(|(at, ..)| span.has_whole_hour(*at)).collect();
        for part in span.partial_hours() {
            counts.extend(self.count_runs_by_step(workspace, part, HOUR_MS).await?);
        }
        Ok(in_steps(&counts, ends, step.max(HOUR_MS)))
    }

    /// The creation time of the first (`ASC`) or last (`DESC`) run of a span.
    async fn end_of(&self, workspace: WorkspaceId, span: Span, order: &str) -> Result<Option<i64>> {
        let (from, below) = span.list_keys();
        let sql =
            format!("SELECT n FROM run WHERE workspace_id = $1 AND n >= $2 AND n < $3 ORDER BY n {order} LIMIT 1");
        let found: Option<i64> = sqlx::query_scalar(AssertSqlSafe(sql))
            .bind(workspace.0)
            .bind(from)
            .bind(below)
            .fetch_optional(&self.reader)
            .await?;
        Ok(found.map(list_key::created_at_ms))
    }

    async fn stored_hours(&self, workspace: WorkspaceId, from: i64, below: i64) -> Result<Vec<Count>> {
        let sql = "SELECT hour, status, runs FROM run_hour \
             WHERE workspace_id = $1 AND hour >= $2 AND hour < $3 AND runs > 0";
        let rows = fetch(&self.reader, sql.to_owned(), vec![workspace.0.into(), from.into(), below.into()]).await?;
        rows.iter().map(|row| count(row, |hour| hour * HOUR_MS)).collect()
    }

    /// Counts the runs of a span by step.
    async fn count_runs_by_step(&self, workspace: WorkspaceId, span: Span, step: i64) -> Result<Vec<Count>> {
        let Some(first) = self.end_of(workspace, span, "ASC").await? else { return Ok(Vec::new()) };
        let start = first.div_euclid(step) * step;
        let (from, below) = span.list_keys();
        // Relative to the first step, because SQL does not round a negative quotient down.
        let sql = "SELECT (n - $4) / $5, status, COUNT(*) FROM run WHERE workspace_id = $1 AND n >= $2 AND n < $3 \
             GROUP BY 1, 2";
        let args = vec![
            workspace.0.into(),
            from.into(),
            below.into(),
            list_key::first_at(start).into(),
            list_key::first_at(step).into(),
        ];
        let rows = fetch(&self.reader, sql.to_owned(), args).await?;
        rows.iter().map(|row| count(row, |at| start + at * step)).collect()
    }
}

fn count(row: &sqlx::any::AnyRow, time: impl Fn(i64) -> i64) -> Result<Count> {
    let (at, runs): (i64, i64) = (row.try_get(0)?, row.try_get(2)?);
    Ok((time(at), row.try_get(1)?, u64::try_from(runs).unwrap_or(0)))
}

fn buckets(counts: &[Count], ends: Ends, wanted: i64) -> Histogram {
    let times = || counts.iter().map(|count| count.0);
    let (Some(first), Some(last)) = (times().min().or(ends.start), times().max().or(ends.end)) else {
        return Histogram::default();
    };
    in_steps(counts, ends, ends.step(first, last, wanted))
}

fn in_steps(counts: &[Count], ends: Ends, step: i64) -> Histogram {
    let start_of = |at: i64| at.div_euclid(step) * step;
    let mut buckets: BTreeMap<i64, BTreeMap<String, u64>> = BTreeMap::new();
    for (at, status, runs) in counts {
        *buckets.entry(start_of(*at)).or_default().entry(status.clone()).or_default() += runs;
    }
    let (first, last) = (buckets.keys().next().copied(), buckets.keys().next_back().copied());
    let start_ms = ends.start.map(start_of).into_iter().chain(first).min().unwrap_or(0);
    let last = ends.end.map(|end| start_of(end - 1)).into_iter().chain(last).max();
    let end_ms = last.map_or(start_ms, |last| last + step);
    let max_runs = buckets.values().map(|runs| runs.values().sum()).max().unwrap_or(0);
    let buckets = buckets.into_iter().map(|(start_ms, runs)| Bucket { start_ms, runs }).collect();
    Histogram { bucket_ms: step, buckets, start_ms, end_ms, max_runs, ..Histogram::default() }
}

#[cfg(test)]
mod tests {
    use domain::RunSort;
    use protocol::Query;

    use super::*;
    use crate::seed::Seeder;

    const UNTIL_MS: i64 = 1_790_000_000_000;

    #[test]
    fn buckets_have_a_readable_width() {
        let counts =
            [(0, "failed".to_owned(), 2), (HOUR_MS, "succeeded".to_owned(), 1), (30 * HOUR_MS, "failed".to_owned(), 1)];
        let histogram = buckets(&counts, Ends::default(), 12);
        assert_eq!(histogram.bucket_ms, 3 * HOUR_MS);
        assert_eq!(histogram.buckets.len(), 2);
        assert_eq!(histogram.buckets[0].runs["failed"], 2);
        assert_eq!((histogram.start_ms, histogram.end_ms, histogram.max_runs), (0, 33 * HOUR_MS, 3));
        assert_eq!(buckets(&[], Ends::default(), 12), Histogram::default());
    }

    #[test]
    fn a_histogram_covers_the_whole_range_of_its_query() {
        let counts = [(5 * HOUR_MS, "failed".to_owned(), 2)];
        let ends = Ends { start: Some(HOUR_MS + 1), end: Some(9 * HOUR_MS) };
        let histogram = buckets(&counts, ends, 12);
        assert_eq!((histogram.bucket_ms, histogram.buckets.len(), histogram.max_runs), (HOUR_MS, 1, 2));
        assert_eq!((histogram.start_ms, histogram.end_ms), (HOUR_MS, 9 * HOUR_MS));
        let empty = buckets(&[], ends, 12);
        assert_eq!((empty.bucket_ms, empty.start_ms, empty.end_ms, empty.max_runs), (HOUR_MS, HOUR_MS, 9 * HOUR_MS, 0));
        let until = buckets(&counts, Ends { start: None, ..ends }, 12);
        assert_eq!((until.bucket_ms, until.start_ms, until.end_ms), (15 * 60_000 * 4, 5 * HOUR_MS, 9 * HOUR_MS));
    }

    #[tokio::test]
    async fn a_bucket_counts_the_runs_of_its_time() -> anyhow::Result<()> {
        let dir = tempfile::tempdir()?;
        let store = Store::open(&format!("sqlite:{}", dir.path().join("x.db").display())).await?;
        let workspace = store.workspace_from_slug("demo").await?;
        let seeder = Seeder::new(1, 3_000, UNTIL_MS, store.packer().clone());
        let mut runs = (0..600).map(|index| Ok(seeder.run(index)?.0)).collect::<anyhow::Result<Vec<_>>>()?;
        for (run, minutes) in runs.iter_mut().zip(0..) {
            run.summary.created_at_ms = UNTIL_MS - minutes * 7 * 60_000;
        }
        store.upsert_runs(workspace, &runs).await?;

        for (text, step) in [
            ("since:15m", 60_000),
            ("since:100m", 5 * 60_000),
            ("since:5h before:90m", 5 * 60_000),
            ("since:11h", 15 * 60_000),
            ("since:40h", HOUR_MS),
            ("since:40h before:21h", HOUR_MS),
            ("", 3 * HOUR_MS),
        ] {
            let query = Query::parse(text).map_err(|error| anyhow::anyhow!("{error}"))?;
            let plan = store.plan(workspace, &query, UNTIL_MS).await?;
            let histogram = store.histogram(&plan, 60).await?;
            assert_eq!(histogram.bucket_ms, step, "{text}");
            let within = |at: i64| {
                let created = runs.iter().map(|run| run.summary.created_at_ms);
                let from = histogram.from_ms.map_or(at, |from| from.max(at));
                let before = histogram.before_ms.map_or(at + step, |before| before.min(at + step));
                created.filter(|created| (from..before).contains(created)).count() as u64
            };
            let counts: Vec<(i64, u64)> =
                histogram.buckets.iter().map(|bucket| (bucket.start_ms, bucket.runs.values().sum())).collect();
            let expected: Vec<(i64, u64)> = counts.iter().map(|(at, _)| (*at, within(*at))).collect();
            assert_eq!(counts, expected, "{text}");
            let listed = store.list_runs(&plan, RunSort::default(), None, 1_000).await?.runs.len() as u64;
            assert_eq!(counts.iter().map(|count| count.1).sum::<u64>(), listed, "{text}");
            let counted = store.count_matches(&plan).await?;
            assert_eq!((counted.runs, counted.is_exact), (listed, true), "{text}");
        }
        Ok(())
    }
}
