//! Reading failure groups: in a time range, with their trend and the values that their runs have.
//!
//! The runs of a group are entries of `run_tag` in list order, so a time range is a part of them and nothing else is read.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use domain::{AffectedValue, FailureGroup, FailureNote, FailureState, Trend};
use sqlx::Row;
use sqlx::any::AnyRow;

use super::sql::{Args, args, fetch, fetch_optional};
use super::tags::TagIds;
use super::{Result, Store, WorkspaceId, list_key};

/// Groups that a list chooses from: those that were seen last.
pub const MAX_GROUPS: u32 = 2_000;
/// Tags per statement.
const CHUNK: usize = 500;
/// Points of a trend.
const STEPS: i64 = 30;
/// Tags that are looked up for the values of a group: those that most of its runs have.
const MAX_TAGS: usize = 40;
/// Keys of tags that say who or what is affected, besides metadata.
const AFFECTED_KEYS: [&str; 5] = ["name", "agent", "model", "tool", "failed-tool"];

const COLUMNS: &str = "g.id, g.title, g.next_step, g.runs, g.first_seen_at, g.last_seen_at, g.state, g.changed_at, \
     g.changed_by, g.reopened_by, g.note, g.note_at, g.note_by, t.id AS tag_id";
const TABLES: &str =
    "failure_group g LEFT JOIN tag t ON t.workspace_id = g.workspace_id AND t.key = 'group' AND t.value = g.id";

/// A time range: from a time, included, until another, excluded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeSpan {
    pub from_ms: Option<i64>,
    pub before_ms: i64,
}

/// A group with the tag of its runs.
#[derive(Clone, Debug)]
pub struct TaggedGroup {
    pub group: FailureGroup,
    tag_id: Option<i64>,
}

impl Store {
    /// Groups with runs in a time range, with their trend in it, and whether there may be more. They have no values yet.
    pub async fn failure_groups(&self, workspace: WorkspaceId, span: TimeSpan) -> Result<(Vec<TaggedGroup>, bool)> {
        let mut args = Args::default();
        let (workspace, from) = (args.bind(workspace.0), args.bind(span.from_ms.unwrap_or(i64::MIN)));
        let (before, limit) = (args.bind(span.before_ms), args.bind(i64::from(MAX_GROUPS)));
        let sql = format!(
            "SELECT {COLUMNS} FROM {TABLES} WHERE g.workspace_id = {workspace} AND g.last_seen_at >= {from} \
             AND g.first_seen_at < {before} AND g.runs > 0 ORDER BY g.last_seen_at DESC LIMIT {limit}"
        );
        let rows = fetch(&self.reader, sql, args.into_vec()).await?;
        let may_be_more = rows.len() == MAX_GROUPS as usize;
        let mut groups = rows.iter().map(read).collect::<Result<Vec<_>>>()?;
        self.count_in(&mut groups, span).await?;
        groups.retain(|found| found.group.runs > 0);
        Ok((groups, may_be_more))
    }

    /// A group with its trend in a time range, also if it has no runs there.
    pub async fn failure_group(&self, workspace: WorkspaceId, id: &str, span: TimeSpan) -> Result<Option<TaggedGroup>> {
        let mut args = Args::default();
        let (workspace, id) = (args.bind(workspace.0), args.bind(id));
        let sql = format!("SELECT {COLUMNS} FROM {TABLES} WHERE g.workspace_id = {workspace} AND g.id = {id}");
        let rows = fetch(&self.reader, sql, args.into_vec()).await?;
        let mut groups = rows.iter().map(read).collect::<Result<Vec<_>>>()?;
        self.count_in(&mut groups, span).await?;
        Ok(groups.pop())
    }

    /// A group's id, title and number of runs.
    pub async fn failure_name(&self, workspace: WorkspaceId, id: &str) -> Result<Option<(String, String, u64)>> {
        let sql = "SELECT id, title, runs FROM failure_group WHERE workspace_id = $1 AND id = $2";
        let row = fetch_optional(&self.reader, sql, args![workspace, id]).await?;
        let name = |row: AnyRow| {
            let runs: i64 = row.try_get(2)?;
            Ok((row.try_get(0)?, row.try_get(1)?, u64::try_from(runs).unwrap_or(0)))
        };
        row.map(name).transpose()
    }

