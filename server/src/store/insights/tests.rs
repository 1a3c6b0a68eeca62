//! Tests that figures are the same as a recount of the runs, whatever happened to the runs before.

use domain::{Insights, RunFigures, Signals};
use protocol::{Query, RunStatus};

use super::*;
use crate::seed::Seeder;
use crate::store::run_row;
use crate::store::{EraseTarget, NewAuditEntry, Retention, RunUpdate, WorkspaceId};

const UNTIL_MS: i64 = 1_790_000_000_000;
const HOUR_MS: i64 = 3_600_000;
/// Enough for rollups of frequent values, over some days.
const RUNS: u64 = 700;

/// More runs than a value without rollups has, and less than most queries find.
const FEW: u32 = 110;

const QUERIES: [&str; 12] = [
    "",
    "since:2d",
    "since:50h before:3h",
    "since:2026-09-20 before:2026-09-21T12:34:56Z",
    "env:prod",
    "-env:prod since:30h",
    "env:prod,staging before:1d",
    "model:script since:40h",
    "status:failed",
    "tool:recall since:3d",
    "env:prod tool:recall",
    "is:tool-failed",
];

struct World {
    _dir: tempfile::TempDir,
    store: Store,
    workspace: WorkspaceId,
    runs: Vec<RunUpdate>,
}

impl World {
    async fn open() -> anyhow::Result<Self> {
        let dir = tempfile::tempdir()?;
        let store = Store::open(&format!("sqlite:{}", dir.path().join("x.db").display())).await?;
        let workspace = store.workspace_from_slug("demo").await?;
        let seeder = Seeder::new(1, RUNS, UNTIL_MS, store.packer().clone());
        let mut runs = (0..RUNS).map(|index| Ok(seeder.run(index)?.0)).collect::<anyhow::Result<Vec<_>>>()?;
        for (run, minutes) in runs.iter_mut().zip(0..) {
            run.summary.created_at_ms = UNTIL_MS - minutes * 11 * 60_000;
        }
        Ok(Self { _dir: dir, store, workspace, runs })
    }

    async fn insights(&self, text: &str, key: &str, max_runs: u32) -> anyhow::Result<Insights> {
        let query = Query::parse(text).map_err(|error| anyhow::anyhow!("{error}"))?;
        let plan = self.store.plan(self.workspace, &query, UNTIL_MS).await?;
        Ok(self.store.insights_within(&plan, key, max_runs).await?)
    }

    /// The figures of stored rows, counted one by one.
    async fn recount(&self, text: &str) -> anyhow::Result<RunFigures> {
        let query = Query::parse(text).map_err(|error| anyhow::anyhow!("{error}"))?;
        let plan = self.store.plan(self.workspace, &query, UNTIL_MS).await?;
        let listed = self.store.list_runs(&plan, domain::RunSort::default(), None, 10_000).await?.runs;
        let mut connection = self.store.reader.acquire().await?;
        let failed_tools =
            self.store.plan(self.workspace, &Query::parse("is:tool-failed").expect("a query"), UNTIL_MS).await?;
        let failed_tools = self.store.list_runs(&failed_tools, domain::RunSort::default(), None, 10_000).await?.runs;
        let rows = run_row::select(&mut connection, "r.workspace_id = $1", vec![self.workspace.into()]).await?;
        let mut figures = RunFigures::default();
        let (mut durations, mut tokens, mut costs) = (Vec::new(), Vec::new(), Vec::new());
        for run in rows.iter().map(|row| &row.summary).filter(|run| listed.iter().any(|listed| listed.id == run.id)) {
            figures.runs += 1;
            let outcomes = &mut figures.outcomes;
            *match run.status {
                RunStatus::Succeeded => &mut outcomes.succeeded,
                RunStatus::Failed => &mut outcomes.failed,
                RunStatus::Cancelled => &mut outcomes.cancelled,
                RunStatus::Running => &mut outcomes.running,
                RunStatus::Pending => &mut outcomes.pending,
            } += 1;
            let Signals { failed, truncated, looping, budget, unanswered, tool_failed } = &mut figures.signals;
            *failed += u64::from(run.status == RunStatus::Failed);
            *truncated += u64::from(run.marks.truncated);
            *looping += u64::from(run.marks.looping);
            *budget += u64::from(run.marks.over_budget);
            *unanswered += u64::from(run.marks.orphan_call);
            *tool_failed += u64::from(failed_tools.iter().any(|failed| failed.id == run.id));
            durations.extend(run.duration_ms);
            tokens.extend(run.tokens.map(|tokens| tokens.input_tokens + tokens.output_tokens));
            costs.extend(run.cost_micros);
        }
        figures.duration_ms = percentiles(durations);
        figures.tokens_per_run = percentiles(tokens);
        figures.cost_micros_per_run = percentiles(costs);
        (figures.tokens, figures.cost_micros) = (figures.tokens_per_run.sum, figures.cost_micros_per_run.sum);
        figures.rates = domain::Rates::of(&figures.signals, figures.runs);
        Ok(figures)
    }

