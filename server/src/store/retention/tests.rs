//! Tests of the limits on SQLite. `server/tests/integration/retention.rs` runs them on both engines.

use super::*;
use crate::seed::Seeder;

const NOW_MS: i64 = 1_790_000_000_000;

/// Stores runs of a workspace, as old as those of other workspaces.
async fn fill(store: &Store, slug: &str, runs: u64) -> anyhow::Result<WorkspaceId> {
    let workspace = store.workspace_from_slug(slug).await?;
    let seeder = Seeder::new(1, runs, NOW_MS, store.packer().clone());
    let updates = (0..runs).map(|index| Ok(seeder.run(index)?.0)).collect::<anyhow::Result<Vec<_>>>()?;
    store.upsert_runs(workspace, &updates).await?;
    Ok(workspace)
}

async fn open(dir: &tempfile::TempDir) -> anyhow::Result<Store> {
    Store::open(&format!("sqlite:{}", dir.path().join("x.db").display())).await
}

#[tokio::test]
async fn a_size_limit_deletes_the_oldest_runs_and_no_more_than_needed() -> anyhow::Result<()> {
    let dir = tempfile::tempdir()?;
    let store = open(&dir).await?;
    let workspace = fill(&store, "acme", 100).await?;
    let stored = store.stored_bytes().await?;
    let limit = stored * 10 / 14;
    let retention = Retention { max_bytes: Some(limit), ..Retention::default() };
    let preview = store.preview_retention(&retention, NOW_MS).await?;
    assert_eq!(store.count_runs(workspace).await?, 100, "a preview deletes nothing");

    let deleted = store.enforce(&retention, NOW_MS).await?;
    assert_eq!(preview, deleted);
    let left = store.count_runs(workspace).await?;
    assert!((65..=75).contains(&left), "{left} of 100 runs are left");
    assert_eq!((deleted.len(), deleted[0].workspace.as_str(), deleted[0].runs), (1, "acme", 100 - left as u64));
    let oldest_left: i64 = sqlx::query_scalar("SELECT MIN(created_at) FROM run").fetch_one(&store.reader).await?;
    assert!(deleted[0].oldest_ms <= deleted[0].newest_ms && deleted[0].newest_ms <= oldest_left);

    // Further checks delete a few more, until the pages in use are within the limit.
    for _ in 0..100 {
        if store.enforce(&retention, NOW_MS).await?.is_empty() {
            break;
        }
    }
    let (left, stored) = (store.count_runs(workspace).await?, store.stored_bytes().await?);
    assert!(left > 40 && stored <= limit, "{left} runs are left, {stored} of {limit} bytes");
    Ok(())
}

#[tokio::test]
async fn a_workspace_limit_leaves_other_workspaces_alone() -> anyhow::Result<()> {
    let dir = tempfile::tempdir()?;
    let store = open(&dir).await?;
    let (acme, globex) = (fill(&store, "acme", 60).await?, fill(&store, "globex", 60).await?);
    let half = store.stored_bytes().await? / 4;
    let retention = Retention { workspace_max_bytes: vec![("acme".to_owned(), half)], ..Retention::default() };
    let preview = store.preview_retention(&retention, NOW_MS).await?;
    let deleted = store.enforce(&retention, NOW_MS).await?;
    assert_eq!(preview, deleted);
    assert_eq!(store.count_runs(globex).await?, 60);
    let left = store.count_runs(acme).await?;
    assert!((25..=35).contains(&left), "{left} of 60 runs are left");
    Ok(())
}

#[tokio::test]
async fn other_contents_do_not_count_as_runs() -> anyhow::Result<()> {
    let dir = tempfile::tempdir()?;
    let store = open(&dir).await?;
    fill(&store, "acme", 100).await?;
    let stored = store.stored_bytes().await?;
    let retention = Retention { max_bytes: Some(stored + 100_000), ..Retention::default() };
    for number in 0..40 {
        sqlx::query("INSERT INTO web_session (id, record, expires_at) VALUES ($1, $2, 1)")
            .bind(format!("session {number}"))
            .bind(vec![7_u8; 60_000])
            .execute(&store.writer)
            .await?;
    }
    assert!(store.database_bytes().await? > stored + 2_000_000);
    assert_eq!(store.preview_retention(&retention, NOW_MS).await?, []);
    Ok(())
}

#[tokio::test]
async fn many_small_rows_of_other_tables_do_not_count_as_runs() -> anyhow::Result<()> {
    let dir = tempfile::tempdir()?;
    let store = open(&dir).await?;
    let workspace = fill(&store, "acme", 100).await?;
    let stored = store.stored_bytes().await?;
    let retention = Retention { max_bytes: Some(stored + 100_000), ..Retention::default() };
    sqlx::query(
        "WITH RECURSIVE entry(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM entry WHERE n < 10000) \
         INSERT INTO audit_entry (workspace_id, at, actor, action, detail) \
         SELECT $1, n, 'ada@acme.test', 'sign_in', 'scopes: runs:read runs:write sessions:read sessions:write' FROM entry",
    )
    .bind(workspace.0)
    .execute(&store.writer)
    .await?;
    assert!(store.database_bytes().await? > stored + 1_000_000);
    assert_eq!(store.preview_retention(&retention, NOW_MS).await?, []);
    Ok(())
}

#[tokio::test]
async fn the_limit_of_all_workspaces_takes_from_the_one_that_stores_most() -> anyhow::Result<()> {
    let dir = tempfile::tempdir()?;
    let store = open(&dir).await?;
    let small = fill(&store, "acme", 20).await?;
    // The runs of the other workspace claim to be newer.
    let large = store.workspace_from_slug("globex").await?;
    let seeder = Seeder::new(2, 200, NOW_MS, store.packer().clone());
    for index in 0..200 {
        let mut update = seeder.run(index)?.0;
        update.summary.created_at_ms = NOW_MS + 1_000_000_000 + index as i64;
        store.upsert_runs(large, &[update]).await?;
    }
    let retention = Retention { max_bytes: Some(store.stored_bytes().await? / 2), ..Retention::default() };
    let preview = store.preview_retention(&retention, NOW_MS).await?;
    assert_eq!(store.enforce(&retention, NOW_MS).await?, preview);
    assert_eq!(store.count_runs(small).await?, 20);
    let left = store.count_runs(large).await?;
    assert!((50..150).contains(&left), "{left} of 200 runs are left");
    Ok(())
}
