//! Facets of runs, and values for completion.
//!
//! Without a query the counts come from the tag table and are exact. With a query the newest matching runs are counted,
//! because counting all would take longer the larger the workspace is. The result says how many were counted.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use domain::{Facet, FacetValue, Facets};
use protocol::Query;
use protocol::query::{Clause, Field, Is, Term};
use sqlx::Row;

use super::failure_groups::GROUP_KEY;
use super::query_plan::{QueryPlan, Sample, SampleColumns};
use super::sql::{Arg, fetch};
use super::tags::{Counted, Tag, TagIds, counted};
use super::{Result, Store, WorkspaceId};

/// Keys besides metadata.
const KEYS: [&str; 8] = ["status", "is", "model", "agent", "name", "tool", "error", "group"];
/// Before the key of metadata in the key of a facet.
const METADATA: &str = "metadata.";
/// The number of metadata keys, most used first.
const METADATA_KEYS: i64 = 16;
/// Values per key.
const VALUES: usize = 10;
/// Matching runs counted with a query. 1,000 took 15 ms (p95) over HTTP at 100,000 runs; the goal is 10.
const FACET_SAMPLE: u32 = 500;
/// Values with a prefix that are read to find the most frequent ones.
const COMPLETION_SAMPLE: i64 = 1_000;

/// The number of matching runs with a tag.
struct TagCount {
    tag: Tag,
    /// In the whole workspace.
    all_runs: i64,
    matching_runs: u64,
}

/// The counts of a key, and how many runs were counted if not all were.
type KeyCounts = (Vec<TagCount>, Option<u64>);

impl Store {
    /// The most frequent values of matching runs, by key. The values of a key are counted as if the filter had no clause
    /// about that key, so that further values can be added to the one that is selected. Keys and values have the same order
    /// under every filter.
    pub async fn facets(&self, plan: &QueryPlan) -> Result<Facets> {
        let metadata = self.metadata_keys(plan.workspace).await?;
        let (counts, counted_newest) = match plan.query.is_empty() {
            true => (self.all_counts(plan.workspace, &metadata).await?, None),
            false => self.sampled_counts(plan).await?,
        };
        let mut by_key: BTreeMap<String, KeyCounts> = BTreeMap::new();
        for count in counts {
            by_key.entry(count.tag.key.clone()).or_insert_with(|| (Vec::new(), counted_newest)).0.push(count);
        }
        let selected = selected_keys(&plan.query).into_iter().map(|key| self.counts_of_selected(plan, key));
        for (key, counts) in futures::future::try_join_all(selected).await? {
            by_key.insert(key, counts);
        }
        let others: Vec<String> = by_key.keys().filter(|key| key.starts_with(METADATA)).cloned().collect();
        let fixed = KEYS.iter().map(|key| (*key).to_owned()).chain(metadata).chain(others);
        let facets = fixed.filter_map(|key| {
            let (counts, counted_newest) = by_key.remove(&key)?;
            facet(key, counts, counted_newest, &plan.query)
        });
        let mut facets: Vec<Facet> = facets.collect();
        for facet in facets.iter_mut().filter(|facet| facet.key == GROUP_KEY) {
            self.add_titles(plan.workspace, &mut facet.values).await?;
        }
        Ok(Facets { facets, counted_newest })
    }

    /// The counts of a key that the filter has values of, as if it had none.
    async fn counts_of_selected(&self, plan: &QueryPlan, key: String) -> Result<(String, KeyCounts)> {
        let without = without_key(&plan.query, &key);
        let (mut counts, counted_newest) = match without.is_empty() {
            true => (self.counts_of_keys(plan.workspace, std::slice::from_ref(&key)).await?, None),
            false => self.sampled_counts(&self.plan(plan.workspace, &without, plan.now_ms).await?).await?,
        };
        counts.retain(|count| count.tag.key == key);
        self.add_selected(plan, &key, &mut counts).await?;
        Ok((key, (counts, counted_newest)))
    }

    /// The metadata keys of most runs. Keys with shared values come before those that are unique per run, like order numbers.
    pub(super) async fn metadata_keys(&self, workspace: WorkspaceId) -> Result<Vec<String>> {
        let sql = "SELECT h.value FROM (SELECT value, runs FROM tag WHERE workspace_id = $1 AND key = 'has' AND runs > 0 \
             AND value LIKE 'metadata.%' ORDER BY runs DESC, value LIMIT $2) h \
             ORDER BY (SELECT t.runs FROM tag t WHERE t.workspace_id = $1 AND t.key = h.value ORDER BY t.runs DESC LIMIT 1) \
             DESC, h.value";
        let rows = fetch(&self.reader, sql.to_owned(), vec![workspace.0.into(), METADATA_KEYS.into()]).await?;
        rows.iter().map(|row| row.try_get(0)).collect()
    }

    async fn all_counts(&self, workspace: WorkspaceId, metadata: &[String]) -> Result<Vec<TagCount>> {
        let keys: Vec<String> = KEYS.iter().map(|key| (*key).to_owned()).chain(metadata.iter().cloned()).collect();
        self.counts_of_keys(workspace, &keys).await
    }