    /// Compares all queries with a recount: from single runs, and from rollups.
    async fn check(&self, what: &str) -> anyhow::Result<()> {
        for text in QUERIES {
            let exact = self.recount(text).await?;
            let scanned = self.insights(text, "metadata.env", 10_000).await?;
            same(&scanned.figures, &exact, &format!("{what}: {text}"));
            assert_eq!((scanned.counted_newest, scanned.details_counted_newest), (None, None), "{what}: {text}");
            let rolled = self.insights(text, "metadata.env", FEW).await?;
            if rolled.counted_newest.is_none() {
                assert_eq!(rolled.figures, scanned.figures, "{what}: {text}");
                assert_eq!(rolled.previous, scanned.previous, "{what}: {text}");
            } else {
                // The rarer value gets rollups once it is frequent.
                assert!(
                    text == "env:prod tool:recall" || text.starts_with("env:prod,staging"),
                    "{what}: {text} is not in a rollup"
                );
            }
            if rolled.details_counted_newest.is_none() && rolled.counted_newest.is_none() {
                assert_eq!(rolled.by, scanned.by, "{what}: {text}");
                assert_eq!(rolled.errors, scanned.errors, "{what}: {text}");
                assert_eq!(rolled.tools, scanned.tools, "{what}: {text}");
            }
            for insights in [&scanned, &rolled] {
                let of_bars: u64 = insights.over_time.buckets.iter().map(|bucket| bucket.figures.runs).sum();
                assert_eq!(of_bars, insights.figures.runs, "{what}: {text}");
            }
            let by_env: u64 = scanned.by.values.iter().map(|value| value.figures.runs).sum();
            let others = scanned.by.others.as_ref().map_or(0, |others| others.runs);
            assert_eq!(by_env + others, exact.runs, "{what}: {text}");
        }
        Ok(())
    }

    async fn rows_of(&self, table: &'static str) -> anyhow::Result<i64> {
        let sql = format!("SELECT COUNT(*) FROM {table}");
        Ok(sqlx::query_scalar(sqlx::AssertSqlSafe(sql)).fetch_one(&self.store.reader).await?)
    }
}

fn percentiles(mut numbers: Vec<u64>) -> domain::Percentiles {
    numbers.sort_unstable();
    let at = |percent: usize| numbers.get((numbers.len() * percent).div_ceil(100).max(1) - 1).copied();
    domain::Percentiles { p50: at(50), p95: at(95), sum: numbers.iter().sum() }
}

/// Counts and sums are the same, percentiles are within 5 %.
fn same(found: &RunFigures, exact: &RunFigures, what: &str) {
    let mut rounded = found.clone();
    for (found, exact) in [
        (&mut rounded.duration_ms, exact.duration_ms),
        (&mut rounded.tokens_per_run, exact.tokens_per_run),
        (&mut rounded.cost_micros_per_run, exact.cost_micros_per_run),
    ] {
        for (found, exact) in [(&mut found.p50, exact.p50), (&mut found.p95, exact.p95)] {
            let (is, should) = (found.unwrap_or(0), exact.unwrap_or(0));
            assert!(is.abs_diff(should) * 20 <= should && found.is_some() == exact.is_some(), "{what}: {is}, {should}");
            *found = exact;
        }
    }
    assert_eq!(&rounded, exact, "{what}");
}

