//! Finding runs by their text.
//!
//! ```text
//!  walk         check the text of each run, in the order of the list, until enough match
//!  word index   read the runs of the rarest text clause from the word index, check the rest of the filter
//! ```
//!
//! A walk finds common words at once, however they are combined with tags or sorted, but is long for a rare one. The word
//! index is the opposite: the runs of a rare word are few, but those of a common beginning are collected from all its words
//! before the first is known. So each scan begins as a walk, in batches. A batch is also a sample: it shows how often each
//! clause matches. If a page takes too long at this rate, and one of the clauses is rare, the scan goes on in the word index.

use std::collections::HashMap;

use domain::SortColumn;
use sqlx::Row;
use sqlx::any::AnyRow;

use super::QueryPlan;
use super::page::PageOrder;
use super::scan_index::ScanIndex;
use super::select::ScanRange;
use super::sorted::{Source, measure_of};
use crate::store::runs::RunCursor;
use crate::store::sql::{Arg, Args, fetch, rows};
use crate::store::{Engine, Result, Store};

/// A walk goes on if at least one in this many runs matches: a page then takes some milliseconds.
const MAX_RUNS_PER_MATCH: u32 = 40;
/// The word index is used for a clause that at most one in this many runs has the words of.
const MIN_RUNS_PER_INDEXED: u32 = 20;
/// The newest runs may differ from all others, so more than the first batch shows how rare a clause is.
const MIN_SCANNED_RUNS: u32 = 500;
const FIRST_BATCH: u32 = 100;
/// Some kilobytes are read for each entry.
const LONGEST_BATCH: u32 = 1_000;

/// A scan that can be continued.
#[derive(Clone, Debug)]
pub(super) struct TextScan {
    /// List keys of matching runs, in order.
    pub found: Vec<i64>,
    /// There are no further runs.
    pub ended: bool,
    /// Index entries read so far.
    pub scanned: u32,
    /// The place to continue from.
    order: PageOrder,
    source: Source,
    counts: ScanCounts,
}

/// Counts of the runs that a walk has read.
#[derive(Clone, Debug, Default)]
struct ScanCounts {
    runs: u32,
    /// For each text clause, the runs that the word index would find.
    indexed: Vec<u32>,
}

/// An entry of a scanned index.
pub(super) struct Entry {
    pub list_key: i64,
    pub number: Option<i64>,
    /// The conditions on tags and columns match.
    passes: bool,
    /// The searched text, if it has to be checked.
    body: Option<Vec<u8>>,
}

impl TextScan {
    pub async fn new(plan: &QueryPlan, store: &Store, order: PageOrder) -> Result<Self> {
        let source = match measure_of(order.sort.column) {
            Some(_) => plan.sorted_source(store).await?,
            None => Source::Index(plan.scan_index),
        };
        let counts = ScanCounts { indexed: vec![0; plan.texts.len()], ..ScanCounts::default() };
        Ok(Self { found: Vec::new(), ended: false, scanned: 0, order, source, counts })
    }

    /// Where the next scan continues.
    pub fn cursor(&self) -> Option<RunCursor> {
        self.order.cursor
    }

    /// The index that the scan reads, if all its entries match.
    pub fn exact_index(&self, plan: &QueryPlan) -> Option<ScanIndex> {
        match self.source {
            Source::Index(index) if !plan.checks_entries(self.source) => Some(index),
            _ => None,
        }
    }

    /// Scans until `wanted` runs are found, or the index ends, or `max_entries` were read.
    pub async fn advance(&mut self, plan: &QueryPlan, store: &Store, wanted: u32, max_entries: u32) -> Result<()> {
        let end = self.scanned.saturating_add(max_entries);
        while !self.ended && self.found.len() < wanted as usize && self.scanned < end {
            let missing = wanted - u32::try_from(self.found.len()).unwrap_or(wanted);
            let limit = self.batch(plan, missing).min(end - self.scanned);
            let entries = plan.entries(store, self.source, self.order, limit).await?;
            self.ended = entries.len() < limit as usize;
            self.scanned += u32::try_from(entries.len()).unwrap_or(u32::MAX);
            if let Some(last) = entries.last() {
                self.order = PageOrder { cursor: Some(last.cursor(self.order)), includes_cursor: false, ..self.order };
            }
            self.check(plan, store, &entries).await?;
            self.choose_source(plan);
        }
        Ok(())
    }

