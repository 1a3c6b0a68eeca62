//! Running a plan in the order of a number: duration, tokens or cost.
//!
//! ```text
//!  many runs match:  walk along the number's index, look every condition up, stop at a full page
//!  few runs match:   read all of them, then sort
//! ```
//!
//! Runs without the number come last in both directions, by list key.

use domain::SortColumn;
use protocol::query::Measure;
use sqlx::any::AnyRow;

use super::QueryPlan;
use super::page::PageOrder;
use super::scan_index::ScanIndex;
use super::select::{ScanRange, column_of};
use super::text_scan::Entry;
use crate::store::runs::RunCursor;
use crate::store::sql::{Args, fetch};
use crate::store::{Engine, Result, Store};

/// Runs that are read and sorted rather than found along the index of the number. Of a million runs, 10,000 take about as long
/// either way.
const MAX_SORTED: u32 = 10_000;

/// Returns the number of a column, or `None` if runs are sorted by time.
pub(super) fn measure_of(column: SortColumn) -> Option<Measure> {
    match column {
        SortColumn::Created => None,
        SortColumn::Duration => Some(Measure::Duration),
        SortColumn::Tokens => Some(Measure::Tokens),
        SortColumn::Cost => Some(Measure::Cost),
    }
}

/// What is read for a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// The index of the number that the list is sorted by.
    Number,
    /// An index in list order. For another order all its runs are read and sorted.
    Index(ScanIndex),
}

/// The part of the runs that a statement reads: those with the number, or those without.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    WithNumber,
    WithoutNumber,
}

impl QueryPlan {
    /// Columns of `r` for a page of matching runs, sorted by a number. For plans without texts.
    pub(super) async fn sorted_rows(
        &self,
        store: &Store,
        columns: &str,
        measure: Measure,
        order: PageOrder,
        limit: u32,
    ) -> Result<Vec<AnyRow>> {
        let source = self.sorted_source(store).await?;
        let direction = direction(order);
        // The page is chosen from narrow indexes; only its rows are read from the table.
        let rows_of = |page: &str| {
            format!(
                "SELECT {columns} FROM ({page}) c CROSS JOIN run r WHERE r.n = c.n \
                 ORDER BY c.number {direction}, c.n {direction}"
            )
        };
        self.in_parts(store, measure, order, source, limit, rows_of).await
    }

    /// The next entries of a source in the order of a number, with their texts.
    pub(super) async fn sorted_entries(
        &self,
        store: &Store,
        measure: Measure,
        order: PageOrder,
        source: Source,
        limit: u32,
    ) -> Result<Vec<Entry>> {
        let (body, direction) = (self.body(source, "c.n"), direction(order));
        let entries_of = |page: &str| {
            format!(
                "SELECT c.n AS n, c.number AS number, CAST(1 AS BIGINT) AS passes, {body} AS body FROM ({page}) c \
                 ORDER BY c.number {direction}, c.n {direction}"
            )
        };
        let rows = self.in_parts(store, measure, order, source, limit, entries_of).await?;
        rows.iter().map(Entry::read).collect()
    }

    /// Runs the statement that `of_page` makes of a page, first for the runs with the number and then for those without, as
    /// far as needed.
    async fn in_parts(
        &self,
        store: &Store,
        measure: Measure,
        order: PageOrder,
        source: Source,
        limit: u32,
        of_page: impl Fn(&str) -> String,
    ) -> Result<Vec<AnyRow>> {
        let backwards = order.backwards;
        let parts =
            if backwards { [Part::WithoutNumber, Part::WithNumber] } else { [Part::WithNumber, Part::WithoutNumber] };
        let first = match order.cursor {
            None => 0,
            Some(RunCursor::WithoutNumber(_)) => usize::from(!backwards),
            Some(_) => usize::from(backwards),
        };
        let mut rows = Vec::new();
        for (index, part) in parts.into_iter().enumerate().skip(first) {
            let wanted = limit - u32::try_from(rows.len()).unwrap_or(limit);
            if wanted == 0 {
                break;
            }
            let cursor = order.cursor.filter(|_| index == first);
            let mut args = Args::default();
            let page = self.sorted_page(&mut args, measure, PageOrder { cursor, ..order }, part, source, wanted);
            rows.append(&mut fetch(&store.reader, of_page(&page), args.into_vec()).await?);
        }
        Ok(rows)
    }