fn entry() -> NewAuditEntry {
    NewAuditEntry {
        at_ms: UNTIL_MS,
        actor: "owner@demo.test".to_owned(),
        address: None,
        action: domain::AuditAction::EraseMetadata,
        target: None,
        detail: None,
    }
}

#[tokio::test]
async fn figures_are_those_of_a_recount_whatever_happens_to_the_runs() -> anyhow::Result<()> {
    let mut world = World::open().await?;
    let (store, workspace) = (world.store.clone(), world.workspace);

    // Runs that end late: first they are in progress, without a log.
    let started: Vec<RunUpdate> = world.runs[..300].iter().map(in_progress).collect();
    store.upsert_runs(workspace, &started).await?;
    world.check("in progress").await?;
    assert_eq!(world.insights("", "model", FEW).await?.figures.outcomes.running, 300);
    store.upsert_runs(workspace, &world.runs[..300]).await?;
    world.check("ended late").await?;

    // A value gets rollups once it is frequent.
    store.upsert_runs(workspace, &world.runs[300..]).await?;
    world.check("more runs").await?;
    let (facts, rollups) = (world.rows_of("run_facts").await?, world.rows_of("rollup").await?);
    assert!(facts == 700 && rollups > 300, "{facts} {rollups}");

    // The same runs again, and as an import would write them.
    store.upsert_runs(workspace, &world.runs).await?;
    for run in world.runs.iter().step_by(100) {
        store.index_log(workspace, &run.summary.id).await?;
    }
    world.check("written again").await?;
    assert_eq!((world.rows_of("run_facts").await?, world.rows_of("rollup").await?), (facts, rollups));

    // Metadata that changed, and a cost that became known.
    for run in world.runs.iter_mut().step_by(7) {
        run.summary.metadata.insert("env".to_owned(), "moved".to_owned());
        run.summary.cost_micros = Some(12_345);
    }
    store.upsert_runs(workspace, &world.runs).await?;
    world.check("changed").await?;

    let target = EraseTarget::Metadata { key: "env".to_owned(), value: "moved".to_owned() };
    store.begin_erasure(workspace, &target, &[], &entry()).await?;
    let found = store.erasable(workspace, &target).await?;
    store.erase_found(workspace, &found, entry().at_ms).await?;
    let erased = found.run_ids.len();
    assert!(erased > 10, "{erased}");
    world.check("erased").await?;

    let retention = Retention { max_age_ms: Some(48 * HOUR_MS), ..Retention::default() };
    store.enforce(&retention, UNTIL_MS).await?;
    world.check("retention").await?;
    assert!((1..300).contains(&world.rows_of("run_facts").await?));

    let retention = Retention { max_age_ms: Some(-HOUR_MS), ..Retention::default() };
    store.enforce(&retention, UNTIL_MS).await?;
    assert_eq!((world.rows_of("run_facts").await?, world.rows_of("rollup").await?), (0, 0));
    let empty = world.insights("since:7d", "model", FEW).await?;
    assert_eq!((empty.figures, empty.tools.len(), empty.over_time.buckets.len()), (RunFigures::default(), 0, 0));
    Ok(())
}

/// A run as MANTYX's list has it before its end.
fn in_progress(update: &RunUpdate) -> RunUpdate {
    let mut started = RunUpdate { log: None, completed_at_ms: None, ..update.clone() };
    let run = &mut started.summary;
    run.status = RunStatus::Running;
    (run.tokens, run.duration_ms, run.turns, run.tool_calls, run.error) = (None, None, None, None, None);
    started
}

#[tokio::test]
async fn a_transaction_that_is_not_committed_counts_nothing() -> anyhow::Result<()> {
    let world = World::open().await?;
    world.store.upsert_runs(world.workspace, &world.runs[..400]).await?;
    let before = world.insights("", "model", FEW).await?;
    // As when the process is killed before the commit.
    let mut tx = world.store.begin_writing(world.workspace).await?;
    let rest: Vec<_> = world.runs[400..].iter().collect();
    world.store.write_updates(&mut tx, world.workspace, &rest).await?;
    drop(tx);
    assert_eq!(world.insights("", "model", FEW).await?, before);
    world.check("rolled back").await?;
    world.store.upsert_runs(world.workspace, &world.runs[400..]).await?;
    world.check("written after that").await
}

