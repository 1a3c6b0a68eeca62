//! The SQL text of a plan.
//!
//! ```text
//!  SELECT columns FROM ( scan of the index, UNION with one scan per further tag ) JOIN run, in list order
//!                        └ each scan: list key range, then one lookup per condition that is not the scanned index
//! ```

use protocol::query::{Bound, Measure};

use super::scan_index::ScanIndex;
use super::{ColumnTest, QueryPlan};
use crate::store::runs::RunCursor;
use crate::store::sql::{Arg, Args};
use crate::store::{Engine, text};

/// The part of an index that a scan reads, and the direction.
#[derive(Clone, Copy)]
pub(super) struct ScanRange {
    /// The position after which the scan starts.
    pub cursor: Option<RunCursor>,
    pub newest_first: bool,
    /// The number of index entries to read at most.
    pub max_entries: Option<u32>,
    /// The last list key to read.
    pub last: Option<i64>,
}

impl ScanRange {
    /// From the newest run to the oldest.
    pub const ALL: Self = Self { cursor: None, newest_first: true, max_entries: None, last: None };

    fn after_cursor(self) -> &'static str {
        if self.newest_first { "<" } else { ">=" }
    }

    fn up_to_last(self) -> &'static str {
        if self.newest_first { ">=" } else { "<=" }
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
            Some(max_entries) => vec![self.first_entries(&mut args, range, max_entries)],
            None => self.sources(&mut args, range),
        };
        let scans: Vec<String> =
            sources.into_iter().map(|source| self.scan(&mut args, source, range, &limit)).collect();
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

    /// `FROM (…)` with the first `max_entries` list keys of the scanned index as `n`, without the other conditions.
    pub(super) fn first_entries_clause(&self, args: &mut Args, range: ScanRange, max_entries: u32) -> String {
        self.first_entries(args, range, max_entries).from
    }

    /// The `FROM` item for runs in the narrow index of the list. SQLite would otherwise read the wide table.
    pub(super) fn run_in_list_index(&self, alias: &str) -> String {
        match self.engine {
            Engine::Sqlite => format!("run {alias} INDEXED BY run_list"),
            Engine::Postgres => format!("run {alias}"),
        }
    }

    /// One scan in list order, with all conditions that are not the scanned index.
    fn scan(&self, args: &mut Args, source: Source, range: ScanRange, limit: &str) -> String {
        let Source { mut from, list_key, mut conditions, is_run_table } = source;
        for (index, condition) in self.tags.iter().enumerate() {
            if self.scan_index != ScanIndex::Tag(index) {
                let ids: Vec<String> = condition.tag_ids.iter().map(|id| args.bind(*id)).collect();
                let not = if condition.negated { "NOT " } else { "" };
                let no_join = self.no_join();
                conditions.push(format!(
                    "{not}EXISTS (SELECT 1 FROM run_tag x WHERE x.tag_id IN ({}) AND x.n = {list_key}{no_join})",
                    ids.join(", ")
                ));
            }
        }
        if let Some(text) = self.text.as_ref().filter(|_| !self.scan_index.is_text()) {
            conditions.push(self.text_lookup(args, text, list_key));
        }
        for text in &self.excluded_texts {
            let excluded = self.text_exclusion(args, text, list_key, range);
            conditions.push(excluded);
        }
        if !self.columns.is_empty() {
            let alias = if is_run_table { "t" } else { "q" };
            if !is_run_table {
                from.push_str(&format!(" CROSS JOIN {}", self.run_in_list_index("q")));
                conditions.push(format!("q.workspace_id = {} AND q.n = {list_key}", args.bind(self.workspace.0)));
            }
            for condition in &self.columns {
                let tests: Vec<String> = condition.tests.iter().map(|test| test.sql(args, alias)).collect();
                // A column that is not known yet, like the duration of a running run, is NULL: no comparison matches.
                let is = if condition.negated { "IS NOT TRUE" } else { "IS TRUE" };
                conditions.push(format!("({}) {is}", tests.join(" OR ")));
            }
        }
        let (conditions, order) = (conditions.join(" AND "), range.order());
        format!("SELECT {list_key} AS n FROM {from} WHERE {conditions} ORDER BY {list_key} {order} LIMIT {limit}")
    }

    /// The sources of the scanned index: one table, or one per tag.
    fn sources(&self, args: &mut Args, range: ScanRange) -> Vec<Source> {
        match self.scan_index {
            ScanIndex::Tag(index) => {
                self.tags[index].tag_ids.iter().map(|id| self.source(args, Some(*id), range)).collect()
            }
            _ => vec![self.source(args, None, range)],
        }
    }

    fn source(&self, args: &mut Args, tag_id: Option<i64>, range: ScanRange) -> Source {
        let mut conditions = Vec::new();
        let (from, list_key) = match (self.scan_index, self.engine) {
            (ScanIndex::Tag(_), _) => {
                conditions.push(format!("t.tag_id = {}", args.bind(tag_id.unwrap_or_default())));
                ("run_tag t", "t.n")
            }
            (ScanIndex::Text | ScanIndex::SortedText, Engine::Sqlite) => {
                let text = text::within(self.workspace, self.text.as_deref().unwrap_or_default());
                conditions.push(format!("run_text MATCH {}", args.bind(text)));
                ("run_text t", "t.rowid")
            }
            (ScanIndex::Text | ScanIndex::SortedText, Engine::Postgres) => {
                let text = self.text.clone().unwrap_or_default();
                conditions.push(format!("t.workspace_id = {}", args.bind(self.workspace.0)));
                conditions.push(format!("t.words @@ CAST({} AS tsquery)", args.bind(text)));
                // No index has the order of an expression, so PostgreSQL starts with the text index.
                ("run_text t", if self.scan_index == ScanIndex::Text { "t.n" } else { "(t.n + 0)" })
            }
            (ScanIndex::List, _) => {
                conditions.push(format!("t.workspace_id = {}", args.bind(self.workspace.0)));
                ("run t", "t.n")
            }
        };
        for (bound, operator) in self.bounds(range) {
            conditions.push(format!("{list_key} {operator} {}", args.bind(bound)));
        }
        if let Some(list_keys) = &self.list_keys {
            let list_keys: Vec<String> = list_keys.iter().map(|list_key| args.bind(*list_key)).collect();
            conditions.push(format!("{list_key} IN ({})", list_keys.join(", ")));
        }
        Source { from: from.to_owned(), list_key, conditions, is_run_table: self.scan_index == ScanIndex::List }
    }

    fn first_entries(&self, args: &mut Args, range: ScanRange, max_entries: u32) -> Source {
        let (limit, order) = (args.bind(i64::from(max_entries)), range.order());
        let first = |Source { from, list_key, conditions, .. }: Source| {
            let conditions = conditions.join(" AND ");
            format!(
                "SELECT n FROM (SELECT {list_key} AS n FROM {from} WHERE {conditions} \
                 ORDER BY {list_key} {order} LIMIT {limit}) b"
            )
        };
        let all: Vec<String> = self.sources(args, range).into_iter().map(first).collect();
        let from = format!("(SELECT n FROM ({}) u ORDER BY n {order} LIMIT {limit}) t", all.join(" UNION "));
        Source { from, list_key: "t.n", conditions: Vec::new(), is_run_table: false }
    }

    /// The bounds of the list key, each with its operator.
    fn bounds(&self, range: ScanRange) -> impl Iterator<Item = (i64, &'static str)> {
        let all = [
            (self.min_list_key, ">="),
            (self.max_list_key, "<"),
            (range.cursor.map(|cursor| cursor.0), range.after_cursor()),
            (range.last, range.up_to_last()),
        ];
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

    /// Tests the text of one run, which must be one of the workspace.
    fn text_lookup(&self, args: &mut Args, text: &str, list_key: &str) -> String {
        let text = args.bind(text.to_owned());
        match self.engine {
            Engine::Sqlite => {
                format!("EXISTS (SELECT 1 FROM run_text x WHERE x.run_text MATCH {text} AND x.rowid = {list_key})")
            }
            Engine::Postgres => {
                let no_join = self.no_join();
                format!(
                    "EXISTS (SELECT 1 FROM run_text x WHERE x.n = {list_key} \
                     AND x.words @@ CAST({text} AS tsquery){no_join})"
                )
            }
        }
    }

    /// Tests that a run does not match a text. SQLite is slow to look up one run, so it reads all matches in the range.
    fn text_exclusion(&self, args: &mut Args, text: &str, list_key: &str, range: ScanRange) -> String {
        if self.engine == Engine::Postgres || range.last.is_none() {
            return format!("NOT {}", self.text_lookup(args, text, list_key));
        }
        let text = args.bind(text::within(self.workspace, text));
        let bounds: String = self
            .bounds(range)
            .map(|(bound, operator)| format!(" AND x.rowid {operator} {}", args.bind(bound)))
            .collect();
        format!("{list_key} NOT IN (SELECT x.rowid FROM run_text x WHERE x.run_text MATCH {text}{bounds})")
    }
}

impl ColumnTest {
    fn sql(&self, args: &mut Args, run: &str) -> String {
        match self {
            Self::Id(id) => format!("{run}.id = {}", args.bind(id.clone())),
            Self::Compare(comparison) => {
                let column = match comparison.measure {
                    Measure::Duration => format!("{run}.duration_ms"),
                    Measure::Tokens => format!("({run}.input_tokens + {run}.output_tokens)"),
                    Measure::Cost => format!("{run}.cost_micros"),
                    Measure::Turns => format!("{run}.turns"),
                    Measure::Calls => format!("{run}.tool_calls"),
                };
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
