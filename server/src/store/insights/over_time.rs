//! Figures over time, and of a whole time range.

use std::collections::BTreeMap;

use domain::{FiguresBucket, FiguresOverTime};
use sqlx::{AssertSqlSafe, Row};

use super::facts::RunFacts;
use super::figures::Figures;
use super::rollups::{LENGTHS, all_runs, read_figures};
use super::scan::{MAX_RUNS, Scanned, total};
use crate::store::query_plan::QueryPlan;
use crate::store::span::{Ends, HOUR_MS, Span};
use crate::store::sql::fetch;
use crate::store::{Result, Store, WorkspaceId, list_key};

/// Figures by the start of their bar, in milliseconds.
type Bars = BTreeMap<i64, Figures>;

/// The rollups whose sum is the runs of a plan, with signs.
pub struct RollupSource {
    tags: Vec<(i64, i64)>,
}

/// The figures of a plan's time range.
pub struct Period {
    pub total: Figures,
    /// The matching runs, if they were read one by one.
    pub scanned: Option<Scanned>,
    pub over_time: FiguresOverTime,
    /// The facts of all runs in the hours that are only partly in the range, if rollups were read.
    pub edges: Vec<(i64, RunFacts)>,
}

/// Figures from rollups by bar, the width of a bar, and the facts of the hours that are only partly in the range.
struct RolledBars {
    step: i64,
    bars: Bars,
    edges: Vec<(i64, RunFacts)>,
}

/// A part of a time range that rollups of one length cover: from a start until another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Segment {
    hours: i64,
    from: i64,
    below: i64,
}

impl RollupSource {
    pub fn is_all_runs(&self, workspace: WorkspaceId) -> bool {
        self.tags == [(all_runs(workspace), 1)]
    }

    /// Adds the runs among these that belong to the source.
    fn add_runs(&self, runs: &[(i64, RunFacts)], mut add: impl FnMut(i64, &RunFacts, i64)) {
        for (list_key, facts) in runs {
            for (tag, sign) in &self.tags {
                if *tag < 0 || facts.tags.contains(tag) {
                    add(*list_key, facts, *sign);
                }
            }
        }
    }
}

impl Store {
    /// Figures of the matching runs in about `wanted` bars.
    pub async fn figures_over_time(&self, plan: &QueryPlan, wanted: i64) -> Result<FiguresOverTime> {
        let source = self.rollup_source(plan).await?;
        Ok(self.period(plan, source.as_ref(), wanted, MAX_RUNS).await?.over_time)
    }

    /// The rollups of a plan, if all its runs are in rollups.
    pub(super) async fn rollup_source(&self, plan: &QueryPlan) -> Result<Option<RollupSource>> {
        let Some(selected) = plan.selected_tags() else { return Ok(None) };
        let all = (all_runs(plan.workspace), 1);
        if selected.ids.is_empty() {
            return Ok(Some(RollupSource { tags: vec![all] }));
        }
        let rolled = self.rolled_tags(plan.workspace, selected.ids).await?;
        if rolled.len() < selected.ids.len() {
            return Ok(None);
        }
        let sign = if selected.negated { -1 } else { 1 };
        let tags = selected.ids.iter().map(|tag| (*tag, sign));
        Ok(Some(RollupSource { tags: tags.chain(selected.negated.then_some(all)).collect() }))
    }

    /// Those of these tags that have rollups.
    pub(super) async fn rolled_tags(&self, workspace: WorkspaceId, tags: &[i64]) -> Result<Vec<i64>> {
        if tags.is_empty() {
            return Ok(Vec::new());
        }
        let list = tags.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
        let sql = format!("SELECT id FROM tag WHERE workspace_id = $1 AND rolled = 1 AND id IN ({list})");
        fetch(&self.reader, sql, vec![workspace.into()]).await?.iter().map(|row| row.try_get(0)).collect()
    }