#[tokio::test]
async fn runs_of_an_earlier_version_are_counted_when_they_are_indexed_again() -> anyhow::Result<()> {
    let world = World::open().await?;
    world.store.upsert_runs(world.workspace, &world.runs[..400]).await?;
    let before = world.insights("", "model", FEW).await?;
    // As the migration leaves a database of an earlier version.
    for sql in [
        "DELETE FROM run_facts",
        "DELETE FROM rollup",
        "UPDATE run SET indexed = 4",
        "UPDATE tag SET rolled = CASE WHEN runs > 100 THEN 1 ELSE 0 END",
    ] {
        sqlx::query(sql).execute(&world.store.writer).await?;
    }
    let empty = world.insights("", "model", FEW).await?;
    assert_eq!((empty.figures.runs, empty.runs_missing), (0, 400));
    // Interrupted after some of them.
    for (workspace, id) in world.store.unindexed_runs(150).await? {
        world.store.index_log(workspace, &id).await?;
    }
    let some = world.insights("", "model", FEW).await?;
    assert_eq!((some.figures.runs, some.runs_missing), (150, 250));
    for (workspace, id) in world.store.unindexed_runs(1_000).await? {
        world.store.index_log(workspace, &id).await?;
    }
    assert_eq!(world.insights("", "model", FEW).await?, before);
    world.check("indexed again").await
}

#[tokio::test]
async fn values_of_few_runs_are_counted_where_they_are() -> anyhow::Result<()> {
    let mut world = World::open().await?;
    for (index, run) in world.runs.iter_mut().enumerate() {
        run.summary.metadata.insert("serial".to_owned(), format!("{index:04}"));
    }
    world.store.upsert_runs(world.workspace, &world.runs).await?;
    for serial in ["0000", "0350", "0699"] {
        let found = world.insights(&format!("serial:{serial}"), "metadata.serial", FEW).await?;
        let values: Vec<&str> = found.by.values.iter().map(|value| value.value.as_str()).collect();
        assert_eq!((values, found.by.others), (vec![serial], None));
    }
    Ok(())
}

#[tokio::test]
async fn workspaces_do_not_see_each_other() -> anyhow::Result<()> {
    let world = World::open().await?;
    let other = world.store.workspace_from_slug("other").await?;
    world.store.upsert_runs(world.workspace, &world.runs[..150]).await?;
    let others: Vec<RunUpdate> = world.runs[150..500]
        .iter()
        .map(|run| {
            let mut run = run.clone();
            run.summary.id = format!("{}_other", run.summary.id);
            run
        })
        .collect();
    let before = world.insights("", "model", FEW).await?;
    world.store.upsert_runs(other, &others).await?;
    assert_eq!(world.insights("", "model", FEW).await?, before);
    world.check("beside another workspace").await?;
    let query = Query::parse("env:prod").expect("a query");
    let plan = world.store.plan(other, &query, UNTIL_MS).await?;
    let found = world.store.insights_within(&plan, "model", FEW).await?;
    let expected = others.iter().filter(|run| run.summary.metadata.get("env").is_some_and(|env| env == "prod")).count();
    assert_eq!(found.figures.runs, expected as u64);
    Ok(())
}

#[tokio::test]
async fn runs_without_figures_are_counted_without_reading_all_others() -> anyhow::Result<()> {
    let world = World::open().await?;
    let plan = sqlx::query(sqlx::AssertSqlSafe(format!("EXPLAIN QUERY PLAN {}", scan::runs_without_facts())))
        .bind(world.workspace.0)
        .fetch_all(&world.store.reader)
        .await?;
    let steps: Vec<String> = plan.iter().map(|row| sqlx::Row::get(row, "detail")).collect();
    assert!(steps.iter().any(|step| step.contains("USING INDEX run_unread")), "{steps:?}");
    Ok(())
}
