//! Tags: the values that runs can be filtered by, each with the number of runs that have it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex};

use domain::{LockExt, RunSummary};
use protocol::query::{Is, words};
use sqlx::{AnyConnection, Row};

use super::failure_groups::GROUP_KEY;
use super::log_summary::LogSummary;
use super::sql::{Arg, execute, fetch, rows};
use super::{Engine, Origin, Result, WorkspaceId, erasure, storable};

/// Rows per statement.
const CHUNK: usize = 1_000;
/// The cache is cleared when it would exceed this size.
const MAX_CACHED_BYTES: usize = 16 * 1024 * 1024;
/// Names of a workspace that are compared with a name in a filter. If there are more, the text index finds them.
const MAX_NAMES: usize = 1_000;
/// Names that a filter may match: each is a scan.
const MAX_TAGS_OF_NAME: usize = 64;
/// What an entry of the cache takes besides its texts.
const ENTRY_BYTES: usize = 96;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tag {
    pub key: String,
    pub value: String,
}

impl Tag {
    pub fn new(key: &str, value: &str) -> Self {
        Self { key: storable::text(key).into_owned(), value: storable::name(value).into_owned() }
    }

    pub fn metadata(key: &str, value: &str) -> Self {
        Self { key: format!("metadata.{}", storable::name(key)), value: storable::name(value).into_owned() }
    }

    pub fn is(is: Is) -> Self {
        Self::new("is", is.as_str())
    }

    pub fn has_metadata(key: &str) -> Self {
        Self { key: "has".to_owned(), value: format!("metadata.{}", storable::name(key)) }
    }

    pub fn orphan_call() -> Self {
        Self::new("has", "orphan-call")
    }
}

/// The tags of a run's row.
pub(super) fn of_run(run: &RunSummary, origin: Origin) -> BTreeSet<Tag> {
    let mut tags = BTreeSet::from([Tag::new("status", run.status.as_str())]);
    let named = [("model", &run.model), ("agent", &run.agent_id), ("name", &run.name), ("session", &run.session_id)];
    tags.extend(named.iter().filter_map(|(key, value)| Some(Tag::new(key, value.as_deref()?))));
    for (key, value) in &run.metadata {
        tags.insert(Tag::metadata(key, value));
        tags.insert(Tag::has_metadata(key));
    }
    match origin {
        Origin::Mirrored => {}
        Origin::Imported => drop(tags.insert(Tag::is(Is::Imported))),
        Origin::Seeded => drop(tags.insert(Tag::is(Is::Seeded))),
    }
    tags.extend(run.group.iter().map(|group| Tag::new(GROUP_KEY, group)));
    if run.end_is_unknown() {
        tags.insert(Tag::is(Is::Incomplete));
    }
    tags
}

/// The tags of a run's log.
pub(super) fn of_log(log: &LogSummary) -> BTreeSet<Tag> {
    let mut tags: BTreeSet<Tag> = log.tools.iter().map(|name| Tag::new("tool", name)).collect();
    tags.extend(log.failed_tools.iter().map(|name| Tag::new("failed-tool", name)));
    tags.extend(log.slowest_tool.iter().map(|name| Tag::new("slowest-tool", name)));
    tags.extend(log.error_class.iter().map(|class| Tag::new("error", class)));
    let marks = [
        (log.marks.truncated, Is::Truncated),
        (log.marks.looping, Is::Looping),
        (log.marks.over_budget, Is::Budget),
        (log.marks.waiting, Is::Waiting),
        (!log.failed_tools.is_empty(), Is::ToolFailed),
    ];
    tags.extend(marks.into_iter().filter(|(set, _)| *set).map(|(_, is)| Tag::is(is)));
    if log.marks.orphan_call {
        tags.insert(Tag::orphan_call());
    }
    tags
}

/// The tag ids in a run's row, stored as `1,2;3;4`: tags of the run, tags of its log, and tags set by this dashboard,
/// which MANTYX does not know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct TagIds {
    pub run: BTreeSet<i64>,
    pub log: BTreeSet<i64>,
    pub own: BTreeSet<i64>,
}

impl TagIds {
    pub fn parse(text: &str) -> Self {
        let ids = |part: &str| part.split(',').filter_map(|id| id.parse().ok()).collect();
        let mut parts = text.split(';');
        let mut next = || ids(parts.next().unwrap_or(""));
        Self { run: next(), log: next(), own: next() }
    }