    /// The titles of groups by their ids.
    pub async fn failure_titles(&self, workspace: WorkspaceId, ids: &[&str]) -> Result<HashMap<String, String>> {
        let mut titles = HashMap::new();
        for chunk in ids.chunks(CHUNK) {
            let mut args = Args::default();
            let workspace = args.bind(workspace.0);
            let list: Vec<String> = chunk.iter().map(|id| args.bind(*id)).collect();
            let sql = format!(
                "SELECT id, title FROM failure_group WHERE workspace_id = {workspace} AND id IN ({})",
                list.join(", ")
            );
            for row in fetch(&self.reader, sql, args.into_vec()).await? {
                titles.insert(row.try_get(0)?, row.try_get(1)?);
            }
        }
        Ok(titles)
    }

    /// Sets the number of runs in the range, and the trend.
    async fn count_in(&self, groups: &mut [TaggedGroup], span: TimeSpan) -> Result<()> {
        let first = groups.iter().filter_map(|found| found.group.first_seen_at_ms).min();
        let start_ms = span.from_ms.or(first).unwrap_or(span.before_ms).min(span.before_ms);
        let step_ms = span.before_ms.saturating_sub(start_ms).saturating_add(STEPS - 1).div_euclid(STEPS).max(1);
        let mut counts: HashMap<i64, Vec<u64>> = HashMap::new();
        let tag_ids: Vec<i64> = groups.iter().filter_map(|found| found.tag_id).collect();
        for chunk in tag_ids.chunks(CHUNK) {
            let mut args = Args::default();
            let start = args.bind(list_key::first_at(start_ms));
            let step = args.bind(list_key::first_at(step_ms));
            let end = args.bind(list_key::first_at(span.before_ms));
            let list: Vec<String> = chunk.iter().map(|id| args.bind(*id)).collect();
            let sql = format!(
                "SELECT x.tag_id, (x.n - {start}) / {step}, COUNT(*) FROM run_tag x \
                 WHERE x.tag_id IN ({}) AND x.n >= {start} AND x.n < {end} GROUP BY 1, 2",
                list.join(", ")
            );
            for row in fetch(&self.reader, sql, args.into_vec()).await? {
                let (tag_id, at, runs): (i64, i64, i64) = (row.try_get(0)?, row.try_get(1)?, row.try_get(2)?);
                let steps = counts.entry(tag_id).or_insert_with(|| vec![0; STEPS as usize]);
                let at = usize::try_from(at).unwrap_or(0).min(steps.len() - 1);
                steps[at] += u64::try_from(runs).unwrap_or(0);
            }
        }
        for found in groups {
            let runs = found.tag_id.and_then(|id| counts.remove(&id)).unwrap_or_else(|| vec![0; STEPS as usize]);
            found.group.runs = runs.iter().sum();
            found.group.trend = Trend { start_ms, step_ms, runs };
        }
        Ok(())
    }

    /// Sets the values that most of the newest runs in the range have, the most frequent first: of `sample` runs per group.
    pub async fn add_affected(
        &self,
        workspace: WorkspaceId,
        groups: &mut [TaggedGroup],
        span: TimeSpan,
        sample: u32,
    ) -> Result<()> {
        for chunk in groups.chunks_mut(CHUNK / 10) {
            self.add_affected_to(workspace, chunk, span, sample).await?;
        }
        Ok(())
    }