    /// The most frequent values of these keys in the whole workspace.
    async fn counts_of_keys(&self, workspace: WorkspaceId, keys: &[String]) -> Result<Vec<TagCount>> {
        let branches: Vec<String> = (0..keys.len())
            .map(|i| {
                format!(
                    "SELECT * FROM (SELECT key, value, id, runs FROM tag WHERE workspace_id = $1 AND key = ${} \
                     AND runs > 0 ORDER BY runs DESC LIMIT $2) b",
                    i + 3
                )
            })
            .collect();
        let mut args: Vec<Arg> = vec![workspace.0.into(), i64::try_from(VALUES + 1).unwrap_or(i64::MAX).into()];
        args.extend(keys.iter().map(|key| Arg::from(key.as_str())));
        let rows = fetch(&self.reader, branches.join(" UNION ALL "), args).await?;
        let count = |row| {
            let Counted { tag, runs, .. } = counted(row)?;
            Ok(TagCount { tag, all_runs: runs, matching_runs: u64::try_from(runs).unwrap_or(0) })
        };
        rows.iter().map(count).collect()
    }

    /// The tags of the newest matching runs, and how many runs that are if there are more.
    async fn sampled_counts(&self, plan: &QueryPlan) -> Result<(Vec<TagCount>, Option<u64>)> {
        let Sample { rows, complete } = plan.sample(self, SampleColumns::Tags, FACET_SAMPLE).await?;
        let mut runs_by_id: HashMap<i64, u64> = HashMap::new();
        for row in &rows {
            let tags: String = row.try_get("tags")?;
            TagIds::parse(&tags).all().into_iter().for_each(|id| *runs_by_id.entry(id).or_default() += 1);
        }
        // Most values occur once: only look up the frequent ones.
        let mut frequent: Vec<(i64, u64)> = runs_by_id.iter().map(|(id, runs)| (*id, *runs)).collect();
        frequent.sort_by_key(|(id, runs)| (Reverse(*runs), *id));
        frequent.truncate(500);
        let list: Vec<String> = (1..=frequent.len()).map(|i| format!("${i}")).collect();
        let mut counts = Vec::new();
        if !frequent.is_empty() {
            let sql = format!("SELECT key, value, id, runs FROM tag WHERE id IN ({})", list.join(", "));
            for row in fetch(&self.reader, sql, frequent.iter().map(|(id, _)| (*id).into()).collect()).await? {
                let Counted { tag, id, runs } = counted(&row)?;
                let matching_runs = runs_by_id.get(&id).copied().unwrap_or(0);
                counts.push(TagCount { tag, all_runs: runs, matching_runs });
            }
        }
        Ok((counts, (!complete).then_some(rows.len() as u64)))
    }

    /// Adds the selected values of a key that no counted run has.
    async fn add_selected(&self, plan: &QueryPlan, key: &str, counts: &mut Vec<TagCount>) -> Result<()> {
        let selected = terms_of_key(&plan.query, key).map(|(_, value)| Tag::new(key, value));
        let missing: Vec<Tag> =
            selected.filter(|tag| !counts.iter().any(|count| is_value(key, &count.tag.value, &tag.value))).collect();
        for found in self.counted_tags(plan.workspace, &missing.iter().collect::<Vec<_>>()).await? {
            counts.push(TagCount { tag: found.tag, all_runs: found.runs, matching_runs: 0 });
        }
        Ok(())
    }

    /// Values of a key with a prefix, most frequent first.
    pub async fn complete_values(&self, workspace: WorkspaceId, key: &str, prefix: &str) -> Result<Vec<FacetValue>> {
        let (condition, mut args): (&str, Vec<Arg>) = match prefix {
            "" => ("", vec![]),
            prefix => (" AND value >= $4 AND value < $5", vec![prefix.into(), format!("{prefix}\u{10ffff}").into()]),
        };
        let order = if prefix.is_empty() { "runs DESC" } else { "value" };
        let sql = format!(
            "SELECT value, runs FROM (SELECT value, runs FROM tag WHERE workspace_id = $1 AND key = $2 AND runs > 0\
             {condition} ORDER BY {order} LIMIT $3) b ORDER BY runs DESC, value LIMIT 20"
        );
        let mut all = vec![workspace.0.into(), key.into(), COMPLETION_SAMPLE.into()];
        all.append(&mut args);
        let rows = fetch(&self.reader, sql, all).await?;
        let value = |row: &sqlx::any::AnyRow| -> Result<FacetValue> {
            let runs = u64::try_from(row.try_get::<i64, _>(1)?).unwrap_or(0);
            Ok(FacetValue { value: row.try_get(0)?, runs, ..FacetValue::default() })
        };
        let mut values = rows.iter().map(value).collect::<Result<Vec<_>>>()?;
        if key == GROUP_KEY {
            self.add_titles(workspace, &mut values).await?;
        }
        Ok(values)
    }