    pub(super) async fn period(
        &self,
        plan: &QueryPlan,
        source: Option<&RollupSource>,
        wanted: i64,
        max_runs: u32,
    ) -> Result<Period> {
        let span = Span::of(&plan.query, plan.now_ms);
        let ends = span.ends(plan.now_ms);
        let rolled = match source {
            Some(source) => Some(self.rollup_bars(plan.workspace, source, span, ends, wanted).await?),
            None => None,
        };
        let rolled = rolled.map(|RolledBars { step, bars, edges }| {
            let mut total = Figures::default();
            bars.values().for_each(|figures| total.add(figures, 1));
            Period { total, scanned: None, over_time: shown(bars, span, ends, step, None), edges }
        });
        let rolled = match rolled {
            Some(period) if period.total.runs() > max_runs.into() => return Ok(period),
            rolled => rolled,
        };
        let scanned = self.scan(plan, max_runs).await?;
        if let Some(period) = rolled.filter(|_| !scanned.complete) {
            return Ok(Period { scanned: Some(scanned), ..period });
        }
        let time = |run: Option<&(i64, RunFacts)>| run.map(|(list_key, _)| list_key::created_at_ms(*list_key));
        let (first, last) = (time(scanned.runs.last()), time(scanned.runs.first()));
        let step = match first.or(ends.start).zip(last.or(ends.end)) {
            Some((first, last)) => ends.step(first, last, wanted),
            None => HOUR_MS,
        };
        let mut bars = Bars::new();
        for (list_key, facts) in &scanned.runs {
            bars.entry(start_of(list_key::created_at_ms(*list_key), step)).or_default().add_run(facts, 0, 1);
        }
        let counted_newest = (!scanned.complete).then_some(scanned.runs.len() as u64);
        let over_time = shown(bars, span, ends, step, counted_newest);
        Ok(Period { total: total(&scanned.runs), scanned: Some(scanned), over_time, edges: Vec::new() })
    }

    /// The figures of a source in a time range.
    pub(super) async fn rollup_total(
        &self,
        workspace: WorkspaceId,
        source: &RollupSource,
        span: Span,
    ) -> Result<Figures> {
        let edges = self.facts_within(workspace, &span.partial_hours()).await?;
        let tags: Vec<i64> = source.tags.iter().map(|(tag, _)| *tag).collect();
        let totals = self.rollup_totals(workspace, &tags, span, &edges).await?;
        let mut sum = Figures::default();
        for (tag, sign) in &source.tags {
            if let Some(figures) = totals.get(tag) {
                sum.add(figures, *sign);
            }
        }
        Ok(sum)
    }

    /// The figures of tags with rollups in a time range. `edges` are the facts of its partial hours.
    pub(super) async fn rollup_totals(
        &self,
        workspace: WorkspaceId,
        tags: &[i64],
        span: Span,
        edges: &[(i64, RunFacts)],
    ) -> Result<BTreeMap<i64, Figures>> {
        let mut totals: BTreeMap<i64, Figures> = BTreeMap::new();
        let segments = match self.whole_hours(workspace, span).await? {
            Some((from, below)) => divide(from, below, &LENGTHS),
            None => Vec::new(),
        };
        for (tag, _, figures) in self.rollups(tags, &segments).await? {
            totals.entry(tag).or_default().add(&figures, 1);
        }
        for tag in tags {
            let has_tag = |facts: &RunFacts| *tag < 0 || facts.tags.contains(tag);
            for (_, facts) in edges.iter().filter(|(_, facts)| has_tag(facts)) {
                totals.entry(*tag).or_default().add_run(facts, *tag, 1);
            }
        }
        Ok(totals)
    }

    /// The bars of a source: hours or longer.
    async fn rollup_bars(
        &self,
        workspace: WorkspaceId,
        source: &RollupSource,
        span: Span,
        ends: Ends,
        wanted: i64,
    ) -> Result<RolledBars> {
        let edges = self.facts_within(workspace, &span.partial_hours()).await?;
        let whole = self.whole_hours(workspace, span).await?;
        let (first, last) = whole.map_or((0, 0), |(from, below)| (from * HOUR_MS, below * HOUR_MS - 1));
        let step = ends.step(first, last, wanted).max(HOUR_MS);
        // Each bar is a sum of whole rollups.
        let lengths: Vec<i64> = LENGTHS.into_iter().filter(|hours| step / HOUR_MS % hours == 0).collect();
        let segments = whole.map_or_else(Vec::new, |(from, below)| divide(from, below, &lengths));
        let tags: Vec<i64> = source.tags.iter().map(|(tag, _)| *tag).collect();
        let mut bars = Bars::new();
        for (tag, start_ms, figures) in self.rollups(&tags, &segments).await? {
            let sign = source.tags.iter().find(|(known, _)| *known == tag).map_or(1, |(_, sign)| *sign);
            bars.entry(start_of(start_ms, step)).or_default().add(&figures, sign);
        }
        source.add_runs(&edges, |list_key, facts, sign| {
            bars.entry(start_of(list_key::created_at_ms(list_key), step)).or_default().add_run(facts, 0, sign);
        });
        bars.retain(|_, figures| figures.runs() > 0);
        Ok(RolledBars { step, bars, edges })
    }

