//! Choosing the words of a workspace that are too common for the index.
//!
//! A walk finds common words at once, so the index is not needed for them, and a third of its entries would be theirs. The words are
//! chosen once, when a workspace has enough runs with whole logs, and stay: from then on runs are indexed without them. Values of
//! metadata are not among them, because everything with a value can be erased. The table is `common_words`.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};

use domain::LockExt;
use protocol::messages::Metadata;
use protocol::query::words;
use sqlx::{AnyConnection, Row};

use super::common_words::CommonWords;
use crate::store::ingest::LOG_COMPLETE;
use crate::store::{Result, Store, WorkspaceId};

/// The number of runs that the words are chosen from.
const SAMPLES: u32 = 400;
/// The newest runs among which samples are searched.
const MAX_SEARCHED: u32 = 2_000;

/// Workspaces whose words are in memory.
const MAX_CACHED: usize = 64;

/// The chosen words of workspaces.
#[derive(Clone, Debug, Default)]
pub(in crate::store) struct CommonWordsCache(Arc<Mutex<HashMap<WorkspaceId, Arc<CommonWords>>>>);

/// The common words of a workspace. None until they are chosen.
pub(in crate::store) async fn load(
    connection: &mut AnyConnection,
    cache: &CommonWordsCache,
    workspace: WorkspaceId,
) -> Result<Arc<CommonWords>> {
    let cached = cache.0.locked().get(&workspace).cloned();
    if let Some(common) = cached {
        return Ok(common);
    }
    let Some(chosen) = find(connection, workspace).await? else { return Ok(Arc::default()) };
    let chosen = Arc::new(chosen);
    let mut cached = cache.0.locked();
    if cached.len() >= MAX_CACHED {
        cached.clear();
    }
    cached.insert(workspace, chosen.clone());
    Ok(chosen)
}

async fn find(connection: &mut AnyConnection, workspace: WorkspaceId) -> Result<Option<CommonWords>> {
    let words: Option<String> = sqlx::query_scalar("SELECT words FROM common_words WHERE workspace_id = $1")
        .bind(workspace.0)
        .fetch_optional(connection)
        .await?;
    Ok(words.map(CommonWords::from_stored))
}

impl Store {
    /// Chooses the common words of a workspace, if that was not done and enough runs are stored.
    pub async fn choose_common_words(&self, workspace: WorkspaceId) -> Result<()> {
        let mut connection = self.reader.acquire().await?;
        if find(&mut connection, workspace).await?.is_some() {
            return Ok(());
        }
        let sql = "SELECT r.metadata, x.body FROM \
             (SELECT n, log_state, metadata FROM run WHERE workspace_id = $1 ORDER BY n DESC LIMIT $2) r \
             JOIN searched_text x ON x.n = r.n WHERE r.log_state = $3 ORDER BY r.n DESC LIMIT $4";
        let rows = sqlx::query(sql)
            .bind(workspace.0)
            .bind(i64::from(MAX_SEARCHED))
            .bind(LOG_COMPLETE)
            .bind(i64::from(SAMPLES))
            .fetch_all(&mut *connection)
            .await?;
        if rows.len() < SAMPLES as usize {
            return Ok(());
        }
        let (mut texts, mut of_metadata) = (Vec::with_capacity(rows.len()), HashSet::new());
        for row in &rows {
            texts.push(self.unpack(&mut connection, row.try_get("body")?).await?);
            let metadata: Metadata = serde_json::from_str(row.try_get("metadata")?).unwrap_or_default();
            of_metadata.extend(metadata.values().flat_map(|value| words(value)));
        }
        drop(connection);
        sqlx::query("INSERT INTO common_words (workspace_id, words) VALUES ($1, $2) ON CONFLICT DO NOTHING")
            .bind(workspace.0)
            .bind(CommonWords::of(&texts, &of_metadata).as_str())
            .execute(&self.writer)
            .await
            .map(drop)
    }
}

#[cfg(test)]
mod tests {
    use domain::RunSort;
    use protocol::Query;

    use super::*;
    use crate::seed::Seeder;

    const UNTIL_MS: i64 = 1_790_000_000_000;
    const RUNS: u64 = 600;

    async fn found(store: &Store, workspace: WorkspaceId, text: &str) -> anyhow::Result<Vec<String>> {
        let query = Query::parse(text).map_err(|error| anyhow::anyhow!("{error}"))?;
        let plan = store.plan(workspace, &query, UNTIL_MS).await?;
        let runs = store.list_runs(&plan, RunSort::default(), None, 1_000).await?.runs;
        Ok(runs.into_iter().map(|run| run.id).collect())
    }

    /// The number of runs that have a word in the index.
    async fn indexed(store: &Store, word: &str) -> Result<i64> {
        let sql = "SELECT COUNT(*) FROM run_word WHERE run_word MATCH $1";
        sqlx::query_scalar(sql).bind(format!("\"1§{word}\"")).fetch_one(&store.writer).await
    }

    #[tokio::test]
    async fn runs_are_found_by_words_that_the_index_lacks() -> anyhow::Result<()> {
        let dir = tempfile::tempdir()?;
        let open = async |name: &str| -> anyhow::Result<(Store, WorkspaceId)> {
            let store = Store::open(&format!("sqlite:{}", dir.path().join(name).display())).await?;
            let workspace = store.workspace_from_slug("demo").await?;
            Ok((store, workspace))
        };
        let ((all, workspace), (store, _)) = (open("all.db").await?, open("x.db").await?);
        let seeder = Seeder::new(1, RUNS, UNTIL_MS, store.packer().clone());
        let runs = (0..RUNS).map(|index| Ok(seeder.run(index)?.0)).collect::<anyhow::Result<Vec<_>>>()?;
        all.upsert_runs(workspace, &runs).await?;
        let (earlier, later) = runs.split_at(450);
        store.upsert_runs(workspace, &earlier[..300]).await?;
        store.choose_common_words(workspace).await?;
        assert!(find(&mut *store.reader.acquire().await?, workspace).await?.is_none(), "too few runs");
        store.upsert_runs(workspace, &earlier[300..]).await?;
        store.choose_common_words(workspace).await?;
        store.upsert_runs(workspace, later).await?;

        let common = load(&mut *store.reader.acquire().await?, &store.common_words, workspace).await?;
        assert!(common.contain(" invoice ") && !common.contain(" heliotrope "));
        assert!(!common.contain(" prod ") && !common.contain(" customer "), "values of metadata");
        assert!(indexed(&store, "invoice").await? <= 450 && indexed(&all, "invoice").await? > 450);
        assert_eq!(indexed(&store, "heliotrope").await?, indexed(&all, "heliotrope").await?);
        let order = &runs[3].summary.metadata["order"];
        for text in [
            "invoice",
            "invo",
            "i",
            "-invo",
            "heliot",
            "\"order invoice\"",
            "invoice-heliotrope",
            "heliotrope-invo",
            "text:heliot,invo",
            "text:heliot,zzzz",
            "invo heliot",
            order.as_str(),
            format!("invo {order}").as_str(),
            format!("invo-{order}").as_str(),
            format!("{order}-invo").as_str(),
        ] {
            assert_eq!(found(&store, workspace, text).await?, found(&all, workspace, text).await?, "{text}");
        }
        Ok(())
    }
}
