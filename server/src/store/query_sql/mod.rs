//! From a filter to SQL. Values are always bound; only column names and placeholders are written into the text.
//!
//! ```text
//!  clauses ──resolve──▶ tags with their counts, words, bounds ──▶ one of them drives:  walk ──probe──probe──▶ page
//! ```
//!
//! Every walk is in list order, so that nothing is sorted and a page ends the walk. The rarest tag drives, or the words
//! where they are rarer; the other conditions are looked up for each run on the way. A word that is to be missing can make
//! the way long and each look dear: such a walk goes by stretches, and only so far (`bounded.rs`).

mod bounded;
mod driver;
mod newest;

pub(super) use bounded::Walked;
pub(super) use newest::Reading;
use protocol::Query;
use protocol::query::{Bound, Clause, Comparison, Field, Has, Is, Measure, Term};

use driver::Driver;

use super::runs::RunCursor;
use super::sql::Arg;
use super::tags::{Counted, Tag};
use super::text;
use super::{Engine, Result, Store, WorkspaceId, number};

/// A filter whose tags are looked up and whose driver is chosen.
pub(super) struct Resolved {
    engine: Engine,
    workspace: WorkspaceId,
    tags: Vec<TagCondition>,
    /// What a run's words must match.
    words: Option<String>,
    without_words: Vec<String>,
    columns: Vec<(Clause, Vec<ColumnTest>)>,
    /// The runs that were asked for by id.
    numbers: Option<Vec<i64>>,
    /// From this number on, and below that one.
    from: Option<i64>,
    below: Option<i64>,
    driver: Driver,
}

struct TagCondition {
    negated: bool,
    ids: Vec<i64>,
    runs: i64,
}

enum ColumnTest {
    Id(String),
    Compare(Comparison),
}

/// Where a walk begins, which way it goes, and how far.
#[derive(Clone, Copy)]
struct Start {
    cursor: Option<RunCursor>,
    downwards: bool,
    /// How many runs of the driver are looked at.
    steps: Option<u32>,
    /// The last number that is looked at.
    until: Option<i64>,
}

impl Start {
    /// From the newest run down, to the end.
    const NEWEST: Self = Self { cursor: None, downwards: true, steps: None, until: None };

    fn sign(self) -> &'static str {
        if self.downwards { "<" } else { ">=" }
    }

    fn order(self) -> &'static str {
        if self.downwards { "DESC" } else { "ASC" }
    }

    /// The numbers from the last on, in the order of the walk.
    fn until_sign(self) -> &'static str {
        if self.downwards { ">=" } else { "<=" }
    }
}

/// What a walk goes along: a table as `t`, the run's number in it, and what bounds the walk.
struct Source {
    from: String,
    n: &'static str,
    conditions: Vec<String>,
    is_run: bool,
}

impl Resolved {
    /// `None` where nothing can match, because a wanted tag does not exist.
    pub async fn new(store: &Store, workspace: WorkspaceId, query: &Query, now_ms: i64) -> Result<Option<Self>> {
        let mut resolved = Self {
            engine: store.engine,
            workspace,
            tags: Vec::new(),
            words: None,
            without_words: Vec::new(),
            columns: Vec::new(),
            numbers: None,
            from: None,
            below: None,
            driver: Driver::List,
        };
        let mut words = Vec::new();
        for clause in &query.clauses {
            match &clause.term {
                Term::Text(_) => {
                    let phrases: Vec<&str> = clause.terms().filter_map(as_text).collect();
                    let expression = text::any_of(store.engine, &phrases);
                    match clause.negated {
                        true => resolved.without_words.push(text::all_of(store.engine, &[expression])),
                        false => words.push(expression),
                    }
                }
                Term::Since(when) => resolved.bound_by_time(when.resolve(now_ms), !clause.negated),
                Term::Before(when) => resolved.bound_by_time(when.resolve(now_ms), clause.negated),
                Term::Field { field: Field::Id, .. } if !clause.negated => {
                    let found = numbers(store, workspace, clause).await?;
                    let known = resolved.numbers.get_or_insert_with(|| found.clone());
                    known.retain(|n| found.contains(n));
                    if known.is_empty() {
                        return Ok(None);
                    }
                }
                Term::Compare(_) | Term::Field { field: Field::Id, .. } => {
                    resolved.columns.push((clause.clone(), clause.terms().filter_map(as_column_test).collect()));
                }
                _ => {
                    let found = matching_tags(store, workspace, clause).await?;
                    if found.is_empty() {
                        if clause.negated {
                            continue;
                        }
                        return Ok(None);
                    }
                    let runs = found.iter().map(|counted| counted.runs).sum();
                    let ids = found.iter().map(|counted| counted.id).collect();
                    resolved.tags.push(TagCondition { negated: clause.negated, ids, runs });
                }
            }
        }
        if !words.is_empty() {
            resolved.words = Some(text::all_of(store.engine, &words));
        }
        resolved.driver = resolved.choose_driver(store).await?;
        Ok(Some(resolved))
    }

