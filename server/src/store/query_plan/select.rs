//! The SQL text of a plan.
//!
//! ```text
//!  SELECT columns FROM ( scan of the index, UNION with one scan per further tag ) JOIN run, in list order
//!                        └ each scan: list key range, then one lookup per condition that is not the scanned index
//! ```

use protocol::query::{Bound, Measure};

use super::scan_index::ScanIndex;
use super::{ColumnTest, QueryPlan};
use crate::store::Engine;
use crate::store::sql::{Arg, Args};

/// The part of an index that a scan reads, and the direction.
#[derive(Clone, Copy)]
pub(super) struct ScanRange {
    /// The list key after which the scan starts, or at which it starts.
    pub cursor: Option<i64>,
    pub includes_cursor: bool,
    pub newest_first: bool,
    /// The number of index entries to read at most.
    pub max_entries: Option<u32>,
}

impl ScanRange {
    /// From the newest run to the oldest.
    pub const ALL: Self = Self { cursor: None, includes_cursor: false, newest_first: true, max_entries: None };

    fn after_cursor(self) -> &'static str {
        match (self.newest_first, self.includes_cursor) {
            (true, false) => "<",
            (true, true) => "<=",
            (false, false) => ">",
            (false, true) => ">=",
        }
    }

    fn order(self) -> &'static str {
        if self.newest_first { "DESC" } else { "ASC" }
    }
}

/// A table to scan as `t`, the SQL for the list key in it, and the conditions that limit the scan.
struct Source {
    from: String,
    list_key: &'static str,
    conditions: Vec<String>,
    is_run_table: bool,
}

impl QueryPlan {
    /// Selects columns of `r` for matching runs, in scan order. `run` is the `FROM` item that provides `r`.
    pub(super) fn select(&self, run: &str, columns: &str, range: ScanRange, limit: u32) -> (String, Vec<Arg>) {
        let mut args = Args::default();
        let limit = args.bind(i64::from(limit));
        let sources = match range.max_entries {
            Some(max_entries) => vec![self.first_entries(&mut args, self.scan_index, range, max_entries)],
            None => self.sources(&mut args, self.scan_index, range),
        };
        let scans: Vec<String> =
            sources.into_iter().map(|source| self.scan(&mut args, source, range.order(), &limit)).collect();
        let scans: Vec<String> = scans.iter().map(|scan| format!("SELECT n FROM ({scan}) b")).collect();
        let workspace = args.bind(self.workspace.0);
        let text = format!(
            "SELECT {columns} FROM ({}) c CROSS JOIN {run} WHERE r.n = c.n AND r.workspace_id = {workspace} \
             ORDER BY c.n {} LIMIT {limit}",
            scans.join(" UNION "),
            range.order()
        );
        (text, args.into_vec())
    }

    /// `FROM (…) t` with the first `max_entries` list keys of an index as `n`, without the other conditions.
    pub(super) fn first_entries_clause(
        &self,
        args: &mut Args,
        index: ScanIndex,
        range: ScanRange,
        max_entries: u32,
    ) -> String {
        self.first_entries(args, index, range, max_entries).from
    }

    /// The `FROM` item for runs in the narrow index of the list. SQLite would otherwise read the wide table.
    pub(super) fn run_in_list_index(&self, alias: &str) -> String {
        match self.engine {
            Engine::Sqlite => format!("run {alias} INDEXED BY run_list"),
            Engine::Postgres => format!("run {alias}"),
        }
    }

    /// One scan in list order, with all conditions that are not the scanned index.
    fn scan(&self, args: &mut Args, source: Source, order: &str, limit: &str) -> String {
        let (from, list_key, conditions) = self.with_conditions(args, self.scan_index, source);
        format!("SELECT {list_key} AS n FROM {from} WHERE {conditions} ORDER BY {list_key} {order} LIMIT {limit}")
    }