    /// The whole hours of a time range in which the workspace has runs: from one until another, excluded.
    async fn whole_hours(&self, workspace: WorkspaceId, span: Span) -> Result<Option<(i64, i64)>> {
        let (from, below) = span.list_keys();
        let end = async |order: &str| -> Result<Option<i64>> {
            let sql = format!(
                "SELECT n FROM run_facts WHERE workspace_id = $1 AND n >= $2 AND n < $3 ORDER BY n {order} LIMIT 1"
            );
            let query = sqlx::query_scalar(AssertSqlSafe(sql)).bind(workspace.0).bind(from).bind(below);
            let found: Option<i64> = query.fetch_optional(&self.reader).await?;
            Ok(found.map(super::facts::hour_of))
        };
        let Some((first, last)) = end("ASC").await?.zip(end("DESC").await?) else { return Ok(None) };
        let from = span.from.map_or(first, |from| from.saturating_add(HOUR_MS - 1).div_euclid(HOUR_MS).max(first));
        let below = span.before.map_or(last + 1, |before| before.div_euclid(HOUR_MS).min(last + 1));
        Ok((from < below).then_some((from, below)))
    }

    /// Rollups: tag, start in milliseconds, and figures.
    async fn rollups(&self, tags: &[i64], segments: &[Segment]) -> Result<Vec<(i64, i64, Figures)>> {
        if tags.is_empty() || segments.is_empty() {
            return Ok(Vec::new());
        }
        let list = tags.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
        let selects: Vec<String> = segments
            .iter()
            .map(|Segment { hours, from, below }| {
                format!(
                    "SELECT tag_id, hours, start, figures FROM rollup \
                     WHERE tag_id IN ({list}) AND hours = {hours} AND start >= {from} AND start < {below}"
                )
            })
            .collect();
        let rows = fetch(&self.reader, selects.join(" UNION ALL "), Vec::new()).await?;
        rows.iter()
            .map(|row| {
                let (hours, start): (i64, i64) = (row.try_get("hours")?, row.try_get("start")?);
                let figures = read_figures(row.try_get("figures")?)?;
                Ok((row.try_get("tag_id")?, start * hours * HOUR_MS, figures))
            })
            .collect()
    }
}

/// Divides whole hours into segments of the longest rollups that fit. `lengths` begin with one hour, and each divides the
/// next.
fn divide(from: i64, below: i64, lengths: &[i64]) -> Vec<Segment> {
    let Some((hours, shorter)) = lengths.split_last() else { return Vec::new() };
    let (first, end) = (from.div_euclid(*hours) + i64::from(from.rem_euclid(*hours) > 0), below.div_euclid(*hours));
    if first >= end {
        return divide(from, below, shorter);
    }
    let mut segments = vec![Segment { hours: *hours, from: first, below: end }];
    segments.extend(divide(from, first * hours, shorter));
    segments.extend(divide(end * hours, below, shorter));
    segments.retain(|segment| segment.from < segment.below);
    segments
}

fn start_of(at_ms: i64, step: i64) -> i64 {
    at_ms.div_euclid(step) * step
}

fn shown(bars: Bars, span: Span, ends: Ends, step: i64, counted_newest: Option<u64>) -> FiguresOverTime {
    let (first, last) = (bars.keys().next().copied(), bars.keys().next_back().copied());
    let start_ms = ends.start.map(|start| start_of(start, step)).into_iter().chain(first).min().unwrap_or(0);
    let last = ends.end.map(|end| start_of(end - 1, step)).into_iter().chain(last).max();
    let buckets = bars.into_iter().map(|(start_ms, figures)| FiguresBucket { start_ms, figures: figures.shown() });
    FiguresOverTime {
        bucket_ms: step,
        start_ms,
        end_ms: last.map_or(start_ms, |last| last + step),
        buckets: buckets.collect(),
        from_ms: span.from,
        before_ms: span.before,
        counted_newest,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hours_are_divided_into_the_longest_rollups() {
        let segments = |from, below| {
            let mut covered: Vec<i64> = Vec::new();
            let segments = divide(from, below, &LENGTHS);
            for Segment { hours, from, below } in &segments {
                covered.extend(from * hours..below * hours);
            }
            covered.sort_unstable();
            assert_eq!(covered, (from..below).collect::<Vec<i64>>(), "{from} to {below}");
            segments.len()
        };
        assert_eq!((segments(5, 5), segments(5, 9), segments(0, 24), segments(-3, 25)), (0, 1, 1, 3));
        assert_eq!((segments(0, 768), segments(-769, 800)), (1, 4));
    }
}