    /// Runs as the list's narrow index has them. SQLite would look a known number up in the table.
    fn listed(&self, alias: &str) -> String {
        match self.engine {
            Engine::Sqlite => format!("run {alias} INDEXED BY run_list"),
            Engine::Postgres => format!("run {alias}"),
        }
    }

    fn select_from(&self, run: &str, columns: &str, start: Start, limit: u32) -> (String, Vec<Arg>) {
        let mut sql = Sql { args: Vec::new() };
        let limit = sql.bind(i64::from(limit));
        let sources = match start.steps {
            Some(steps) => vec![self.window(&mut sql, start, steps)],
            None => self.sources(&mut sql, start),
        };
        let branches: Vec<String> =
            sources.into_iter().map(|source| self.walk(&mut sql, source, start, &limit)).collect();
        let branches: Vec<String> = branches.iter().map(|branch| format!("SELECT n FROM ({branch}) b")).collect();
        let workspace = sql.bind(self.workspace.0);
        let text = format!(
            "SELECT {columns} FROM ({}) c CROSS JOIN {run} WHERE r.n = c.n AND r.workspace_id = {workspace} \
             ORDER BY c.n {} LIMIT {limit}",
            branches.join(" UNION "),
            start.order()
        );
        (text, sql.args)
    }

    /// One walk in list order, with the conditions that do not drive it.
    fn walk(&self, sql: &mut Sql, source: Source, start: Start, limit: &str) -> String {
        let Source { mut from, n, mut conditions, is_run } = source;
        for (index, condition) in self.tags.iter().enumerate() {
            if self.driver != Driver::Tag(index) {
                let ids: Vec<String> = condition.ids.iter().map(|id| sql.bind(*id)).collect();
                let not = if condition.negated { "NOT " } else { "" };
                let apart = self.apart();
                conditions.push(format!(
                    "{not}EXISTS (SELECT 1 FROM run_tag x WHERE x.tag_id IN ({}) AND x.n = {n}{apart})",
                    ids.join(", ")
                ));
            }
        }
        if let Some(words) = self.words.as_ref().filter(|_| !self.driver.is_words()) {
            conditions.push(self.words_probe(sql, words, n));
        }
        for words in &self.without_words {
            let without = self.without(sql, words, n, start);
            conditions.push(without);
        }
        if !self.columns.is_empty() {
            let alias = if is_run { "t" } else { "q" };
            if !is_run {
                from.push_str(&format!(" CROSS JOIN {}", self.listed("q")));
                conditions.push(format!("q.workspace_id = {} AND q.n = {n}", sql.bind(self.workspace.0)));
            }
            for (clause, tests) in &self.columns {
                let tests: Vec<String> = tests.iter().map(|test| test.sql(sql, alias)).collect();
                // What is not known, as the duration of a run under way, is not beyond any bound.
                let is = if clause.negated { "IS NOT TRUE" } else { "IS TRUE" };
                conditions.push(format!("({}) {is}", tests.join(" OR ")));
            }
        }
        let (conditions, order) = (conditions.join(" AND "), start.order());
        format!("SELECT {n} AS n FROM {from} WHERE {conditions} ORDER BY {n} {order} LIMIT {limit}")
    }

    /// What is walked along: one table, or each of several tags.
    fn sources(&self, sql: &mut Sql, start: Start) -> Vec<Source> {
        match self.driver {
            Driver::Tag(index) => self.tags[index].ids.iter().map(|id| self.source(sql, Some(*id), start)).collect(),
            _ => vec![self.source(sql, None, start)],
        }
    }

