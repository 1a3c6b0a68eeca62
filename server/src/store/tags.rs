//! Tags: what runs can be filtered by, with the number of runs that have each.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex};

use domain::{LockExt, RunSummary};
use protocol::query::Is;
use sqlx::{AnyConnection, Row};

use super::facts::LogFacts;
use super::sql::{Arg, execute, fetch, rows};
use super::{Engine, Origin, Result, WorkspaceId};

/// Rows in one statement.
const CHUNK: usize = 1_000;
/// Ids remembered; beyond it the memory starts anew.
const MAX_REMEMBERED: usize = 50_000;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tag {
    pub key: String,
    pub value: String,
}

impl Tag {
    pub fn new(key: &str, value: &str) -> Self {
        Self { key: key.to_owned(), value: value.to_owned() }
    }

    pub fn metadata(key: &str, value: &str) -> Self {
        Self { key: format!("metadata.{key}"), value: value.to_owned() }
    }

    pub fn is(is: Is) -> Self {
        Self::new("is", is.as_str())
    }

    pub fn has_metadata(key: &str) -> Self {
        Self { key: "has".to_owned(), value: format!("metadata.{key}") }
    }

    pub fn orphan_call() -> Self {
        Self::new("has", "orphan-call")
    }
}

/// What the run itself says, with or without a log.
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
    tags
}

/// What its log adds.
pub(super) fn of_log(facts: &LogFacts) -> BTreeSet<Tag> {
    let mut tags: BTreeSet<Tag> = facts.tools.iter().map(|name| Tag::new("tool", name)).collect();
    tags.extend(facts.error_class.iter().map(|class| Tag::new("error", class)));
    let marks = [
        (facts.marks.truncated, Is::Truncated),
        (facts.marks.looping, Is::Looping),
        (facts.marks.over_budget, Is::Budget),
        (facts.marks.waiting, Is::Waiting),
    ];
    tags.extend(marks.into_iter().filter(|(set, _)| *set).map(|(_, is)| Tag::is(is)));
    if facts.marks.orphan_call {
        tags.insert(Tag::orphan_call());
    }
    tags
}

/// The ids of a run's tags, as its row keeps them: `1,2;3;4` for those of the run, those of its log, and those that it has
/// from this dashboard, whatever MANTYX says of it.
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

/// Ids that were looked up before. Tags are never deleted, so a remembered id stays right.
#[derive(Clone, Debug, Default)]
pub(super) struct TagCache(Arc<Mutex<HashMap<(WorkspaceId, Tag), i64>>>);

impl TagCache {
    /// Only ids that are committed may be remembered.
    pub fn remember(&self, workspace: WorkspaceId, ids: &HashMap<Tag, i64>) {
        let mut known = self.0.locked();
        if known.len() + ids.len() > MAX_REMEMBERED {
            known.clear();
        }
        known.extend(ids.iter().take(MAX_REMEMBERED).map(|(tag, id)| ((workspace, tag.clone()), *id)));
    }

    fn known(&self, workspace: WorkspaceId, tags: &BTreeSet<Tag>) -> HashMap<Tag, i64> {
        let known = self.0.locked();
        let find = |tag: &Tag| Some((tag.clone(), *known.get(&(workspace, tag.clone()))?));
        tags.iter().filter_map(find).collect()
    }
}

/// The ids of tags; those that are new are made.
pub(super) async fn ids(
    connection: &mut AnyConnection,
    engine: Engine,
    cache: &TagCache,
    workspace: WorkspaceId,
    tags: &BTreeSet<Tag>,
) -> Result<HashMap<Tag, i64>> {
    let mut found = cache.known(workspace, tags);
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
    Ok(found)
}

/// Tags that exist, with their ids and how many runs have them.
fn lookup(engine: Engine, workspace: WorkspaceId, tags: &[&Tag]) -> (String, Vec<Arg>) {
    // The wanted ones drive, each a lookup in the index.
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

/// The runs that gained and lost tags, written together with the counts.
#[derive(Debug, Default)]
pub(super) struct TagChanges {
    gained: Vec<(i64, i64)>,
    lost: Vec<(i64, i64)>,
    counts: BTreeMap<i64, i64>,
}

impl TagChanges {
    pub fn note(&mut self, n: i64, before: &BTreeSet<i64>, after: &BTreeSet<i64>) {
        for id in after.difference(before) {
            self.gained.push((*id, n));
            *self.counts.entry(*id).or_default() += 1;
        }
        for id in before.difference(after) {
            self.lost.push((*id, n));
            *self.counts.entry(*id).or_default() -= 1;
        }
    }

    pub async fn write(mut self, connection: &mut AnyConnection, engine: Engine) -> Result<()> {
        self.gained.sort_unstable();
        for chunk in self.gained.chunks(CHUNK) {
            let sql = format!(
                "INSERT INTO run_tag (tag_id, n) VALUES {} ON CONFLICT DO NOTHING",
                rows(engine, chunk.len(), "(?, ?)")
            );
            execute(connection, sql, pairs(chunk)).await?;
        }
        for chunk in self.lost.chunks(CHUNK) {
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

/// A tag that exists, and how many runs have it.
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

    /// Values of a key that runs have, the most frequent first.
    pub async fn frequent_values(&self, workspace: WorkspaceId, key: &str, limit: u32) -> Result<Vec<String>> {
        let sql = "SELECT value FROM tag WHERE workspace_id = $1 AND key = $2 AND runs > 0 ORDER BY runs DESC LIMIT $3";
        let args = vec![workspace.0.into(), key.into(), i64::from(limit).into()];
        let rows = fetch(&self.reader, sql.to_owned(), args).await?;
        rows.iter().map(|row| row.try_get(0)).collect()
    }

    /// Models by their whole id, or by what follows the provider.
    pub(super) async fn models_named(&self, workspace: WorkspaceId, name: &str) -> Result<Vec<Counted>> {
        let sql = "SELECT key, value, id, runs FROM tag WHERE workspace_id = $1 AND key = 'model'".to_owned();
        let rows = fetch(&self.reader, sql, vec![workspace.0.into()]).await?;
        let all = rows.iter().map(counted).collect::<Result<Vec<_>>>()?;
        let named = |model: &str| model == name || model.rsplit_once('/').is_some_and(|(_, short)| short == name);
        Ok(all.into_iter().filter(|found| named(&found.tag.value)).collect())
    }
}

pub(super) fn counted(row: &sqlx::any::AnyRow) -> Result<Counted> {
    Ok(Counted {
        tag: Tag { key: row.try_get(0)?, value: row.try_get(1)? },
        id: row.try_get(2)?,
        runs: row.try_get(3)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_read_back_as_they_were_written() {
        let ids = TagIds { run: [3, 1].into(), log: [7].into(), own: [].into() };
        assert_eq!(ids.to_string(), "1,3;7");
        assert_eq!(TagIds::parse("1,3;7"), ids);
        let launched = TagIds { own: [9].into(), ..ids };
        assert_eq!(launched.to_string(), "1,3;7;9");
        assert_eq!(TagIds::parse("1,3;7;9"), launched);
        assert_eq!(TagIds::parse(";"), TagIds::default());
    }

    #[test]
    fn changes_are_what_differs() {
        let mut changes = TagChanges::default();
        changes.note(10, &[1, 2].into(), &[2, 3].into());
        changes.note(11, &[].into(), &[2].into());
        assert_eq!((changes.gained, changes.lost), (vec![(3, 10), (2, 11)], vec![(1, 10)]));
        assert_eq!(changes.counts, BTreeMap::from([(1, -1), (2, 1), (3, 1)]));
    }
}