    /// The list keys of an index that match all conditions but those on texts, in no order.
    pub(super) fn all_list_keys(&self, args: &mut Args, index: ScanIndex) -> String {
        let scans: Vec<String> = self
            .sources(args, index, ScanRange::ALL)
            .into_iter()
            .map(|source| {
                let (from, list_key, conditions) = self.with_conditions(args, index, source);
                format!("SELECT {list_key} AS n FROM {from} WHERE {conditions}")
            })
            .collect();
        scans.join(" UNION ")
    }

    /// The `FROM` items of a source, its list key, and the source's conditions with those that are not the scanned index.
    fn with_conditions(&self, args: &mut Args, index: ScanIndex, source: Source) -> (String, &'static str, String) {
        let Source { mut from, list_key, mut conditions, is_run_table } = source;
        let alias = if is_run_table { "t" } else { "q" };
        if !self.columns.is_empty() && !is_run_table {
            from.push_str(&format!(" CROSS JOIN {}", self.run_in_list_index("q")));
            conditions.push(format!("q.workspace_id = {} AND q.n = {list_key}", args.bind(self.workspace.0)));
        }
        conditions.extend(self.lookups(args, Some(index), list_key, alias));
        (from, list_key, conditions.join(" AND "))
    }

    /// One condition for each part of the query that is neither the scanned index nor a text. `run` is a table with the
    /// columns of runs.
    pub(super) fn lookups(
        &self,
        args: &mut Args,
        scanned: Option<ScanIndex>,
        list_key: &str,
        run: &str,
    ) -> Vec<String> {
        let mut conditions = Vec::new();
        for (index, condition) in self.tags.iter().enumerate() {
            if scanned != Some(ScanIndex::Tag(index)) {
                let ids: Vec<String> = condition.tag_ids.iter().map(|id| args.bind(*id)).collect();
                let not = if condition.negated { "NOT " } else { "" };
                let no_join = self.no_join();
                conditions.push(format!(
                    "{not}EXISTS (SELECT 1 FROM run_tag x WHERE x.tag_id IN ({}) AND x.n = {list_key}{no_join})",
                    ids.join(", ")
                ));
            }
        }
        for condition in &self.columns {
            let tests: Vec<String> = condition.tests.iter().map(|test| test.sql(args, run)).collect();
            // A column that is not known yet, like the duration of a running run, is NULL: no comparison matches.
            let is = if condition.negated { "IS NOT TRUE" } else { "IS TRUE" };
            conditions.push(format!("({}) {is}", tests.join(" OR ")));
        }
        conditions
    }

    /// The sources of an index: one table, or one per tag.
    fn sources(&self, args: &mut Args, index: ScanIndex, range: ScanRange) -> Vec<Source> {
        match index {
            ScanIndex::Tag(position) => {
                self.tags[position].tag_ids.iter().map(|id| self.source(args, index, Some(*id), range)).collect()
            }
            _ => vec![self.source(args, index, None, range)],
        }
    }

    fn source(&self, args: &mut Args, index: ScanIndex, tag_id: Option<i64>, range: ScanRange) -> Source {
        let mut conditions = Vec::new();
        let (table, list_key) = match (index, self.engine) {
            (ScanIndex::Tag(_), _) => {
                conditions.push(format!("t.tag_id = {}", args.bind(tag_id.unwrap_or_default())));
                ("run_tag", "t.n")
            }
            (ScanIndex::Words(position), Engine::Sqlite) => {
                let words = self.texts[position].expression(self.engine, self.workspace);
                conditions.push(format!("run_word MATCH {}", args.bind(words)));
                ("run_word", "t.rowid")
            }
            (ScanIndex::Words(position), Engine::Postgres) => {
                let words = self.texts[position].expression(self.engine, self.workspace);
                conditions.push(format!("t.workspace_id = {}", args.bind(self.workspace.0)));
                conditions.push(format!("t.words @@ CAST({} AS tsquery)", args.bind(words)));
                // No index has the order of an expression, so PostgreSQL starts with the index of the words.
                ("run_text", "(t.n + 0)")
            }
            (ScanIndex::List, _) => {
                conditions.push(format!("t.workspace_id = {}", args.bind(self.workspace.0)));
                ("run", "t.n")
            }
        };
        for (bound, operator) in self.bounds(range) {
            conditions.push(format!("{list_key} {operator} {}", args.bind(bound)));
        }
        if let Some(list_keys) = &self.list_keys {
            let list_keys: Vec<String> = list_keys.iter().map(|list_key| args.bind(*list_key)).collect();
            conditions.push(format!("{list_key} IN ({})", list_keys.join(", ")));
        }
        Source { from: format!("{table} t"), list_key, conditions, is_run_table: index == ScanIndex::List }
    }