    pub fn all(&self) -> BTreeSet<i64> {
        self.run.iter().chain(&self.log).chain(&self.own).copied().collect()
    }
}

impl std::fmt::Display for TagIds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let list = |ids: &BTreeSet<i64>| ids.iter().map(i64::to_string).collect::<Vec<_>>().join(",");
        write!(f, "{};{}", list(&self.run), list(&self.log))?;
        if self.own.is_empty() { Ok(()) } else { write!(f, ";{}", list(&self.own)) }
    }
}

/// A cache of tag ids. Tags are deleted only by an erasure, so entries stay valid until the next one in their workspace.
#[derive(Clone, Debug, Default)]
pub(super) struct TagCache(Arc<Mutex<CachedTags>>);

#[derive(Debug, Default)]
struct CachedTags {
    ids: HashMap<(WorkspaceId, Tag), i64>,
    generations: HashMap<WorkspaceId, i64>,
    bytes: usize,
}

/// The ids of tags at a generation of their workspace: see [`erasure::generation`].
pub(super) struct KnownTags {
    pub ids: HashMap<Tag, i64>,
    generation: i64,
}

impl TagCache {
    /// Adds committed ids, unless something was erased since they were read.
    pub fn insert(&self, workspace: WorkspaceId, known: &KnownTags) {
        let mut cached = self.0.locked();
        if cached.generations.get(&workspace).copied().unwrap_or(0) != known.generation {
            return;
        }
        for (tag, id) in &known.ids {
            let bytes = entry_bytes(tag);
            if cached.bytes + bytes > MAX_CACHED_BYTES {
                *cached = CachedTags { generations: std::mem::take(&mut cached.generations), ..CachedTags::default() };
            }
            if cached.ids.insert((workspace, tag.clone()), *id).is_none() {
                cached.bytes += bytes;
            }
        }
    }

    fn get(&self, workspace: WorkspaceId, generation: i64, tags: &BTreeSet<Tag>) -> HashMap<Tag, i64> {
        let mut cached = self.0.locked();
        if cached.generations.insert(workspace, generation).unwrap_or(0) != generation {
            cached.ids.retain(|(other, _), _| *other != workspace);
            cached.bytes = cached.ids.keys().map(|(_, tag)| entry_bytes(tag)).sum();
        }
        let find = |tag: &Tag| Some((tag.clone(), *cached.ids.get(&(workspace, tag.clone()))?));
        tags.iter().filter_map(find).collect()
    }
}

fn entry_bytes(tag: &Tag) -> usize {
    ENTRY_BYTES + tag.key.len() + tag.value.len()
}

/// The ids of tags. New tags are inserted.
pub(super) async fn ids(
    connection: &mut AnyConnection,
    engine: Engine,
    cache: &TagCache,
    workspace: WorkspaceId,
    tags: &BTreeSet<Tag>,
) -> Result<KnownTags> {
    let generation = erasure::generation(connection, workspace).await?;
    let mut found = cache.get(workspace, generation, tags);
    let missing: Vec<&Tag> = tags.iter().filter(|tag| !found.contains_key(*tag)).collect();
    for chunk in missing.chunks(CHUNK) {
        let (sql, args) = lookup(engine, workspace, chunk);
        read_ids(&fetch(&mut *connection, sql, args).await?, &mut found)?;
    }
    let missing: Vec<&Tag> = tags.iter().filter(|tag| !found.contains_key(*tag)).collect();
    for chunk in missing.chunks(CHUNK) {
        let sql = format!(
            "INSERT INTO tag (workspace_id, key, value, runs) VALUES {} \
             ON CONFLICT (workspace_id, key, value) DO UPDATE SET runs = tag.runs RETURNING key, value, id",
            rows(engine, chunk.len(), "(?, ?, ?, 0)")
        );
        let args = chunk
            .iter()
            .flat_map(|tag| [Arg::from(workspace.0), Arg::from(tag.key.as_str()), Arg::from(tag.value.as_str())]);
        read_ids(&fetch(&mut *connection, sql, args.collect()).await?, &mut found)?;
    }
    Ok(KnownTags { ids: found, generation })
}

