//! Facets of runs, and values for completion.
//!
//! Without a query the counts come from the tag table and are exact. With a query the newest matching runs are counted,
//! because counting all would take longer the larger the workspace is. The result says how many were counted.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use domain::{Facet, FacetValue, Facets};
use sqlx::Row;

use super::query_plan::{QueryPlan, Sample, SampleColumns};
use super::sql::{Arg, fetch};
use super::tags::{TagIds, counted};
use super::{Result, Store, WorkspaceId};

/// Keys besides metadata.
const KEYS: [&str; 7] = ["status", "is", "model", "agent", "name", "tool", "error"];
/// The number of metadata keys, most used first.
const METADATA_KEYS: i64 = 16;
/// Values per key.
const VALUES: usize = 10;
/// Matching runs counted with a query. 1,000 took 15 ms (p95) over HTTP at 100,000 runs; the goal is 10.
const FACET_SAMPLE: u32 = 500;
/// Values with a prefix that are read to find the most frequent ones.
const COMPLETION_SAMPLE: i64 = 1_000;

impl Store {
    /// The most frequent values of matching runs.
    pub async fn facets(&self, plan: &QueryPlan) -> Result<Facets> {
        if plan.query.is_empty() { self.all_facets(plan.workspace).await } else { self.sampled_facets(plan).await }
    }

    async fn all_facets(&self, workspace: WorkspaceId) -> Result<Facets> {
        let sql = "SELECT key, value, id, runs FROM tag WHERE workspace_id = $1 AND key = 'has' AND runs > 0 \
             ORDER BY runs DESC LIMIT $2";
        let metadata = fetch(&self.reader, sql.to_owned(), vec![workspace.0.into(), METADATA_KEYS.into()]).await?;
        let mut keys: Vec<String> = KEYS.iter().map(|key| (*key).to_owned()).collect();
        for row in &metadata {
            let has = counted(row)?.tag.value;
            keys.extend(has.starts_with("metadata.").then_some(has));
        }
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
        let mut values: HashMap<String, Vec<FacetValue>> = HashMap::new();
        for row in fetch(&self.reader, branches.join(" UNION ALL "), args).await? {
            let found = counted(&row)?;
            let runs = u64::try_from(found.runs).unwrap_or(0);
            values.entry(found.tag.key).or_default().push(FacetValue { value: found.tag.value, runs });
        }
        let facets = keys.into_iter().filter_map(|key| facet(values.remove(&key)?, key)).collect();
        Ok(Facets { facets: shared_values_first(facets), counted_newest: None })
    }

    async fn sampled_facets(&self, plan: &QueryPlan) -> Result<Facets> {
        let Sample { rows, complete } = plan.sample(self, SampleColumns::Tags, FACET_SAMPLE).await?;
        let mut runs_by_id: HashMap<i64, u64> = HashMap::new();
        for row in &rows {
            let tags: String = row.try_get(0)?;
            TagIds::parse(&tags).all().into_iter().for_each(|id| *runs_by_id.entry(id).or_default() += 1);
        }
        // Most values occur once: only look up the frequent ones.
        let mut frequent: Vec<(i64, u64)> = runs_by_id.iter().map(|(id, runs)| (*id, *runs)).collect();
        frequent.sort_by_key(|(id, runs)| (Reverse(*runs), *id));
        frequent.truncate(500);
        let list: Vec<String> = (1..=frequent.len()).map(|i| format!("${i}")).collect();
        let mut values: BTreeMap<String, Vec<FacetValue>> = BTreeMap::new();
        if !frequent.is_empty() {
            let sql = format!("SELECT key, value, id, runs FROM tag WHERE id IN ({})", list.join(", "));
            for row in fetch(&self.reader, sql, frequent.iter().map(|(id, _)| (*id).into()).collect()).await? {
                let found = counted(&row)?;
                let runs = runs_by_id.get(&found.id).copied().unwrap_or(0);
                values.entry(found.tag.key).or_default().push(FacetValue { value: found.tag.value, runs });
            }
        }
        let metadata = values.keys().filter(|key| key.starts_with("metadata.")).cloned();
        let keys: Vec<String> = KEYS.iter().map(|key| (*key).to_owned()).chain(metadata).collect();
        let facets = keys.into_iter().filter_map(|key| facet(values.remove(&key)?, key)).collect();
        Ok(Facets { facets: shared_values_first(facets), counted_newest: (!complete).then_some(rows.len() as u64) })
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
            Ok(FacetValue { value: row.try_get(0)?, runs: u64::try_from(row.try_get::<i64, _>(1)?).unwrap_or(0) })
        };
        rows.iter().map(value).collect()
    }
}

fn facet(mut values: Vec<FacetValue>, key: String) -> Option<Facet> {
    values.sort_by(|a, b| b.runs.cmp(&a.runs).then_with(|| a.value.cmp(&b.value)));
    let more = values.len() > VALUES;
    values.truncate(VALUES);
    (!values.is_empty()).then_some(Facet { key, values, more })
}

/// Sorts metadata keys with shared values before those that are unique per run, like order numbers.
fn shared_values_first(mut facets: Vec<Facet>) -> Vec<Facet> {
    facets.sort_by_key(|facet| match facet.key.starts_with("metadata.") {
        true => (true, Reverse(facet.values.first().map_or(0, |value| value.runs))),
        false => (false, Reverse(0)),
    });
    facets
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_with_shared_values_come_first() {
        let of = |key: &str, runs| Facet {
            key: key.to_owned(),
            values: vec![FacetValue { value: "x".to_owned(), runs }],
            more: false,
        };
        let facets =
            shared_values_first(vec![of("status", 1), of("tool", 5), of("metadata.order", 1), of("metadata.env", 9)]);
        let keys: Vec<&str> = facets.iter().map(|facet| facet.key.as_str()).collect();
        assert_eq!(keys, ["status", "tool", "metadata.env", "metadata.order"]);
    }
}
