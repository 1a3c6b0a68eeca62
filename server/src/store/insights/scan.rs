//! Figures from the facts of single runs.

use std::collections::BTreeMap;

use sqlx::{AssertSqlSafe, Row};

use super::facts::RunFacts;
use super::figures::Figures;
use super::rollups::read_facts;
use crate::store::ingest::INDEX_VERSION;
use crate::store::query_plan::{QueryPlan, Sample, SampleColumns};
use crate::store::span::Span;
use crate::store::sql::{Arg, fetch};
use crate::store::{Result, Store, WorkspaceId};

/// Runs whose facts are read for one answer. Of a million runs, 10,000 that are far apart take SQLite 120 ms.
pub const MAX_RUNS: u32 = 5_000;

/// The newest matching runs, by list key.
#[derive(Default)]
pub struct Scanned {
    pub runs: Vec<(i64, RunFacts)>,
    /// No further run matches.
    pub complete: bool,
}

pub fn total(runs: &[(i64, RunFacts)]) -> Figures {
    let mut total = Figures::default();
    runs.iter().for_each(|(_, facts)| total.add_run(facts, 0, 1));
    total
}

impl Store {
    /// The facts of the newest matching runs.
    pub(super) async fn scan(&self, plan: &QueryPlan, max_runs: u32) -> Result<Scanned> {
        let Sample { rows, complete } = plan.sample(self, SampleColumns::Facts, max_runs).await?;
        Ok(Scanned { runs: rows.iter().map(read_facts).collect::<Result<_>>()?, complete })
    }

    /// The facts of all runs in time ranges.
    pub(super) async fn facts_within(&self, workspace: WorkspaceId, spans: &[Span]) -> Result<Vec<(i64, RunFacts)>> {
        let mut runs = Vec::new();
        for span in spans {
            let (from, below) = span.list_keys();
            let sql = "SELECT n, body FROM run_facts WHERE workspace_id = $1 AND n >= $2 AND n < $3";
            let rows = fetch(&self.reader, sql.to_owned(), vec![workspace.into(), from.into(), below.into()]).await?;
            runs.extend(rows.iter().map(read_facts).collect::<Result<Vec<_>>>()?);
        }
        Ok(runs)
    }

    /// The figures of tags without rollups, from the facts of their runs.
    pub(super) async fn totals_of_rare_tags(
        &self,
        workspace: WorkspaceId,
        tags: &[i64],
        span: Span,
    ) -> Result<BTreeMap<i64, Figures>> {
        let mut totals: BTreeMap<i64, Figures> = BTreeMap::new();
        if tags.is_empty() {
            return Ok(totals);
        }
        let list = tags.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
        let (from, below) = span.list_keys();
        let sql = format!(
            "SELECT f.n, f.body, t.tag_id FROM run_tag t CROSS JOIN run_facts f \
             WHERE t.tag_id IN ({list}) AND t.n >= $2 AND t.n < $3 AND f.workspace_id = $1 AND f.n = t.n"
        );
        let args: Vec<Arg> = vec![workspace.into(), from.into(), below.into()];
        for row in fetch(&self.reader, sql, args).await? {
            let (_, facts) = read_facts(&row)?;
            let tag: i64 = row.try_get(2)?;
            totals.entry(tag).or_default().add_run(&facts, tag, 1);
        }
        Ok(totals)
    }

    /// Runs that an earlier version stored and that have no facts yet, up to a limit.
    pub(super) async fn runs_without_facts(&self, workspace: WorkspaceId) -> Result<u64> {
        let query = sqlx::query_scalar(AssertSqlSafe(runs_without_facts())).bind(workspace.0);
        let runs: i64 = query.fetch_one(&self.reader).await?;
        Ok(u64::try_from(runs).unwrap_or(0))
    }
}

/// The number is part of the text, and the `+` keeps the indexes by workspace out, so that the partial index of these runs is
/// used. All runs of a workspace would be read otherwise.
pub(super) fn runs_without_facts() -> String {
    format!(
        "SELECT COUNT(*) FROM (SELECT 1 FROM run r WHERE r.indexed < {INDEX_VERSION} AND +r.workspace_id = $1 \
         AND NOT EXISTS (SELECT 1 FROM run_facts f WHERE f.workspace_id = $1 AND f.n = r.n) LIMIT 10000) missing"
    )
}
