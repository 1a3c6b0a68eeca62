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
    while !store.enforce(&retention, NOW_MS).await?.is_empty() {}
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