    /// The number of entries to read next, if `missing` runs are still to be found.
    fn batch(&self, plan: &QueryPlan, missing: u32) -> u32 {
        if !plan.checks_entries(self.source) {
            return missing;
        }
        let matches = u32::try_from(self.found.len()).unwrap_or(u32::MAX);
        let expected = match self.scanned.saturating_mul(missing).checked_div(matches) {
            Some(entries) => entries + entries / 4,
            None => self.scanned.saturating_mul(4),
        };
        expected.clamp(FIRST_BATCH, LONGEST_BATCH)
    }

    async fn check(&mut self, plan: &QueryPlan, store: &Store, entries: &[Entry]) -> Result<()> {
        let bodies = || entries.iter().filter_map(|entry| entry.body.as_deref()).filter(|body| !body.is_empty());
        if let Some(body) = bodies().find(|body| store.packer.missing_dictionary(body).is_some()) {
            let mut connection = store.reader.acquire().await?;
            store.load_dictionary_of(&mut connection, body).await?;
        }
        let mut unpacker = store.packer.unpacker();
        for entry in entries {
            let matches = match entry.body.as_deref() {
                None => true,
                // Not indexed yet.
                Some([]) => self.counts.count(plan, ""),
                Some(body) => {
                    let stored = unpacker.read(body).map_err(sqlx::Error::Io)?;
                    self.counts.count(plan, &plan.common.expand(stored))
                }
            };
            if matches && entry.passes {
                self.found.push(entry.list_key);
            }
        }
        Ok(())
    }

    /// Goes on in the word index if that is quicker.
    fn choose_source(&mut self, plan: &QueryPlan) {
        let counts = &self.counts;
        let matches = u32::try_from(self.found.len()).unwrap_or(u32::MAX);
        let is_walk = !matches!(self.source, Source::Index(ScanIndex::Words(_)));
        let is_quick = matches.saturating_mul(MAX_RUNS_PER_MATCH) >= self.scanned || plan.is_short(self.source);
        if !is_walk || is_quick || counts.runs < MIN_SCANNED_RUNS {
            return;
        }
        let indexed = plan.texts.iter().zip(&counts.indexed).enumerate().filter(|(_, (clause, _))| clause.is_indexed());
        let rarest = indexed.min_by_key(|(_, (_, runs))| **runs);
        if let Some((position, (_, runs))) = rarest
            && runs.saturating_mul(MIN_RUNS_PER_INDEXED) <= counts.runs
        {
            self.source = Source::Index(ScanIndex::Words(position));
        }
    }
}

impl ScanCounts {
    /// Counts a run. Returns true if its text matches.
    fn count(&mut self, plan: &QueryPlan, text: &str) -> bool {
        let matches = plan.texts.iter().all(|clause| clause.matches(text));
        self.runs += 1;
        for (clause, runs) in plan.texts.iter().zip(&mut self.indexed) {
            *runs += u32::from(clause.is_in_index(text));
        }
        matches
    }
}

impl Entry {
    fn cursor(&self, order: PageOrder) -> RunCursor {
        match (order.sort.column, self.number) {
            (SortColumn::Created, _) => RunCursor::Created(self.list_key),
            (_, Some(number)) => RunCursor::Number(number, self.list_key),
            (_, None) => RunCursor::WithoutNumber(self.list_key),
        }
    }

    pub fn read(row: &AnyRow) -> Result<Self> {
        let number = row.try_get("number")?;
        let passes = row.try_get::<i64, _>("passes")? != 0;
        Ok(Self { list_key: row.try_get("n")?, number, passes, body: row.try_get("body")? })
    }
}

impl QueryPlan {
    /// The next entries of a source, in order.
    async fn entries(&self, store: &Store, source: Source, order: PageOrder, limit: u32) -> Result<Vec<Entry>> {
        match (source, measure_of(order.sort.column)) {
            (_, Some(measure)) => self.sorted_entries(store, measure, order, source, limit).await,
            (Source::Index(index), None) => self.entries_in_list_order(store, index, order, limit).await,
            (Source::Number, None) => Ok(Vec::new()),
        }
    }

