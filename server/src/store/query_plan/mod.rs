//! Plans for queries on runs: a parsed filter becomes SQL.
//!
//! ```text
//!  Query ──Store::plan──▶ QueryPlan ──┬─ page ────▶ PlanRows { rows, stopped_early }   lists and cursors
//!         looks up tags once          ├─ sample ──▶ Sample { rows, complete }          facets and histograms
//!                                     └─ count ───▶ MatchCount { runs, is_exact }      the number above a list
//! ```
//!
//! A request builds one plan and runs everything on it. The plan holds the tags that the query names, with their ids and
//! run counts, the text clauses, the column comparisons, the time range, and which index to scan.
//!
//! Running a plan scans that index in list order, newest run first, so nothing is sorted and a full page ends the scan.
//! The scanned index is the rarest tag's, or the whole list (`scan_index.rs`). Every other condition on tags and columns is
//! looked up for each scanned run (`select.rs`). A list in the order of a number walks along that number's index, or sorts
//! what matches if that is little (`sorted.rs`).
//!
//! Texts are not conditions of SQL. A plan with text clauses scans in batches and checks the text of each run, or scans the
//! word index instead (`text_scan.rs`).
//!
//! Values are always bound; the SQL text contains only column names and placeholders.

mod count;
mod page;
mod sample;
mod scan_index;
mod select;
mod sorted;
mod text_scan;

use std::sync::Arc;

use protocol::Query;
use protocol::query::{Clause, Comparison, Field, Has, Is, Term};

use tokio::sync::Mutex;

use self::scan_index::ScanIndex;
use self::text_scan::TextScan;
use super::tags::{Counted, Tag};
use super::text::{CommonWords, TextClause, TextTerm, load_common_words};
use super::{Engine, Result, Store, WorkspaceId, list_key};

pub(super) use self::page::{LIST_KEY, PageOrder, PlanRows};
pub(super) use self::sample::{Sample, SampleColumns};

/// A query on the runs of one workspace, ready to run. It reflects the tags at the time when it was built: build a new
/// one after storing runs.
pub struct QueryPlan {
    pub(super) workspace: WorkspaceId,
    pub(super) query: Query,
    /// The time that relative times in the query refer to.
    pub(super) now_ms: i64,
    engine: Engine,
    /// The query requires a tag or an id that no run has.
    matches_nothing: bool,
    tags: Vec<TagCondition>,
    texts: Vec<TextClause>,
    /// The words that searched texts may have as bits.
    common: Arc<CommonWords>,
    columns: Vec<ColumnCondition>,
    /// The list keys of the runs that the query names by id.
    list_keys: Option<Vec<i64>>,
    /// The lowest list key, from the query's time range.
    min_list_key: Option<i64>,
    /// All list keys are below this one.
    max_list_key: Option<i64>,
    scan_index: ScanIndex,
    /// The newest runs that match the text, as far as they were needed: the list and the counts beside it share them.
    newest: Mutex<Option<TextScan>>,
}

/// A run must have one of these tags, or none of them.
struct TagCondition {
    negated: bool,
    tag_ids: Vec<i64>,
    /// The number of runs with these tags. A run with two of them counts twice.
    runs: i64,
    /// A run has at most one of these tags.
    exclusive: bool,
}

/// One of these tests must be true for a run, or none.
struct ColumnCondition {
    negated: bool,
    tests: Vec<ColumnTest>,
}

enum ColumnTest {
    Id(String),
    Compare(Comparison),
}

impl Store {
    /// Builds the plan of a query. Relative times count from `now_ms`.
    pub async fn plan(&self, workspace: WorkspaceId, query: &Query, now_ms: i64) -> Result<QueryPlan> {
        let mut plan = QueryPlan {
            workspace,
            query: query.clone(),
            now_ms,
            engine: self.engine,
            matches_nothing: false,
            tags: Vec::new(),
            texts: Vec::new(),
            common: Arc::default(),
            columns: Vec::new(),
            list_keys: None,
            min_list_key: None,
            max_list_key: None,
            scan_index: ScanIndex::List,
            newest: Mutex::default(),
        };
        for clause in &query.clauses {
            match &clause.term {
                Term::Since(when) => plan.limit_time(when.resolve(now_ms), !clause.negated),
                Term::Before(when) => plan.limit_time(when.resolve(now_ms), clause.negated),
                Term::Field { field: Field::Id, .. } if !clause.negated => {
                    plan.limit_list_keys(&self.list_keys_of(workspace, clause).await?);
                }
                Term::Compare(_) | Term::Field { field: Field::Id, .. } => {
                    let tests = clause.terms().filter_map(as_column_test).collect();
                    plan.columns.push(ColumnCondition { negated: clause.negated, tests });
                }
                _ => {
                    // A word that is the id of a run finds this run.
                    if !clause.negated && clause.or.is_empty() {
                        let named = self.list_keys_of(workspace, clause).await?;
                        if !named.is_empty() {
                            plan.limit_list_keys(&named);
                            continue;
                        }
                    }
                    let Some(found) = self.tags_of(workspace, clause).await? else {
                        let terms = clause.terms().flat_map(text_terms).collect();
                        let text = TextClause { negated: clause.negated, terms };
                        plan.matches_nothing |= !text.negated && !text.has_words();
                        plan.texts.push(text);
                        continue;
                    };
                    if !found.is_empty() {
                        let runs = found.iter().map(|counted| counted.runs).sum();
                        let tag_ids = found.iter().map(|counted| counted.id).collect();
                        let exclusive = are_exclusive(&found);
                        plan.tags.push(TagCondition { negated: clause.negated, tag_ids, runs, exclusive });
                    } else if !clause.negated {
                        plan.matches_nothing = true;
                    }
                }
            }
        }
        if plan.list_keys.as_ref().is_some_and(Vec::is_empty) {
            plan.matches_nothing = true;
        }
        if !plan.texts.is_empty() {
            let mut connection = self.reader.acquire().await?;
            plan.common = load_common_words(&mut connection, &self.common_words, workspace).await?;
            plan.texts.iter_mut().for_each(|clause| clause.leave_out(&plan.common));
        }
        plan.scan_index = plan.choose_scan_index();
        Ok(plan)
    }