    fn source(&self, sql: &mut Sql, tag: Option<i64>, start: Start) -> Source {
        let mut conditions = Vec::new();
        let (from, n) = match (self.driver, self.engine) {
            (Driver::Tag(_), _) => {
                conditions.push(format!("t.tag_id = {}", sql.bind(tag.unwrap_or_default())));
                ("run_tag t", "t.n")
            }
            (Driver::Words | Driver::GatheredWords, Engine::Sqlite) => {
                let words = text::within(self.workspace, self.words.as_deref().unwrap_or_default());
                conditions.push(format!("run_text MATCH {}", sql.bind(words)));
                ("run_text t", "t.rowid")
            }
            (Driver::Words | Driver::GatheredWords, Engine::Postgres) => {
                let words = self.words.clone().unwrap_or_default();
                conditions.push(format!("t.workspace_id = {}", sql.bind(self.workspace.0)));
                conditions.push(format!("t.words @@ CAST({} AS tsquery)", sql.bind(words)));
                // In an order that no index has, PostgreSQL begins with the index of words.
                ("run_text t", if self.driver == Driver::Words { "t.n" } else { "(t.n + 0)" })
            }
            (Driver::List, _) => {
                conditions.push(format!("t.workspace_id = {}", sql.bind(self.workspace.0)));
                ("run t", "t.n")
            }
        };
        for (bound, sign) in self.bounds(start) {
            conditions.push(format!("{n} {sign} {}", sql.bind(bound)));
        }
        if let Some(numbers) = &self.numbers {
            let numbers: Vec<String> = numbers.iter().map(|n| sql.bind(*n)).collect();
            conditions.push(format!("{n} IN ({})", numbers.join(", ")));
        }
        Source { from: from.to_owned(), n, conditions, is_run: self.driver == Driver::List }
    }

    /// The first runs of what drives, whatever the other conditions.
    fn window(&self, sql: &mut Sql, start: Start, steps: u32) -> Source {
        let (steps, order) = (sql.bind(i64::from(steps)), start.order());
        let first = |Source { from, n, conditions, .. }: Source| {
            let conditions = conditions.join(" AND ");
            format!(
                "SELECT n FROM (SELECT {n} AS n FROM {from} WHERE {conditions} ORDER BY {n} {order} LIMIT {steps}) b"
            )
        };
        let all: Vec<String> = self.sources(sql, start).into_iter().map(first).collect();
        let from = format!("(SELECT n FROM ({}) u ORDER BY n {order} LIMIT {steps}) t", all.join(" UNION "));
        Source { from, n: "t.n", conditions: Vec::new(), is_run: false }
    }

    /// The numbers between which a walk goes.
    fn bounds(&self, start: Start) -> impl Iterator<Item = (i64, &'static str)> {
        let cursor = start.cursor.map(|cursor| cursor.0);
        let all = [(self.from, ">="), (self.below, "<"), (cursor, start.sign()), (start.until, start.until_sign())];
        all.into_iter().filter_map(|(bound, sign)| Some((bound?, sign)))
    }

    /// Keeps a condition a lookup for each run on the way: PostgreSQL would make a join of it, which reads all runs of a tag
    /// before the first is shown.
    fn apart(&self) -> &'static str {
        match self.engine {
            Engine::Sqlite => "",
            Engine::Postgres => " OFFSET 0",
        }
    }

    /// Whether a run of the workspace, which is known to be one of it, has these words.
    fn words_probe(&self, sql: &mut Sql, words: &str, n: &str) -> String {
        let words = sql.bind(words.to_owned());
        match self.engine {
            Engine::Sqlite => {
                format!("EXISTS (SELECT 1 FROM run_text x WHERE x.run_text MATCH {words} AND x.rowid = {n})")
            }
            Engine::Postgres => {
                let apart = self.apart();
                format!(
                    "EXISTS (SELECT 1 FROM run_text x WHERE x.n = {n} AND x.words @@ CAST({words} AS tsquery){apart})"
                )
            }
        }
    }

    /// That a run has none of these words. SQLite takes long to look up one run: it reads all that have them on the way.
    fn without(&self, sql: &mut Sql, words: &str, n: &str, start: Start) -> String {
        if self.engine == Engine::Postgres || start.until.is_none() {
            return format!("NOT {}", self.words_probe(sql, words, n));
        }
        let words = sql.bind(text::within(self.workspace, words));
        let bounds: String =
            self.bounds(start).map(|(bound, sign)| format!(" AND x.rowid {sign} {}", sql.bind(bound))).collect();
        format!("{n} NOT IN (SELECT x.rowid FROM run_text x WHERE x.run_text MATCH {words}{bounds})")
    }

    fn bound_by_time(&mut self, at_ms: i64, lower: bool) {
        let bound = number::first_at(at_ms);
        if lower {
            self.from = Some(self.from.map_or(bound, |known| known.max(bound)));
        } else {
            self.below = Some(self.below.map_or(bound, |known| known.min(bound)));
        }
    }
}