    async fn entries_in_list_order(
        &self,
        store: &Store,
        index: ScanIndex,
        order: PageOrder,
        limit: u32,
    ) -> Result<Vec<Entry>> {
        let range = ScanRange {
            cursor: order.cursor.map(RunCursor::list_key),
            includes_cursor: order.includes_cursor,
            newest_first: !order.sort.ascending,
            ..ScanRange::ALL
        };
        let mut args = Args::default();
        let mut from = self.first_entries_clause(&mut args, index, range, limit);
        if !self.columns.is_empty() {
            let (run, workspace) = (self.run_in_list_index("q"), args.bind(self.workspace.0));
            from.push_str(&format!(" LEFT JOIN {run} ON q.workspace_id = {workspace} AND q.n = t.n"));
        }
        let conditions = self.lookups(&mut args, Some(index), "t.n", "q");
        let passes = match conditions.is_empty() {
            true => "1".to_owned(),
            false => format!("CASE WHEN {} THEN 1 ELSE 0 END", conditions.join(" AND ")),
        };
        let (passes, body) = (format!("CAST({passes} AS BIGINT)"), self.body(Source::Index(index), "t.n"));
        let sql =
            format!("SELECT t.n AS n, CAST(NULL AS BIGINT) AS number, {passes} AS passes, {body} AS body FROM {from}");
        let rows = fetch(&store.reader, sql, args.into_vec()).await?;
        let mut entries = rows.iter().map(Entry::read).collect::<Result<Vec<_>>>()?;
        entries.sort_by_key(|entry| entry.list_key);
        if range.newest_first {
            entries.reverse();
        }
        Ok(entries)
    }

    /// The SQL for the searched text of a run, or for none if the text of each entry matches.
    pub(super) fn body(&self, source: Source, list_key: &str) -> String {
        let (kind, empty) = match self.engine {
            Engine::Sqlite => ("BLOB", "X''"),
            Engine::Postgres => ("BYTEA", "''"),
        };
        match self.checks_text(source) {
            true => format!("COALESCE((SELECT x.body FROM searched_text x WHERE x.n = {list_key}), {empty})"),
            false => format!("CAST(NULL AS {kind})"),
        }
    }

    fn checks_text(&self, source: Source) -> bool {
        match (source, self.texts.as_slice()) {
            (Source::Index(ScanIndex::Words(_)), [only]) => !only.is_exact_in_index(),
            _ => true,
        }
    }

    /// Returns false if every entry matches.
    fn checks_entries(&self, source: Source) -> bool {
        self.checks_text(source) || !self.tags.is_empty() || !self.columns.is_empty()
    }

    /// Returns true if one batch reads all entries of a source.
    fn is_short(&self, source: Source) -> bool {
        match source {
            Source::Index(ScanIndex::Tag(position)) => self.tags[position].runs <= i64::from(LONGEST_BATCH),
            _ => self.list_keys.is_some(),
        }
    }

    /// Columns of `r`, with `r.n` among them, for runs of the workspace, in the order of the list keys.
    pub(super) async fn rows_of(
        &self,
        store: &Store,
        run: &str,
        columns: &str,
        list_keys: &[i64],
    ) -> Result<Vec<AnyRow>> {
        if list_keys.is_empty() {
            return Ok(Vec::new());
        }
        let workspace = match self.engine {
            Engine::Sqlite => "?".to_owned(),
            Engine::Postgres => format!("${}", list_keys.len() + 1),
        };
        let sql = format!(
            "SELECT {columns} FROM {run} WHERE r.n IN ({}) AND r.workspace_id = {workspace}",
            rows(self.engine, list_keys.len(), "?")
        );
        let args = list_keys.iter().copied().chain([self.workspace.0]).map(Arg::from);
        let found = fetch(&store.reader, sql, args.collect()).await?;
        let mut by_list_key =
            found.into_iter().map(|row| Ok((row.try_get("n")?, row))).collect::<Result<HashMap<i64, AnyRow>>>()?;
        Ok(list_keys.iter().filter_map(|list_key| by_list_key.remove(list_key)).collect())
    }
}

#[cfg(test)]
mod tests {
    use domain::RunSort;
    use protocol::Query;

    use super::*;
    use crate::seed::Seeder;
    use crate::store::{RunUpdate, WorkspaceId};

    const UNTIL_MS: i64 = 1_790_000_000_000;
    const RUNS: u64 = 600;

    async fn store_with_runs(dir: &tempfile::TempDir) -> anyhow::Result<(Store, WorkspaceId)> {
        let store = Store::open(&format!("sqlite:{}", dir.path().join("x.db").display())).await?;
        let workspace = store.workspace_from_slug("demo").await?;
        let seeder = Seeder::new(1, RUNS, UNTIL_MS, store.packer().clone());
        let runs = (0..RUNS).map(|index| Ok(seeder.run(index)?.0)).collect::<anyhow::Result<Vec<_>>>()?;
        store.upsert_runs(workspace, &runs).await?;
        // The same words in another workspace are not found.
        let other = store.workspace_from_slug("other").await?;
        store.upsert_runs(other, &runs[..50]).await?;
        Ok((store, workspace))
    }

