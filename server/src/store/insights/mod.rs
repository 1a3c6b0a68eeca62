//! Figures of many runs: how they ended, how long they took, what they cost, and how they used tools.
//!
//! ```text
//!  a run is written ──▶ facts.rs (what it adds) ──▶ rollups.rs (sums per tag and hour, day, 32 days)
//!  a query ──▶ over_time.rs ─┬─ one tag or none: rollups of whole hours, and the facts of partial hours
//!                            └─ anything else, or few runs: the facts of the newest matching runs (scan.rs)
//!          ──▶ details.rs: the same by the values of a key, by error class and by tool
//! ```
//!
//! Counts and sums from rollups are exact. Percentiles come from fixed buckets (buckets.rs).

mod buckets;
mod details;
mod facts;
mod figures;
mod over_time;
mod rollups;
mod scan;
#[cfg(test)]
mod tests;

use domain::Insights;
use protocol::Query;
use protocol::query::{Term, When};

use self::over_time::RollupSource;
use self::scan::{MAX_RUNS, Scanned};
use super::query_plan::QueryPlan;
use super::span::Span;
use super::{Result, Store};

pub(super) use facts::{LogFacts, ToolFacts};
pub(super) use rollups::{FactsChanges, delete};

/// Bars of a chart over time.
const BARS: i64 = 60;

impl Store {
    /// The figures of the matching runs, with those of the values of `key`.
    pub async fn insights(&self, plan: &QueryPlan, key: &str) -> Result<Insights> {
        self.insights_within(plan, key, MAX_RUNS).await
    }

    /// `max_runs`: if more runs match, figures come from rollups or from the newest of them.
    async fn insights_within(&self, plan: &QueryPlan, key: &str, max_runs: u32) -> Result<Insights> {
        let span = Span::of(&plan.query, plan.now_ms);
        let source = self.rollup_source(plan).await?;
        let period = self.period(plan, source.as_ref(), BARS, max_runs).await?;
        let is_capped = period.over_time.counted_newest.is_some();
        let (details, previous, runs_missing) = futures::try_join!(
            self.details(plan, source.as_ref(), key, &period, max_runs),
            self.previous(plan, span, source.as_ref(), is_capped, max_runs),
            self.runs_without_facts(plan.workspace),
        )?;
        Ok(Insights {
            since_at_ms: span.from,
            before_at_ms: span.before,
            figures: period.total.shown(),
            previous,
            by: details.by,
            errors: details.errors,
            tools: details.tools,
            counted_newest: period.over_time.counted_newest,
            details_counted_newest: details.counted_newest,
            over_time: period.over_time,
            runs_missing,
        })
    }

    /// The figures of the time range before this one. `None` if there is none, or if not all runs were counted.
    async fn previous(
        &self,
        plan: &QueryPlan,
        span: Span,
        source: Option<&RollupSource>,
        is_capped: bool,
        max_runs: u32,
    ) -> Result<Option<domain::RunFigures>> {
        let end = span.before.unwrap_or(plan.now_ms).min(plan.now_ms);
        let Some(from) = span.from.filter(|from| *from < end && !is_capped) else { return Ok(None) };
        let before = Span { from: Some(from.saturating_sub(end - from)), before: Some(from) };
        if let Some(source) = source {
            let total = self.rollup_total(plan.workspace, source, before).await?;
            return Ok(Some(total.shown()));
        }
        let query = within(&plan.query, before);
        let earlier = self.plan(plan.workspace, &query, plan.now_ms).await?;
        let Scanned { runs, complete } = self.scan(&earlier, max_runs).await?;
        Ok(complete.then(|| scan::total(&runs).shown()))
    }
}

/// The query in another time range.
fn within(query: &Query, span: Span) -> Query {
    let is_time = |term: &Term| matches!(term, Term::Since(_) | Term::Before(_));
    let rest = query.clauses.iter().filter(|clause| !is_time(&clause.term)).cloned();
    let since = span.from.map(|from| Term::Since(When::At(from)).into());
    let before = span.before.map(|before| Term::Before(When::At(before)).into());
    Query { clauses: rest.chain(since).chain(before).collect() }
}