    fn first_entries(&self, args: &mut Args, index: ScanIndex, range: ScanRange, max_entries: u32) -> Source {
        let (limit, order) = (args.bind(i64::from(max_entries)), range.order());
        let first = |Source { from, list_key, conditions, .. }: Source| {
            let conditions = conditions.join(" AND ");
            format!(
                "SELECT n FROM (SELECT {list_key} AS n FROM {from} WHERE {conditions} \
                 ORDER BY {list_key} {order} LIMIT {limit}) b"
            )
        };
        let all: Vec<String> = self.sources(args, index, range).into_iter().map(first).collect();
        let from = format!("(SELECT n FROM ({}) u ORDER BY n {order} LIMIT {limit}) t", all.join(" UNION "));
        Source { from, list_key: "t.n", conditions: Vec::new(), is_run_table: false }
    }

    /// The bounds of the list key, each with its operator.
    pub(super) fn bounds(&self, range: ScanRange) -> impl Iterator<Item = (i64, &'static str)> {
        let all = [(self.min_list_key, ">="), (self.max_list_key, "<"), (range.cursor, range.after_cursor())];
        all.into_iter().filter_map(|(bound, operator)| Some((bound?, operator)))
    }

    /// Keeps a subquery a lookup per run. PostgreSQL would turn it into a join, which reads all runs of a tag before it
    /// returns the first.
    fn no_join(&self) -> &'static str {
        match self.engine {
            Engine::Sqlite => "",
            Engine::Postgres => " OFFSET 0",
        }
    }
}

/// The SQL for a number of a run, as the indexes have it.
pub(super) fn column_of(measure: Measure, run: &str) -> String {
    match measure {
        Measure::Duration => format!("{run}.duration_ms"),
        Measure::Tokens => format!("({run}.input_tokens + {run}.output_tokens)"),
        Measure::Cost => format!("{run}.cost_micros"),
        Measure::Turns => format!("{run}.turns"),
        Measure::Calls => format!("{run}.tool_calls"),
        Measure::Waited => format!("{run}.waited_ms"),
    }
}

impl ColumnTest {
    fn sql(&self, args: &mut Args, run: &str) -> String {
        match self {
            Self::Id(id) => format!("{run}.id = {}", args.bind(id.clone())),
            Self::Compare(comparison) => {
                let column = column_of(comparison.measure, run);
                let mut bind = |number: u64| args.bind(i64::try_from(number).unwrap_or(i64::MAX));
                match comparison.bound {
                    Bound::Above(number) => format!("{column} > {}", bind(number)),
                    Bound::AtLeast(number) => format!("{column} >= {}", bind(number)),
                    Bound::Below(number) => format!("{column} < {}", bind(number)),
                    Bound::AtMost(number) => format!("{column} <= {}", bind(number)),
                    Bound::Exactly(number) => format!("{column} = {}", bind(number)),
                    Bound::Between(from, to) => format!("{column} BETWEEN {} AND {}", bind(from), bind(to)),
                }
            }
        }
    }
}