    async fn plan(store: &Store, workspace: WorkspaceId, text: &str) -> anyhow::Result<QueryPlan> {
        let query = Query::parse(text).map_err(|error| anyhow::anyhow!("{error}"))?;
        Ok(store.plan(workspace, &query, UNTIL_MS).await?)
    }

    fn order(sort: &str) -> PageOrder {
        let sort = sort.parse::<RunSort>().unwrap_or_default();
        PageOrder { sort, cursor: None, includes_cursor: false, backwards: false }
    }

    #[tokio::test]
    async fn a_walk_and_the_word_index_find_the_same_runs() -> anyhow::Result<()> {
        let dir = tempfile::tempdir()?;
        let (store, workspace) = store_with_runs(&dir).await?;
        for (text, clause) in [
            ("i", 0),
            ("in", 0),
            ("invo", 0),
            ("a1", 0),
            ("zzzz", 0),
            ("\"order invoice\"", 0),
            ("\"order invoice\" refu", 1),
            ("text:heliot,\"late invoice\"", 0),
            ("invo -refund env:prod", 0),
            ("desk duration:>30s", 0),
        ] {
            let plan = plan(&store, workspace, text).await?;
            for sort in ["-created", "created", "-tokens", "duration"] {
                let mut walk = TextScan::new(&plan, &store, order(sort)).await?;
                let mut index = walk.clone();
                index.source = Source::Index(ScanIndex::Words(clause));
                // As if all clauses were common.
                walk.counts.indexed.fill(u32::MAX / 2);
                for scan in [&mut walk, &mut index] {
                    scan.advance(&plan, &store, 1_000, 10_000).await?;
                    assert!(scan.ended, "{text} {sort}");
                }
                assert!(!matches!(walk.source, Source::Index(ScanIndex::Words(_))), "{text} {sort}");
                assert!(walk.found.is_empty() == (text == "zzzz"), "{text} {sort}");
                assert_eq!(walk.found, index.found, "{text} {sort}");
            }
        }
        Ok(())
    }

    #[tokio::test]
    async fn a_common_word_that_the_newest_runs_lack_is_found_by_a_walk() -> anyhow::Result<()> {
        let dir = tempfile::tempdir()?;
        let (store, workspace) = store_with_runs(&dir).await?;
        let seeder = Seeder::new(2, 150, UNTIL_MS + 86_400_000, store.packer().clone());
        let newer = (0..150).map(|index| Ok(RunUpdate { log: None, spec: None, ..seeder.run(index)?.0 }));
        store.upsert_runs(workspace, &newer.collect::<anyhow::Result<Vec<_>>>()?).await?;
        // The times in tool results.
        let plan = plan(&store, workspace, "00z").await?;
        let mut scan = TextScan::new(&plan, &store, order("-created")).await?;
        scan.advance(&plan, &store, 50, FIRST_BATCH).await?;
        assert!(scan.found.is_empty());
        scan.advance(&plan, &store, 50, 10_000).await?;
        assert!(scan.found.len() >= 50 && !matches!(scan.source, Source::Index(ScanIndex::Words(_))));
        Ok(())
    }

    #[tokio::test]
    async fn rare_words_are_found_in_the_index_and_common_ones_by_a_walk() -> anyhow::Result<()> {
        let dir = tempfile::tempdir()?;
        let (store, workspace) = store_with_runs(&dir).await?;
        let oldest = store.list_runs(&plan(&store, workspace, "").await?, order("created").sort, None, 1).await?.runs;
        let rare = format!("\"{}\"", oldest[0].metadata["order"]);
        for (text, clause) in [
            ("invo".to_owned(), None),
            ("invo env:prod".to_owned(), None),
            ("-invo".to_owned(), None),
            (rare.clone(), Some(0)),
            (format!("invo {rare}"), Some(1)),
            (format!("-zzzz {rare}"), Some(1)),
        ] {
            let plan = plan(&store, workspace, &text).await?;
            for sort in ["-created", "-tokens"] {
                let mut scan = TextScan::new(&plan, &store, order(sort)).await?;
                scan.advance(&plan, &store, 50, 10_000).await?;
                let used = match scan.source {
                    Source::Index(ScanIndex::Words(used)) => Some(used),
                    _ => None,
                };
                assert_eq!(used, clause, "{text} {sort}");
            }
        }
        Ok(())
    }
}