    async fn add_affected_to(
        &self,
        workspace: WorkspaceId,
        groups: &mut [TaggedGroup],
        span: TimeSpan,
        sample: u32,
    ) -> Result<()> {
        let mut args = Args::default();
        let workspace = args.bind(workspace.0);
        let start = args.bind(span.from_ms.map_or(i64::MIN, list_key::first_at));
        let (end, limit) = (args.bind(list_key::first_at(span.before_ms)), args.bind(i64::from(sample)));
        let branch = |id: i64, args: &mut Args| {
            let tag = args.bind(id);
            format!(
                "SELECT * FROM (SELECT x.tag_id, r.tags FROM run_tag x CROSS JOIN run r WHERE x.tag_id = {tag} \
                 AND r.n = x.n AND r.workspace_id = {workspace} AND x.n >= {start} AND x.n < {end} ORDER BY x.n DESC LIMIT {limit}) b"
            )
        };
        let branches: Vec<String> =
            groups.iter().filter_map(|found| found.tag_id).map(|id| branch(id, &mut args)).collect();
        if branches.is_empty() {
            return Ok(());
        }
        let mut counts: HashMap<i64, HashMap<i64, u64>> = HashMap::new();
        for row in fetch(&self.reader, branches.join(" UNION ALL "), args.into_vec()).await? {
            let (group, tags): (i64, String) = (row.try_get(0)?, row.try_get(1)?);
            let of_group = counts.entry(group).or_default();
            TagIds::parse(&tags).all().into_iter().for_each(|id| *of_group.entry(id).or_default() += 1);
        }
        let mut frequent: BTreeMap<i64, Vec<(i64, u64)>> = BTreeMap::new();
        for (group, tags) in counts {
            let mut tags: Vec<(i64, u64)> = tags.into_iter().collect();
            tags.sort_by_key(|(id, runs)| (Reverse(*runs), *id));
            tags.truncate(MAX_TAGS);
            frequent.insert(group, tags);
        }
        let texts = self.affected_tags(frequent.values().flatten().map(|(id, _)| *id).collect()).await?;
        for found in groups {
            let tags = found.tag_id.and_then(|id| frequent.remove(&id)).unwrap_or_default();
            let value = |(id, runs): (i64, u64)| {
                let (key, value) = texts.get(&id)?.clone();
                Some(AffectedValue { key, value, runs })
            };
            found.group.affected = tags.into_iter().filter_map(value).collect();
            found
                .group
                .affected
                .sort_by(|a, b| (Reverse(a.runs), &a.key, &a.value).cmp(&(Reverse(b.runs), &b.key, &b.value)));
            found.group.counted_newest = (found.group.runs > u64::from(sample)).then_some(u64::from(sample));
        }
        Ok(())
    }

    /// Key and value of those tags that say who or what is affected.
    async fn affected_tags(&self, mut ids: Vec<i64>) -> Result<HashMap<i64, (String, String)>> {
        ids.sort_unstable();
        ids.dedup();
        let mut texts = HashMap::new();
        for chunk in ids.chunks(CHUNK) {
            let mut args = Args::default();
            let list: Vec<String> = chunk.iter().map(|id| args.bind(*id)).collect();
            let sql = format!("SELECT id, key, value FROM tag WHERE id IN ({})", list.join(", "));
            for row in fetch(&self.reader, sql, args.into_vec()).await? {
                let key: String = row.try_get(1)?;
                if key.starts_with("metadata.") || AFFECTED_KEYS.contains(&key.as_str()) {
                    texts.insert(row.try_get(0)?, (key, row.try_get(2)?));
                }
            }
        }
        Ok(texts)
    }
}

fn read(row: &AnyRow) -> Result<TaggedGroup> {
    let note: Option<String> = row.try_get("note")?;
    let (note_by, note_at): (Option<String>, Option<i64>) = (row.try_get("note_by")?, row.try_get("note_at")?);
    let group = FailureGroup {
        id: row.try_get("id")?,
        title: row.try_get("title")?,
        state: FailureState::parse(row.try_get("state")?).unwrap_or_default(),
        runs: u64::try_from(row.try_get::<i64, _>("runs")?).unwrap_or(0),
        first_seen_at_ms: row.try_get("first_seen_at")?,
        last_seen_at_ms: row.try_get("last_seen_at")?,
        next_step: row.try_get("next_step")?,
        changed_by: row.try_get("changed_by")?,
        changed_at_ms: row.try_get("changed_at")?,
        reopened_by_run_id: row.try_get("reopened_by")?,
        note: note.map(|text| FailureNote { text, by: note_by.unwrap_or_default(), at_ms: note_at.unwrap_or(0) }),
        ..FailureGroup::default()
    };
    Ok(TaggedGroup { group, tag_id: row.try_get("tag_id")? })
}
