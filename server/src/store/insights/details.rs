//! Figures by the values of a key, by error class and by tool.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use domain::{Breakdown, ErrorFigures, ToolFigures, ValueFigures};
use sqlx::Row;

use super::facts::RunFacts;
use super::figures::Figures;
use super::over_time::{Period, RollupSource};
use super::scan::{Scanned, total};
use crate::store::query_plan::QueryPlan;
use crate::store::span::Span;
use crate::store::sql::{Arg, fetch};
use crate::store::{Result, Store, WorkspaceId};

/// Values that are counted of all runs: those that most runs have, and those that most of the newest runs in the range have.
const COUNTED: i64 = 30;
const NEWEST_RUNS: u32 = 1_000;
/// Tags of scanned runs that are looked up, those of the most runs first.
const COUNTED_IN_SCAN: usize = 2_000;
const CHUNK: usize = 500;
const SHOWN: usize = 10;
const SHOWN_TOOLS: usize = 20;

/// Keys besides metadata that figures are shown by. A run has at most one value of each.
const KEYS: [&str; 3] = ["model", "agent", "name"];

pub struct Details {
    pub by: Breakdown,
    pub errors: Vec<ErrorFigures>,
    pub tools: Vec<ToolFigures>,
    /// The number of newest matching runs that they come from, if not from all.
    pub counted_newest: Option<u64>,
}

/// A tag whose runs are counted.
struct Candidate {
    id: i64,
    value: String,
    has_rollups: bool,
}

/// The tags whose runs are counted.
#[derive(Default)]
struct Candidates {
    by: Vec<Candidate>,
    errors: Vec<Candidate>,
    tools: Vec<Candidate>,
}

impl Store {
    pub(super) async fn details(
        &self,
        plan: &QueryPlan,
        source: Option<&RollupSource>,
        key: &str,
        period: &Period,
        max_runs: u32,
    ) -> Result<Details> {
        let workspace = plan.workspace;
        let keys = self.breakdown_keys(workspace).await?;
        if period.scanned.is_none() && source.is_some_and(|source| source.is_all_runs(workspace)) {
            let newest = self.scan(plan, NEWEST_RUNS).await?;
            let mut candidates = self.candidates_in(workspace, key, &newest.runs).await?;
            candidates.keep_first(COUNTED as usize);
            candidates.add_missing(self.candidates(workspace, key, COUNTED).await?);
            let totals = self.totals_of(plan, &candidates, &period.edges).await?;
            return Ok(build(key, keys, candidates, totals, &period.total, None));
        }
        let more;
        let Scanned { runs, complete } = match &period.scanned {
            Some(scanned) => scanned,
            None => {
                more = self.scan(plan, max_runs).await?;
                &more
            }
        };
        let candidates = self.candidates_in(workspace, key, runs).await?;
        let mut totals: BTreeMap<i64, Figures> =
            candidates.all().map(|candidate| (candidate.id, Figures::default())).collect();
        for (_, facts) in runs {
            for tag in &facts.tags {
                if let Some(figures) = totals.get_mut(tag) {
                    figures.add_run(facts, *tag, 1);
                }
            }
        }
        let counted_newest = (!complete).then_some(runs.len() as u64);
        Ok(build(key, keys, candidates, totals, &total(runs), counted_newest))
    }

    async fn totals_of(
        &self,
        plan: &QueryPlan,
        candidates: &Candidates,
        edges: &[(i64, RunFacts)],
    ) -> Result<BTreeMap<i64, Figures>> {
        let span = Span::of(&plan.query, plan.now_ms);
        let ids = |has_rollups: bool| -> Vec<i64> {
            let wanted = candidates.all().filter(|candidate| candidate.has_rollups == has_rollups);
            wanted.map(|candidate| candidate.id).collect()
        };
        let (frequent, rare) = (ids(true), ids(false));
        let (mut totals, mut of_rare) = futures::try_join!(
            self.rollup_totals(plan.workspace, &frequent, span, edges),
            self.totals_of_rare_tags(plan.workspace, &rare, span),
        )?;
        totals.append(&mut of_rare);
        Ok(totals)
    }

    /// The keys that figures can be shown by: those that runs have values of.
    async fn breakdown_keys(&self, workspace: WorkspaceId) -> Result<Vec<String>> {
        let mut keys = Vec::new();
        for key in KEYS {
            let sql = "SELECT 1 FROM tag WHERE workspace_id = $1 AND key = $2 AND runs > 0 LIMIT 1";
            if !fetch(&self.reader, sql.to_owned(), vec![workspace.into(), key.into()]).await?.is_empty() {
                keys.push(key.to_owned());
            }
        }
        keys.extend(self.metadata_keys(workspace).await?);
        Ok(keys)
    }