    /// Selects list keys as `n`, with the number as `number`.
    fn sorted_page(
        &self,
        args: &mut Args,
        measure: Measure,
        order: PageOrder,
        part: Part,
        source: Source,
        limit: u32,
    ) -> String {
        let number = column_of(measure, "t");
        let direction = direction(order);
        let mut conditions = vec![format!("t.workspace_id = {}", args.bind(self.workspace.0))];
        conditions.push(format!("{number} IS {}NULL", if part == Part::WithNumber { "NOT " } else { "" }));
        if let Some(cursor) = order.cursor {
            let after = match (order.sort.ascending, order.includes_cursor) {
                (true, false) => ">",
                (true, true) => ">=",
                (false, false) => "<",
                (false, true) => "<=",
            };
            let list_key = args.bind(cursor.list_key());
            conditions.push(match cursor {
                RunCursor::Number(at, _) => format!("({number}, t.n) {after} ({}, {list_key})", args.bind(at)),
                _ => format!("t.n {after} {list_key}"),
            });
        }
        let from = match source {
            Source::Index(index) => {
                let matching = self.all_list_keys(args, index);
                conditions.push("t.n = m.n".to_owned());
                format!("({matching}) m CROSS JOIN {}", self.run_in_list_index("t"))
            }
            Source::Number => {
                for (bound, operator) in self.bounds(ScanRange::ALL) {
                    conditions.push(format!("t.n {operator} {}", args.bind(bound)));
                }
                conditions.extend(self.lookups(args, None, "t.n", "t"));
                self.run_in_index_of(measure)
            }
        };
        let order_by = match part {
            Part::WithNumber => format!("{number} {direction}, t.n {direction}"),
            Part::WithoutNumber => format!("t.n {direction}"),
        };
        let (limit, conditions) = (args.bind(i64::from(limit)), conditions.join(" AND "));
        format!("SELECT t.n AS n, {number} AS number FROM {from} WHERE {conditions} ORDER BY {order_by} LIMIT {limit}")
    }

    fn run_in_index_of(&self, measure: Measure) -> String {
        match (self.engine, measure) {
            (Engine::Sqlite, Measure::Duration) => "run t INDEXED BY run_by_duration".to_owned(),
            (Engine::Sqlite, Measure::Tokens) => "run t INDEXED BY run_by_tokens".to_owned(),
            (Engine::Sqlite, Measure::Cost) => "run t INDEXED BY run_by_cost".to_owned(),
            _ => "run t".to_owned(),
        }
    }

    /// The index of the plan if it has so few runs that sorting them is quicker than walking along another index.
    pub(super) async fn sorted_source(&self, store: &Store) -> Result<Source> {
        let is_short = match self.scan_index {
            _ if self.list_keys.is_some() => true,
            ScanIndex::Tag(position) if self.tags[position].runs <= i64::from(MAX_SORTED) => true,
            ScanIndex::List if self.min_list_key.is_none() && self.max_list_key.is_none() => false,
            index => self.count_entries(store, index, MAX_SORTED + 1).await? <= MAX_SORTED,
        };
        Ok(if is_short { Source::Index(self.scan_index) } else { Source::Number })
    }
}

fn direction(order: PageOrder) -> &'static str {
    if order.sort.ascending { "ASC" } else { "DESC" }
}

#[cfg(test)]
mod tests {
    use domain::{RunSort, RunSummary};
    use protocol::Query;
    use protocol::messages::Tokens;
    use sqlx::Row;

    use super::*;
    use crate::seed::Seeder;
    use crate::store::RunUpdate;

    const UNTIL_MS: i64 = 1_790_000_000_000;

    fn number(sort: RunSort, run: &RunSummary) -> Option<u64> {
        match sort.column {
            SortColumn::Created => u64::try_from(run.created_at_ms).ok(),
            SortColumn::Duration => run.duration_ms,
            SortColumn::Tokens => run.tokens.map(|tokens| tokens.input_tokens + tokens.output_tokens),
            SortColumn::Cost => run.cost_micros,
        }
    }