/// A query for existing tags with their ids and run counts.
fn lookup(engine: Engine, workspace: WorkspaceId, tags: &[&Tag]) -> (String, Vec<Arg>) {
    // CROSS JOIN makes SQLite start with the wanted tags, each a lookup in the index.
    let of_workspace = match engine {
        Engine::Sqlite => "?".to_owned(),
        Engine::Postgres => format!("${}", 2 * tags.len() + 1),
    };
    let sql = format!(
        "WITH wanted (key, value) AS (VALUES {}) SELECT t.key, t.value, t.id, t.runs FROM wanted w CROSS JOIN tag t \
         WHERE t.workspace_id = {of_workspace} AND t.key = w.key AND t.value = w.value",
        rows(engine, tags.len(), "(?, ?)")
    );
    let texts = tags.iter().flat_map(|tag| [Arg::from(tag.key.as_str()), Arg::from(tag.value.as_str())]);
    (sql, texts.chain([Arg::from(workspace.0)]).collect())
}

fn read_ids(rows: &[sqlx::any::AnyRow], found: &mut HashMap<Tag, i64>) -> Result<()> {
    for row in rows {
        found.insert(Tag { key: row.try_get(0)?, value: row.try_get(1)? }, row.try_get(2)?);
    }
    Ok(())
}

/// Tags added to and removed from runs, collected and then written together with the run counts.
#[derive(Debug, Default)]
pub(super) struct TagChanges {
    added: Vec<(i64, i64)>,
    removed: Vec<(i64, i64)>,
    counts: BTreeMap<i64, i64>,
}

impl TagChanges {
    pub fn record(&mut self, list_key: i64, before: &BTreeSet<i64>, after: &BTreeSet<i64>) {
        for id in after.difference(before) {
            self.added.push((*id, list_key));
            *self.counts.entry(*id).or_default() += 1;
        }
        for id in before.difference(after) {
            self.removed.push((*id, list_key));
            *self.counts.entry(*id).or_default() -= 1;
        }
    }

    pub async fn write(mut self, connection: &mut AnyConnection, engine: Engine) -> Result<()> {
        self.added.sort_unstable();
        for chunk in self.added.chunks(CHUNK) {
            let sql = format!(
                "INSERT INTO run_tag (tag_id, n) VALUES {} ON CONFLICT DO NOTHING",
                rows(engine, chunk.len(), "(?, ?)")
            );
            execute(connection, sql, pairs(chunk)).await?;
        }
        for chunk in self.removed.chunks(CHUNK) {
            let sql =
                format!("DELETE FROM run_tag WHERE (tag_id, n) IN (VALUES {})", rows(engine, chunk.len(), "(?, ?)"));
            execute(connection, sql, pairs(chunk)).await?;
        }
        let counts: Vec<(i64, i64)> = self.counts.into_iter().filter(|(_, change)| *change != 0).collect();
        for chunk in counts.chunks(CHUNK) {
            let sql = format!(
                "WITH change (id, runs) AS (VALUES {}) \
                 UPDATE tag SET runs = tag.runs + change.runs FROM change WHERE tag.id = change.id",
                rows(engine, chunk.len(), "(?, ?)")
            );
            execute(connection, sql, pairs(chunk)).await?;
        }
        Ok(())
    }
}

fn pairs(pairs: &[(i64, i64)]) -> Vec<Arg> {
    pairs.iter().flat_map(|(a, b)| [Arg::from(*a), Arg::from(*b)]).collect()
}

/// A stored tag with its run count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Counted {
    pub tag: Tag,
    pub id: i64,
    pub runs: i64,
}

impl super::Store {
    pub(super) async fn counted_tags(&self, workspace: WorkspaceId, tags: &[&Tag]) -> Result<Vec<Counted>> {
        if tags.is_empty() {
            return Ok(Vec::new());
        }
        let (sql, args) = lookup(self.engine, workspace, tags);
        fetch(&self.reader, sql, args).await?.iter().map(counted).collect()
    }

    pub async fn has_runs_with(&self, workspace: WorkspaceId, tag: &Tag) -> Result<bool> {
        Ok(self.counted_tags(workspace, &[tag]).await?.iter().any(|counted| counted.runs > 0))
    }