    /// The candidates that these runs have, those of the most runs first.
    async fn candidates_in(&self, workspace: WorkspaceId, key: &str, runs: &[(i64, RunFacts)]) -> Result<Candidates> {
        let mut counts: BTreeMap<i64, u64> = BTreeMap::new();
        runs.iter().flat_map(|(_, facts)| &facts.tags).for_each(|tag| *counts.entry(*tag).or_default() += 1);
        let mut ids: Vec<i64> = counts.keys().copied().collect();
        ids.sort_by_key(|id| Reverse(counts[id]));
        ids.truncate(COUNTED_IN_SCAN);
        let mut found = Candidates::default();
        for chunk in ids.chunks(CHUNK) {
            let list = chunk.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
            let sql = format!("SELECT id, key, value, rolled FROM tag WHERE workspace_id = $1 AND id IN ({list})");
            for row in fetch(&self.reader, sql, vec![workspace.into()]).await? {
                let has_rollups = row.try_get::<i64, _>("rolled")? == 1;
                let candidate = Candidate { id: row.try_get("id")?, value: row.try_get("value")?, has_rollups };
                match row.try_get::<String, _>("key")?.as_str() {
                    "error" => found.errors.push(candidate),
                    "tool" => found.tools.push(candidate),
                    of if of == key && is_breakdown_key(key) => found.by.push(candidate),
                    _ => {}
                }
            }
        }
        for list in found.lists() {
            list.sort_by_key(|candidate| Reverse(counts[&candidate.id]));
        }
        Ok(found)
    }

    /// The candidates that the most runs have, whatever the range.
    async fn candidates(&self, workspace: WorkspaceId, key: &str, limit: i64) -> Result<Candidates> {
        let of_key = async |key: &str| -> Result<Vec<Candidate>> {
            let sql = "SELECT id, value, rolled FROM tag WHERE workspace_id = $1 AND key = $2 AND runs > 0 \
                 ORDER BY runs DESC, value LIMIT $3";
            let args: Vec<Arg> = vec![workspace.into(), key.into(), limit.into()];
            let rows = fetch(&self.reader, sql.to_owned(), args).await?;
            let candidate = |row: &sqlx::any::AnyRow| {
                let has_rollups = row.try_get::<i64, _>(2)? == 1;
                Ok(Candidate { id: row.try_get(0)?, value: row.try_get(1)?, has_rollups })
            };
            rows.iter().map(candidate).collect()
        };
        let by = if is_breakdown_key(key) { of_key(key).await? } else { Vec::new() };
        Ok(Candidates { by, errors: of_key("error").await?, tools: of_key("tool").await? })
    }
}

/// Returns true for a key that figures can be shown by.
fn is_breakdown_key(key: &str) -> bool {
    KEYS.contains(&key) || key.starts_with("metadata.")
}

impl Candidates {
    fn lists(&mut self) -> [&mut Vec<Candidate>; 3] {
        [&mut self.by, &mut self.errors, &mut self.tools]
    }

    fn keep_first(&mut self, count: usize) {
        self.lists().into_iter().for_each(|list| list.truncate(count));
    }

    fn add_missing(&mut self, mut others: Self) {
        for (list, others) in self.lists().into_iter().zip(others.lists()) {
            let known: BTreeSet<i64> = list.iter().map(|candidate| candidate.id).collect();
            list.extend(others.drain(..).filter(|candidate| !known.contains(&candidate.id)));
        }
    }

    fn all(&self) -> impl Iterator<Item = &Candidate> {
        self.by.iter().chain(&self.errors).chain(&self.tools)
    }
}

/// `all` are the figures of all runs that `totals` come from.
fn build(
    key: &str,
    keys: Vec<String>,
    candidates: Candidates,
    mut totals: BTreeMap<i64, Figures>,
    all: &Figures,
    counted_newest: Option<u64>,
) -> Details {
    let mut found = |candidates: Vec<Candidate>| -> Vec<(String, Figures)> {
        let figures = |candidate: Candidate| Some((candidate.value, totals.remove(&candidate.id)?));
        let mut found: Vec<(String, Figures)> =
            candidates.into_iter().filter_map(figures).filter(|(_, figures)| figures.runs() > 0).collect();
        found.sort_by_key(|(_, figures)| Reverse(figures.runs()));
        found
    };
    let (mut values, mut errors, mut tools) = (found(candidates.by), found(candidates.errors), found(candidates.tools));
    values.truncate(SHOWN);
    errors.truncate(SHOWN);
    tools.sort_by_key(|(_, figures)| Reverse(figures.calls()));
    tools.truncate(SHOWN_TOOLS);
    let mut others = all.clone();
    values.iter().for_each(|(_, figures)| others.add(figures, -1));
    let value = |(value, figures): (String, Figures)| ValueFigures { value, figures: figures.shown() };
    let error = |(error_class, figures): (String, Figures)| ErrorFigures { error_class, runs: figures.runs() };
    Details {
        by: Breakdown {
            key: key.to_owned(),
            keys,
            values: values.into_iter().map(value).collect(),
            others: (others.runs() > 0).then(|| others.shown()),
        },
        errors: errors.into_iter().map(error).collect(),
        tools: tools.into_iter().map(|(name, figures)| tool(name, &figures, all.observed_ms())).collect(),
        counted_newest,
    }
}

fn tool(name: String, figures: &Figures, observed_ms: u64) -> ToolFigures {
    ToolFigures {
        name,
        runs: figures.runs(),
        calls: figures.calls(),
        failed: figures.failed_calls(),
        loops: figures.loops(),
        p50_ms: figures.call_duration(50),
        p95_ms: figures.call_duration(95),
        time_share: if observed_ms == 0 { 0.0 } else { figures.tool_ms() as f64 / observed_ms as f64 },
    }
}
