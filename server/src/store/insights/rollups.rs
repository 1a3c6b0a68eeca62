//! Writes facts and rollups, within the transaction that writes the runs.

use std::collections::{BTreeMap, BTreeSet};

use sqlx::{AnyConnection, Row};

use super::facts::{LogFacts, RunFacts, hour_of};
use super::figures::Figures;
use crate::store::run_row::RunRow;
use crate::store::sql::{Arg, execute, fetch, rows};
use crate::store::{Engine, Result, WorkspaceId};

/// The lengths of rollups, in hours.
pub const LENGTHS: [i64; 3] = [1, 24, 32 * 24];
/// A tag gets rollups once more runs have it. Fewer runs are read one by one.
const MIN_RUNS: i64 = 100;
/// Rows per statement.
const CHUNK: usize = 500;

/// The tag of all runs of a workspace.
pub fn all_runs(workspace: WorkspaceId) -> i64 {
    -workspace.0
}

/// The facts of changed runs, collected and then written together.
#[derive(Default)]
pub struct FactsChanges<'a>(Vec<(&'a RunRow, Option<LogFacts>)>);

/// A tag, a length and a start.
type Key = (i64, i64, i64);

/// Changes of rollups.
#[derive(Default)]
struct Changes(BTreeMap<Key, Figures>);

impl<'a> FactsChanges<'a> {
    /// Adds a row as it is written.
    pub fn push(&mut self, row: &'a RunRow, log: Option<LogFacts>) {
        self.0.push((row, log));
    }

    /// Writes the facts, and adds the difference to the rollups. The runs' rows and tags are written before.
    pub async fn write(self, tx: &mut AnyConnection, engine: Engine, workspace: WorkspaceId) -> Result<()> {
        let list = self.0.iter().map(|(row, _)| row.list_key.to_string()).collect::<Vec<_>>().join(", ");
        let before = if list.is_empty() { BTreeMap::new() } else { stored(tx, workspace, &list).await? };
        let mut after = BTreeMap::new();
        for (row, log) in self.0 {
            let facts = RunFacts::of(row, log, before.get(&row.list_key));
            if before.get(&row.list_key) != Some(&facts) {
                after.insert(row.list_key, facts);
            }
        }
        let bodies: Vec<(i64, Vec<u8>)> = after.iter().map(|(list_key, facts)| (*list_key, facts.encode())).collect();
        for chunk in bodies.chunks(CHUNK) {
            let sql = format!(
                "INSERT INTO run_facts (workspace_id, n, body) VALUES {} \
                 ON CONFLICT (workspace_id, n) DO UPDATE SET body = excluded.body",
                rows(engine, chunk.len(), "(?, ?, ?)")
            );
            let args = chunk.iter().flat_map(|(n, body)| [workspace.into(), Arg::from(*n), Arg::from(body)]);
            execute(tx, sql, args.collect()).await?;
        }
        let replaced = before.into_iter().filter(|(list_key, _)| after.contains_key(list_key)).collect();
        roll_up(tx, engine, workspace, &replaced, &after).await
    }
}

/// Deletes the facts of runs, and subtracts them from the rollups. `list` is SQL.
pub async fn delete(tx: &mut AnyConnection, engine: Engine, workspace: WorkspaceId, list: &str) -> Result<()> {
    let before = stored(tx, workspace, list).await?;
    let sql = format!("DELETE FROM run_facts WHERE workspace_id = $1 AND n IN ({list})");
    execute(tx, sql, vec![workspace.into()]).await?;
    roll_up(tx, engine, workspace, &before, &BTreeMap::new()).await
}

async fn stored(tx: &mut AnyConnection, workspace: WorkspaceId, list: &str) -> Result<BTreeMap<i64, RunFacts>> {
    let sql = format!("SELECT n, body FROM run_facts WHERE workspace_id = $1 AND n IN ({list})");
    let rows = fetch(tx, sql, vec![workspace.into()]).await?;
    rows.iter().map(read_facts).collect()
}

/// Reads a row with list key and facts.
pub fn read_facts(row: &sqlx::any::AnyRow) -> Result<(i64, RunFacts)> {
    let body: &[u8] = row.try_get(1)?;
    let facts = RunFacts::decode(body).ok_or_else(|| sqlx::Error::Protocol("facts of a run are damaged".to_owned()))?;
    Ok((row.try_get(0)?, facts))
}

pub fn read_figures(body: &[u8]) -> Result<Figures> {
    Figures::decode(body).ok_or_else(|| sqlx::Error::Protocol("a rollup is damaged".to_owned()))
}