    /// Adds the titles of failure groups to their ids.
    async fn add_titles(&self, workspace: WorkspaceId, values: &mut [FacetValue]) -> Result<()> {
        let ids: Vec<&str> = values.iter().map(|value| value.value.as_str()).collect();
        let mut titles = self.failure_titles(workspace, &ids).await?;
        values.iter_mut().for_each(|value| value.label = titles.remove(&value.value));
        Ok(())
    }
}

/// Keeps the values that most matching runs have and the selected ones, in the order of the whole workspace.
fn facet(key: String, mut counts: Vec<TagCount>, counted_newest: Option<u64>, query: &Query) -> Option<Facet> {
    let selected = |value: &str| terms_of_key(query, &key).any(|(_, selected)| is_value(&key, value, selected));
    counts.sort_by_key(|count| (!selected(&count.tag.value), Reverse(count.matching_runs), Reverse(count.all_runs)));
    let more = counts.len() > VALUES;
    counts.truncate(VALUES);
    counts.sort_by(|a, b| b.all_runs.cmp(&a.all_runs).then_with(|| a.tag.value.cmp(&b.tag.value)));
    let values: Vec<FacetValue> = counts
        .into_iter()
        .map(|count| FacetValue {
            selected: selected(&count.tag.value),
            value: count.tag.value,
            label: None,
            runs: count.matching_runs,
        })
        .collect();
    (!values.is_empty()).then_some(Facet { key, values, more, counted_newest })
}

/// The keys that the query has values of.
fn selected_keys(query: &Query) -> BTreeSet<String> {
    let including = query.clauses.iter().filter(|clause| !clause.negated);
    including.filter_map(|clause| key_and_value(&clause.term)).map(|(key, _)| key.into_owned()).collect()
}

/// The query without the clauses that include runs by a value of this key.
fn without_key(query: &Query, key: &str) -> Query {
    let is_of_key =
        |clause: &&Clause| !clause.negated && key_and_value(&clause.term).is_some_and(|found| found.0 == key);
    Query { clauses: query.clauses.iter().filter(|clause| !is_of_key(clause)).cloned().collect() }
}

/// The values of a key that the query includes runs by.
fn terms_of_key<'a>(query: &'a Query, key: &str) -> impl Iterator<Item = (Cow<'a, str>, &'a str)> {
    let including = query.clauses.iter().filter(|clause| !clause.negated);
    including.flat_map(|clause| clause.terms()).filter_map(key_and_value).filter(move |found| found.0 == key)
}

/// The facet and the value of a term, if it is one of a facet.
fn key_and_value(term: &Term) -> Option<(Cow<'_, str>, &str)> {
    Some(match term {
        Term::Status(status) => ("status".into(), status.as_str()),
        // These are statuses, and the viewer.
        Term::Is(Is::Failed | Is::Running | Is::Mine) => return None,
        Term::Is(is) => ("is".into(), is.as_str()),
        Term::Metadata { key, value } => (format!("{METADATA}{key}").into(), value.as_str()),
        Term::Field {
            field:
                Field::Id | Field::Session | Field::SlowestTool | Field::FailedTool | Field::Launcher | Field::SessionStatus,
            ..
        } => return None,
        Term::Field { field, value } => (field.as_str().into(), value.as_str()),
        Term::Has(_) | Term::Compare(_) | Term::Since(_) | Term::Before(_) | Term::Word(_) | Term::Phrase(_) => {
            return None;
        }
    })
}

/// Returns true if a value of a facet is the one that a term names. A model can be named without its provider.
fn is_value(key: &str, value: &str, named: &str) -> bool {
    value == named || (key == "model" && value.rsplit_once('/').is_some_and(|(_, short)| short == named))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(key: &str, value: &str, all_runs: i64, matching_runs: u64) -> TagCount {
        TagCount { tag: Tag::new(key, value), all_runs, matching_runs }
    }

    #[test]
    fn values_keep_the_order_of_the_workspace() {
        let query = Query::parse("env:dev").expect("a query");
        let counts = vec![count("metadata.env", "dev", 3, 9), count("metadata.env", "prod", 8, 2)];
        let facet = facet("metadata.env".to_owned(), counts, None, &query).expect("a facet");
        let values: Vec<(&str, u64, bool)> =
            facet.values.iter().map(|value| (&*value.value, value.runs, value.selected)).collect();
        assert_eq!(values, [("prod", 2, false), ("dev", 9, true)]);
    }

    #[test]
    fn a_selected_value_is_kept_among_more_frequent_ones() {
        let query = Query::parse("model:small -model:other").expect("a query");
        let mut counts: Vec<TagCount> = (0..20).map(|i| count("model", &format!("m{i}"), 50, 50)).collect();
        counts.push(count("model", "provider/small", 1, 0));
        let facet = facet("model".to_owned(), counts, None, &query).expect("a facet");
        assert!(facet.more && facet.values.len() == VALUES);
        assert!(facet.values.iter().any(|value| value.selected && value.value == "provider/small"));
        assert_eq!(without_key(&query, "model").to_string(), "-model:other");
        assert_eq!(selected_keys(&query), BTreeSet::from(["model".to_owned()]));
    }
}
