//! Writing the words of runs.

use std::collections::HashSet;

use sqlx::AnyConnection;

use super::common_words::CommonWords;
use super::words::SearchedText;
use super::{common, indexed_word};
use crate::store::sql::{Arg, execute, rows};
use crate::store::{Engine, Result, Store, WorkspaceId};

const CHUNK: usize = 200;

/// The words of a run, to be written.
pub(in crate::store) struct RunText {
    pub list_key: i64,
    pub text: SearchedText,
}

pub(in crate::store) async fn write(
    connection: &mut AnyConnection,
    store: &Store,
    workspace: WorkspaceId,
    texts: &[RunText],
) -> Result<()> {
    if texts.is_empty() {
        return Ok(());
    }
    let engine = store.engine;
    let common = common::load(connection, &store.common_words, workspace).await?;
    for chunk in texts.chunks(CHUNK) {
        let stored: Vec<_> = chunk.iter().map(|run| common.shorten(run.text.as_str())).collect();
        let bodies = store.packer.compress_each(stored.iter().map(|text| text.as_bytes()));
        let bodies = bodies.map_err(sqlx::Error::Io)?;
        let sql = format!(
            "INSERT INTO searched_text (n, body) VALUES {} ON CONFLICT (n) DO UPDATE SET body = excluded.body",
            rows(engine, chunk.len(), "(?, ?)")
        );
        let args = chunk.iter().zip(bodies).flat_map(|(run, body)| [Arg::from(run.list_key), Arg::from(body)]);
        execute(connection, sql, args.collect()).await?;
        let (sql, args): (String, Vec<Arg>) = match engine {
            Engine::Sqlite => (
                format!(
                    "INSERT OR REPLACE INTO run_word (rowid, words) VALUES {}",
                    rows(engine, chunk.len(), "(?, ?)")
                ),
                chunk.iter().flat_map(|run| [run.list_key.into(), run.for_sqlite(workspace, &common).into()]).collect(),
            ),
            Engine::Postgres => (
                format!(
                    "INSERT INTO run_text (n, workspace_id, words) VALUES {} \
                     ON CONFLICT (n) DO UPDATE SET words = excluded.words",
                    rows(engine, chunk.len(), "(?, ?, CAST(? AS tsvector))")
                ),
                chunk
                    .iter()
                    .flat_map(|run| {
                        [run.list_key.into(), workspace.0.into(), run.for_postgres(workspace, &common).into()]
                    })
                    .collect(),
            ),
        };
        execute(connection, sql, args).await?;
    }
    Ok(())
}

pub(in crate::store) async fn delete(connection: &mut AnyConnection, engine: Engine, list_keys: &str) -> Result<()> {
    let index = match engine {
        Engine::Sqlite => format!("DELETE FROM run_word WHERE rowid IN ({list_keys})"),
        Engine::Postgres => format!("DELETE FROM run_text WHERE n IN ({list_keys})"),
    };
    for sql in [index, format!("DELETE FROM searched_text WHERE n IN ({list_keys})")] {
        execute(connection, sql, Vec::new()).await?;
    }
    Ok(())
}

impl RunText {
    fn for_sqlite(&self, workspace: WorkspaceId, common: &CommonWords) -> String {
        let prefix = indexed_word(workspace, "");
        self.words(common).flat_map(|word| [&prefix, word, " "]).collect()
    }

    fn for_postgres(&self, workspace: WorkspaceId, common: &CommonWords) -> String {
        let prefix = indexed_word(workspace, "");
        self.words(common).flat_map(|word| ["'", &prefix, word, "' "]).collect()
    }

    /// The words to index: each once, without those that are too common.
    fn words<'a>(&'a self, common: &'a CommonWords) -> impl Iterator<Item = &'a str> {
        let mut seen = HashSet::new();
        self.text.words().filter(move |word| !common.contain_word(word) && seen.insert(*word))
    }
}

#[cfg(test)]
mod tests {
    use domain::RunSort;
    use protocol::Query;

    use super::super::words::Words;
    use super::*;
    use crate::seed::Seeder;

    const UNTIL_MS: i64 = 1_790_000_000_000;
    const RUNS: u64 = 60;

    #[test]
    fn both_engines_index_the_same_words() {
        let text = SearchedText::new(&Words::of("Bill-run 12 the bill"), &Words::of("the"));
        let (run, common) = (RunText { list_key: 1, text }, CommonWords::from_stored(" the ".to_owned()));
        assert_eq!(run.for_sqlite(WorkspaceId(7), &common), "7§bill 7§run 7§12 ");
        assert_eq!(run.for_postgres(WorkspaceId(7), &common), "'7§bill' '7§run' '7§12' ");
    }

    async fn found(store: &Store, workspace: WorkspaceId, text: &str) -> anyhow::Result<Vec<String>> {
        let query = Query::parse(text).map_err(|error| anyhow::anyhow!("{error}"))?;
        let plan = store.plan(workspace, &query, UNTIL_MS).await?;
        let runs = store.list_runs(&plan, RunSort::default(), None, 200).await?.runs;
        Ok(runs.into_iter().map(|run| run.id).collect())
    }

    #[tokio::test]
    async fn runs_of_an_earlier_version_are_indexed_again() -> anyhow::Result<()> {
        let dir = tempfile::tempdir()?;
        let store = Store::open(&format!("sqlite:{}", dir.path().join("x.db").display())).await?;
        let workspace = store.workspace_from_slug("demo").await?;
        let seeder = Seeder::new(1, RUNS, UNTIL_MS, store.packer().clone());
        let runs = (0..RUNS).map(|index| Ok(seeder.run(index)?.0)).collect::<anyhow::Result<Vec<_>>>()?;
        store.upsert_runs(workspace, &runs).await?;
        let expected = found(&store, workspace, "supp").await?;
        let failed = found(&store, workspace, "status:failed").await?;
        assert!(!expected.is_empty() && !failed.is_empty());
        let empty = Query::default();
        let histogram = async || -> anyhow::Result<_> {
            Ok(store.histogram(&store.plan(workspace, &empty, UNTIL_MS).await?, 60).await?)
        };
        let before = histogram().await?;
        for sql in ["UPDATE run SET indexed = 1, reason = NULL", "DELETE FROM run_word", "DELETE FROM searched_text"] {
            sqlx::query(sql).execute(&store.writer).await?;
        }
        assert!(found(&store, workspace, "supp").await?.is_empty());
        for (workspace, id) in store.unindexed_runs(1_000).await? {
            store.index_log(workspace, &id).await?;
        }
        assert!(store.unindexed_runs(1).await?.is_empty());
        assert_eq!(found(&store, workspace, "supp").await?, expected);
        let run = store.run(workspace, &failed[0]).await?;
        assert!(run.is_some_and(|run| run.reason.is_some()));
        assert_eq!(histogram().await?, before, "each run is counted once");
        Ok(())
    }
}