    /// Some runs lack a number, and many have equal ones.
    fn runs(seeder: &Seeder) -> anyhow::Result<Vec<RunUpdate>> {
        let mut runs = (0..300).map(|index| Ok(seeder.run(index)?.0)).collect::<anyhow::Result<Vec<_>>>()?;
        for (run, i) in runs.iter_mut().zip(0_u64..) {
            run.summary.duration_ms = (i % 5 != 0).then_some(1_000 * (i % 7));
            let tokens = Tokens { input_tokens: i % 11, output_tokens: 1, ..Tokens::default() };
            run.summary.tokens = (i % 9 != 0).then_some(tokens);
        }
        Ok(runs)
    }

    #[tokio::test]
    async fn pages_in_every_order_have_all_runs_once() -> anyhow::Result<()> {
        let dir = tempfile::tempdir()?;
        let store = Store::open(&format!("sqlite:{}", dir.path().join("x.db").display())).await?;
        let workspace = store.workspace_from_slug("demo").await?;
        let seeder = Seeder::new(1, 300, UNTIL_MS, store.packer().clone());
        store.upsert_runs(workspace, &runs(&seeder)?).await?;
        for text in
            ["", "env:prod", "duration:>2s", "order", "-forecast", "since:5m before:1m", "env:prod,dev tokens:>5"]
        {
            let query = Query::parse(text).map_err(|error| anyhow::anyhow!("{error}"))?;
            let plan = store.plan(workspace, &query, UNTIL_MS).await?;
            let matching = store.list_runs(&plan, RunSort::default(), None, 1_000).await?.runs;
            assert!(matching.len() > 20, "{text}");
            for sort in RunSort::NAMES.map(|name| name.parse::<RunSort>().unwrap_or_default()) {
                let mut expected: Vec<&RunSummary> = matching.iter().collect();
                // Newest first already; a stable sort keeps that among equals.
                if sort.ascending {
                    expected.reverse();
                }
                expected.sort_by_key(|run| match number(sort, run) {
                    None => (true, 0),
                    Some(number) if sort.ascending => (false, i64::try_from(number).unwrap_or(0)),
                    Some(number) => (false, -i64::try_from(number).unwrap_or(0)),
                });
                let expected: Vec<&str> = expected.iter().map(|run| run.id.as_str()).collect();
                let (mut listed, mut cursor) = (Vec::new(), None);
                let mut cursors = vec![None];
                loop {
                    let page = store.list_runs(&plan, sort, cursor, 17).await?;
                    listed.extend(page.runs.into_iter().map(|run| run.id));
                    let Some(next) = page.next_cursor else { break };
                    cursor = Some(next.parse::<RunCursor>()?);
                    assert!(cursor.is_some_and(|cursor| cursor.belongs_to(sort)), "{text} {sort}");
                    cursors.push(cursor);
                }
                assert_eq!(listed, expected, "{text} {sort}");
                for pair in cursors.windows(2) {
                    let Some(cursor) = pair[1] else { continue };
                    assert_eq!(store.cursor_before(&plan, sort, cursor, 17).await?, pair[0], "{text} {sort}");
                }
                let Some(measure) = measure_of(sort.column) else { continue };
                if !plan.texts.is_empty() {
                    continue;
                }
                for source in [Source::Number, Source::Index(plan.scan_index)] {
                    let order = PageOrder { sort, cursor: None, includes_cursor: false, backwards: false };
                    let entries = plan.sorted_entries(&store, measure, order, source, 30).await?;
                    let list_keys: Vec<i64> = entries.iter().map(|entry| entry.list_key).collect();
                    let rows = plan.rows_of(&store, "run r", "r.n, r.id", &list_keys).await?;
                    let ids = rows.iter().map(|row| row.try_get("id")).collect::<Result<Vec<String>>>()?;
                    assert_eq!(ids, expected[..expected.len().min(30)], "{text} {sort} {source:?}");
                }
            }
        }
        Ok(())
    }
}