async fn roll_up(
    tx: &mut AnyConnection,
    engine: Engine,
    workspace: WorkspaceId,
    before: &BTreeMap<i64, RunFacts>,
    after: &BTreeMap<i64, RunFacts>,
) -> Result<()> {
    let mentioned: BTreeSet<i64> =
        before.values().chain(after.values()).flat_map(|facts| facts.tags.iter().copied()).collect();
    let RollupTags { known, new } = rolled(tx, workspace, &mentioned).await?;
    let mut changes = Changes::default();
    for (runs, sign) in [(before, -1), (after, 1)] {
        for (list_key, facts) in runs {
            let tags = facts.tags.iter().copied().filter(|tag| known.contains(tag));
            tags.chain([all_runs(workspace)]).for_each(|tag| changes.add(*list_key, facts, tag, sign));
        }
    }
    for tag in new {
        let sql = "SELECT f.n, f.body FROM run_tag t CROSS JOIN run_facts f \
             WHERE t.tag_id = $2 AND f.workspace_id = $1 AND f.n = t.n";
        for row in fetch(&mut *tx, sql.to_owned(), vec![workspace.into(), tag.into()]).await? {
            let (list_key, facts) = read_facts(&row)?;
            changes.add(list_key, &facts, tag, 1);
        }
        let sql = "UPDATE tag SET rolled = 1 WHERE workspace_id = $1 AND id = $2";
        execute(tx, sql.to_owned(), vec![workspace.into(), tag.into()]).await?;
    }
    changes.write(tx, engine).await
}

/// Tags that have rollups, and those that need them from now on.
struct RollupTags {
    known: BTreeSet<i64>,
    new: Vec<i64>,
}

async fn rolled(tx: &mut AnyConnection, workspace: WorkspaceId, tags: &BTreeSet<i64>) -> Result<RollupTags> {
    let mut rolled = RollupTags { known: BTreeSet::new(), new: Vec::new() };
    let tags: Vec<String> = tags.iter().map(i64::to_string).collect();
    for chunk in tags.chunks(CHUNK) {
        let sql = format!(
            "SELECT id, rolled FROM tag WHERE workspace_id = $1 AND (rolled = 1 OR runs > $2) AND id IN ({})",
            chunk.join(", ")
        );
        for row in fetch(&mut *tx, sql, vec![workspace.into(), MIN_RUNS.into()]).await? {
            let id: i64 = row.try_get(0)?;
            if row.try_get::<i64, _>(1)? == 1 {
                rolled.known.insert(id);
            } else {
                rolled.new.push(id);
            }
        }
    }
    Ok(rolled)
}

impl Changes {
    fn add(&mut self, list_key: i64, facts: &RunFacts, tag: i64, sign: i64) {
        let hour = hour_of(list_key);
        for hours in LENGTHS {
            self.0.entry((tag, hours, hour.div_euclid(hours))).or_default().add_run(facts, tag, sign);
        }
    }

    async fn write(self, tx: &mut AnyConnection, engine: Engine) -> Result<()> {
        let changed: Vec<(Key, Figures)> = self.0.into_iter().filter(|(_, figures)| !figures.is_zero()).collect();
        for chunk in changed.chunks(CHUNK) {
            let keys = rows(engine, chunk.len(), "(?, ?, ?)");
            let args =
                chunk.iter().flat_map(|((tag, hours, start), _)| [tag, hours, start].map(|part| Arg::from(*part)));
            let sql = format!(
                "SELECT tag_id, hours, start, figures FROM rollup WHERE (tag_id, hours, start) IN (VALUES {keys})"
            );
            let mut stored: BTreeMap<Key, Figures> = BTreeMap::new();
            for row in fetch(&mut *tx, sql, args.collect()).await? {
                let key = (row.try_get("tag_id")?, row.try_get("hours")?, row.try_get("start")?);
                stored.insert(key, read_figures(row.try_get("figures")?)?);
            }
            let (mut kept, mut empty): (Vec<(&Key, Vec<u8>)>, Vec<&Key>) = (Vec::new(), Vec::new());
            for (key, change) in chunk {
                let mut figures = stored.remove(key).unwrap_or_default();
                figures.add(change, 1);
                if figures.is_zero() {
                    empty.push(key);
                } else {
                    kept.push((key, figures.encode()));
                }
            }
            if !kept.is_empty() {
                let sql = format!(
                    "INSERT INTO rollup (tag_id, hours, start, figures) VALUES {} \
                     ON CONFLICT (tag_id, hours, start) DO UPDATE SET figures = excluded.figures",
                    rows(engine, kept.len(), "(?, ?, ?, ?)")
                );
                let args = kept.iter().flat_map(|((tag, hours, start), figures)| {
                    [Arg::from(*tag), Arg::from(*hours), Arg::from(*start), Arg::from(figures)]
                });
                execute(tx, sql, args.collect()).await?;
            }
            if !empty.is_empty() {
                let keys = rows(engine, empty.len(), "(?, ?, ?)");
                let sql = format!("DELETE FROM rollup WHERE (tag_id, hours, start) IN (VALUES {keys})");
                let args =
                    empty.iter().flat_map(|(tag, hours, start)| [tag, hours, start].map(|part| Arg::from(*part)));
                execute(tx, sql, args.collect()).await?;
            }
        }
        Ok(())
    }
}
