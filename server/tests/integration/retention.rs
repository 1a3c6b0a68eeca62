//! `runlens retain`: limits of all workspaces and of one, and what a dry run prints.

use std::process::Command;

use runlens::config::DatabaseOptions;
use runlens::seed::{SeedOptions, seed};

use crate::harness::TestDatabase;

const RUNS: u64 = 400;

async fn fill(database: &TestDatabase, dir: &std::path::Path, workspace: &str) {
    let options = SeedOptions {
        runs: RUNS,
        seed: 1,
        workspace: workspace.to_owned(),
        until_ms: Some(1_790_000_000_000),
        database: DatabaseOptions { data_dir: dir.to_owned(), database_url: Some(database.url.clone()) },
    };
    seed(options).await.unwrap();
}

fn retain(database: &TestDatabase, dir: &std::path::Path, limit: &str, more: &[&str]) -> String {
    let done = Command::new(env!("CARGO_BIN_EXE_runlens"))
        .arg("retain")
        .args(more)
        .env_clear()
        .env("RUNLENS_DATA_DIR", dir)
        .env("DATABASE_URL", &database.url)
        .env("RUNLENS_RETAIN_MB", limit)
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}

#[tokio::test]
async fn retain_removes_what_its_dry_run_names_and_spares_other_workspaces() {
    let dir = tempfile::tempdir().unwrap();
    let database = TestDatabase::create(dir.path()).await;
    fill(&database, dir.path(), "acme").await;
    fill(&database, dir.path(), "globex").await;
    let pool = database.connect().await;
    let count = async |slug: &str| -> i64 {
        let sql = "SELECT COUNT(*) FROM run WHERE workspace_id = (SELECT id FROM workspace WHERE slug = $1)";
        sqlx::query_scalar(sql).bind(slug).fetch_one(&pool).await.unwrap()
    };
    let removed = |printed: &str| -> i64 {
        let last = printed.lines().last().unwrap();
        last.split(' ').next().unwrap().parse().unwrap()
    };
    let all = i64::try_from(RUNS).unwrap();

    let printed = retain(&database, dir.path(), "acme=1,1000", &["--dry-run"]);
    assert!(printed.starts_with("acme\t") && !printed.contains("globex"), "{printed}");
    assert!(printed.contains(" MB\t") && printed.contains("would be removed"), "{printed}");
    assert_eq!((count("acme").await, count("globex").await), (all, all));

    let done = retain(&database, dir.path(), "acme=1,1000", &[]);
    assert_eq!(removed(&done), removed(&printed), "{printed}{done}");
    let left = count("acme").await;
    assert!(left > 0 && left == all - removed(&done), "{left} runs are left: {done}");
    assert_eq!(count("globex").await, all);

    let done = retain(&database, dir.path(), "2", &[]);
    let left = count("acme").await + count("globex").await;
    assert!(left > 0 && removed(&done) > 0, "{left} runs are left: {done}");
}