    /// The values of a key, most frequent first.
    pub async fn frequent_values(&self, workspace: WorkspaceId, key: &str, limit: u32) -> Result<Vec<String>> {
        let sql = "SELECT value FROM tag WHERE workspace_id = $1 AND key = $2 AND runs > 0 ORDER BY runs DESC LIMIT $3";
        let args = vec![workspace.0.into(), key.into(), i64::from(limit).into()];
        let rows = fetch(&self.reader, sql.to_owned(), args).await?;
        rows.iter().map(|row| row.try_get(0)).collect()
    }

    /// Tags of these keys whose value is this name, or has all its words; the last word may be the beginning of one. `None`
    /// if there are too many names to look at each, or too many that match.
    pub(super) async fn tags_named(
        &self,
        workspace: WorkspaceId,
        keys: &[&str],
        name: &str,
    ) -> Result<Option<Vec<Counted>>> {
        let mut found = Vec::new();
        for key in keys {
            let sql = "SELECT key, value, id, runs FROM tag WHERE workspace_id = $1 AND key = $2 AND runs > 0 LIMIT $3";
            let limit = i64::try_from(MAX_NAMES + 1).unwrap_or(i64::MAX);
            let args = vec![workspace.0.into(), (*key).into(), limit.into()];
            let rows = fetch(&self.reader, sql.to_owned(), args).await?;
            if rows.len() > MAX_NAMES {
                return Ok(None);
            }
            found.extend(rows.iter().map(counted).collect::<Result<Vec<_>>>()?);
        }
        found.retain(|counted| is_named(&counted.tag.value, name));
        Ok((found.len() <= MAX_TAGS_OF_NAME).then_some(found))
    }

    /// Models with this id, or with this name after the provider.
    pub(super) async fn models_named(&self, workspace: WorkspaceId, name: &str) -> Result<Vec<Counted>> {
        let sql = "SELECT key, value, id, runs FROM tag WHERE workspace_id = $1 AND key = 'model'".to_owned();
        let rows = fetch(&self.reader, sql, vec![workspace.0.into()]).await?;
        let all = rows.iter().map(counted).collect::<Result<Vec<_>>>()?;
        let named = |model: &str| model == name || model.rsplit_once('/').is_some_and(|(_, short)| short == name);
        Ok(all.into_iter().filter(|found| named(&found.tag.value)).collect())
    }
}

fn is_named(value: &str, name: &str) -> bool {
    let mut wanted: Vec<String> = words(name).collect();
    let Some(last) = wanted.pop() else { return value == name };
    let known: Vec<String> = words(value).collect();
    wanted.iter().all(|word| known.contains(word)) && known.iter().any(|word| word.starts_with(&last))
}

pub(super) fn counted(row: &sqlx::any::AnyRow) -> Result<Counted> {
    Ok(Counted {
        tag: Tag { key: row.try_get("key")?, value: row.try_get("value")? },
        id: row.try_get("id")?,
        runs: row.try_get("runs")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tag_ids_survive_a_round_trip() {
        let ids = TagIds { run: [3, 1].into(), log: [7].into(), own: [].into() };
        assert_eq!(ids.to_string(), "1,3;7");
        assert_eq!(TagIds::parse("1,3;7"), ids);
        let launched = TagIds { own: [9].into(), ..ids };
        assert_eq!(launched.to_string(), "1,3;7;9");
        assert_eq!(TagIds::parse("1,3;7;9"), launched);
        assert_eq!(TagIds::parse(";"), TagIds::default());
    }

    #[test]
    fn names_match_by_the_beginnings_of_their_words() {
        for name in ["research", "resea", "research-brief", "brief", "BRI", "research-b"] {
            assert!(is_named("Research-brief", name), "{name}");
        }
        assert!(!is_named("Research-brief", "search") && !is_named("Research-brief", "brief-resea-x"));
        assert!(is_named("—", "—") && !is_named("—", "-"));
    }

    #[test]
    fn changes_are_the_difference() {
        let mut changes = TagChanges::default();
        changes.record(10, &[1, 2].into(), &[2, 3].into());
        changes.record(11, &[].into(), &[2].into());
        assert_eq!((changes.added, changes.removed), (vec![(3, 10), (2, 11)], vec![(1, 10)]));
        assert_eq!(changes.counts, BTreeMap::from([(1, -1), (2, 1), (3, 1)]));
    }
}