    /// The list keys of the runs that a clause names by id, if they exist.
    async fn list_keys_of(&self, workspace: WorkspaceId, clause: &Clause) -> Result<Vec<i64>> {
        let ids: Vec<&str> = clause.terms().filter_map(named_id).collect();
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let mut connection = self.reader.acquire().await?;
        let mut list_keys = Vec::new();
        for id in ids {
            list_keys.extend(list_key::find(&mut connection, workspace, id).await?);
        }
        Ok(list_keys)
    }

    /// The tags that a clause names, without those that no run has. `None` if the text index has to find its runs: for words
    /// and phrases, and for a name with many tags.
    async fn tags_of(&self, workspace: WorkspaceId, clause: &Clause) -> Result<Option<Vec<Counted>>> {
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
                Term::Field { field: Field::Model, value } => found.extend(self.models_named(workspace, value).await?),
                Term::Field { field: field @ (Field::Agent | Field::Name), value } => {
                    let keys: &[&str] = if *field == Field::Agent { &["agent", "name"] } else { &["name"] };
                    let Some(named) = self.tags_named(workspace, keys, value).await? else { return Ok(None) };
                    found.extend(named);
                }
                Term::Field { field, value } => tags.push(Tag::new(field.as_str(), value)),
                Term::Word(_) | Term::Phrase(_) => return Ok(None),
                Term::Compare(_) | Term::Since(_) | Term::Before(_) => {}
            }
        }
        found.extend(self.counted_tags(workspace, &tags.iter().collect::<Vec<_>>()).await?);
        found.sort_by_key(|counted| counted.id);
        found.dedup_by_key(|counted| counted.id);
        found.retain(|counted| counted.runs > 0);
        Ok(Some(found))
    }
}

/// The tags whose runs a plan selects, within its time range.
pub(in crate::store) struct SelectedTags<'a> {
    /// A run has at most one of them. Empty for all runs.
    pub ids: &'a [i64],
    /// All runs but those with the tags.
    pub negated: bool,
}

impl QueryPlan {
    /// The tags that alone select the runs of this plan, within its time range. `None` if it has other conditions.
    pub(super) fn selected_tags(&self) -> Option<SelectedTags<'_>> {
        if self.matches_nothing || !self.texts.is_empty() || !self.columns.is_empty() || self.list_keys.is_some() {
            return None;
        }
        match self.tags.as_slice() {
            [] => Some(SelectedTags { ids: &[], negated: false }),
            [condition] if condition.exclusive || condition.tag_ids.len() == 1 => {
                Some(SelectedTags { ids: &condition.tag_ids, negated: condition.negated })
            }
            _ => None,
        }
    }

    fn limit_list_keys(&mut self, allowed: &[i64]) {
        self.list_keys.get_or_insert_with(|| allowed.to_vec()).retain(|list_key| allowed.contains(list_key));
    }

    fn limit_time(&mut self, at_ms: i64, is_lower_bound: bool) {
        let bound = list_key::first_at(at_ms);
        if is_lower_bound {
            self.min_list_key = self.min_list_key.max(Some(bound));
        } else {
            self.max_list_key = Some(self.max_list_key.map_or(bound, |known| known.min(bound)));
        }
    }
}

/// The id that a term names: the value of `id:`, or a word in the form of a run's id.
fn named_id(term: &Term) -> Option<&str> {
    match term {
        Term::Field { field: Field::Id, value } => Some(value),
        Term::Word(word) if word.starts_with("run_") => Some(word),
        _ => None,
    }
}

/// Returns true if no run can have two of these tags.
fn are_exclusive(tags: &[Counted]) -> bool {
    let key = tags.first().map_or("", |first| first.tag.key.as_str());
    let of_one_key = tags.iter().all(|counted| counted.tag.key == key);
    tags.len() == 1 || (of_one_key && !matches!(key, "tool" | "failed-tool" | "is" | "has"))
}

/// The terms of the text that match if this one does.
fn text_terms(term: &Term) -> Vec<TextTerm> {
    match term {
        Term::Word(text) => vec![TextTerm::words(text)],
        Term::Phrase(text) => vec![TextTerm::phrase(text)],
        Term::Field { field: Field::Name, value } => vec![TextTerm::name(value)],
        Term::Field { field: Field::Agent, value } => vec![TextTerm::agent(value), TextTerm::name(value)],
        _ => Vec::new(),
    }
}

fn as_column_test(term: &Term) -> Option<ColumnTest> {
    match term {
        Term::Compare(comparison) => Some(ColumnTest::Compare(*comparison)),
        Term::Field { field: Field::Id, value } => Some(ColumnTest::Id(value.clone())),
        _ => None,
    }
}