fn as_text(term: &Term) -> Option<&str> {
    match term {
        Term::Text(text) => Some(text),
        _ => None,
    }
}

fn as_column_test(term: &Term) -> Option<ColumnTest> {
    match term {
        Term::Compare(comparison) => Some(ColumnTest::Compare(*comparison)),
        Term::Field { field: Field::Id, value } => Some(ColumnTest::Id(value.clone())),
        _ => None,
    }
}

/// The runs that a clause names by id, of those that exist.
async fn numbers(store: &Store, workspace: WorkspaceId, clause: &Clause) -> Result<Vec<i64>> {
    let mut connection = store.reader.acquire().await?;
    let mut numbers = Vec::new();
    for term in clause.terms() {
        if let Term::Field { field: Field::Id, value } = term {
            numbers.extend(super::log::number(&mut connection, workspace, value).await?);
        }
    }
    Ok(numbers)
}

/// The tags any of which a clause asks for, of those that exist.
async fn matching_tags(store: &Store, workspace: WorkspaceId, clause: &Clause) -> Result<Vec<Counted>> {
    let mut tags = Vec::new();
    let mut found = Vec::new();
    for term in clause.terms() {
        match term {
            Term::Status(status) => tags.push(Tag::new("status", status.as_str())),
            Term::Is(Is::Failed) => tags.push(Tag::new("status", "failed")),
            Term::Is(Is::Running) => tags.extend([Tag::new("status", "running"), Tag::new("status", "pending")]),
            Term::Is(is) => tags.push(Tag::is(*is)),
            Term::Metadata { key, value } => tags.push(Tag::metadata(key, value)),
            Term::Has(Has::Metadata(key)) => tags.push(Tag::has_metadata(key)),
            Term::Has(Has::OrphanCall) => tags.push(Tag::orphan_call()),
            Term::Field { field: Field::Model, value } => found.extend(store.models_named(workspace, value).await?),
            Term::Field { field: Field::Agent, value } => {
                tags.extend([Tag::new("agent", value), Tag::new("name", value)]);
            }
            Term::Field { field, value } => tags.push(Tag::new(field.as_str(), value)),
            Term::Compare(_) | Term::Since(_) | Term::Before(_) | Term::Text(_) => {}
        }
    }
    found.extend(store.counted_tags(workspace, &tags.iter().collect::<Vec<_>>()).await?);
    found.sort_by_key(|counted| counted.id);
    found.dedup_by_key(|counted| counted.id);
    found.retain(|counted| counted.runs > 0);
    Ok(found)
}

impl ColumnTest {
    fn sql(&self, sql: &mut Sql, run: &str) -> String {
        match self {
            Self::Id(id) => format!("{run}.id = {}", sql.bind(id.clone())),
            Self::Compare(comparison) => {
                let column = match comparison.measure {
                    Measure::Duration => format!("{run}.duration_ms"),
                    Measure::Tokens => format!("({run}.input_tokens + {run}.output_tokens)"),
                    Measure::Cost => format!("{run}.cost_micros"),
                    Measure::Turns => format!("{run}.turns"),
                    Measure::Calls => format!("{run}.tool_calls"),
                };
                let mut bind = |number: u64| sql.bind(i64::try_from(number).unwrap_or(i64::MAX));
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

struct Sql {
    args: Vec<Arg>,
}

impl Sql {
    fn bind(&mut self, arg: impl Into<Arg>) -> String {
        self.args.push(arg.into());
        format!("${}", self.args.len())
    }
}
