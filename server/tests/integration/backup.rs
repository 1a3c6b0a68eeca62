//! `runlens backup` and `runlens restore`: complete under load, private, and careful with what is there.

use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::{Arc, Mutex};

use tokio::process::Command;

use crate::harness::{DEMO, TestApp, api_key, eventually, test_config};

const SECRET_KEY: &str = "a key for tests, long enough to be accepted";
/// Tries to have a write committed while a backup is made.
const ATTEMPTS: usize = 20;

/// The commands are for SQLite.
fn is_postgres() -> bool {
    std::env::var("RUNLENS_TEST_DATABASE_URL").is_ok()
}

async fn runlens(args: &[&str], data_dir: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_runlens"));
    command.args(args).env_clear().env("RUNLENS_DATA_DIR", data_dir).env("RUNLENS_SECRET_KEY", SECRET_KEY);
    command.output().await.unwrap()
}

/// Runs a command that succeeds, and returns what it printed.
async fn succeeds(args: &[&str], data_dir: &Path) -> String {
    let done = runlens(args, data_dir).await;
    assert!(done.status.success(), "{args:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8(done.stdout).unwrap()
}

/// Runs a command that fails, and returns its error.
async fn fails(args: &[&str], data_dir: &Path) -> String {
    let done = runlens(args, data_dir).await;
    assert!(!done.status.success(), "{args:?}: {}", String::from_utf8_lossy(&done.stdout));
    String::from_utf8(done.stderr).unwrap()
}

async fn import(app: &TestApp, number: usize) -> String {
    let log = format!(
        "{{\"seq\":1,\"type\":\"assistant_message\",\"data\":{{\"text\":\"answer {number}\",\"turn\":0}}}}\n\
         {{\"seq\":2,\"type\":\"result\",\"data\":{{\"subtype\":\"success\",\"text\":\"answer {number}\"}}}}\n"
    );
    let request = app.http.post(app.url("/api/import")).bearer_auth(api_key(DEMO)).body(log);
    let answer: serde_json::Value = request.send().await.unwrap().json().await.unwrap();
    answer["runId"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

/// The only file in a folder whose name contains a text.
fn file_named(dir: &Path, part: &str) -> PathBuf {
    let files: Vec<PathBuf> = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    let named = |path: &&PathBuf| path.file_name().unwrap().to_string_lossy().contains(part);
    let found: Vec<&PathBuf> = files.iter().filter(named).collect();
    assert_eq!(found.len(), 1, "{part} in {files:?}");
    found[0].clone()
}

#[tokio::test]
async fn a_backup_under_load_has_every_run_that_was_committed_before() {
    if is_postgres() {
        return;
    }
    let app = Arc::new(TestApp::start_apart(|_| {}).await);
    let mut browser = app.signed_in(DEMO).await;
    let committed = Arc::new(Mutex::new(Vec::<String>::new()));
    let stop = tokio_util::sync::CancellationToken::new();
    let mut writers = Vec::new();
    for writer in 0..3 {
        let (app, committed, stop) = (app.clone(), committed.clone(), stop.clone());
        writers.push(tokio::spawn(async move {
            for number in 0.. {
                if stop.is_cancelled() {
                    return;
                }
                let id = import(&app, writer * 1_000_000 + number).await;
                committed.lock().unwrap().push(id);
            }
        }));
    }
    let count = || committed.lock().unwrap().len();
    eventually("some runs are stored", async || (count() >= 30).then_some(())).await;

    let dir = tempfile::tempdir().unwrap();
    let backup = dir.path().join("backup.db");
    let name = backup.to_str().unwrap();
    let mut before = Vec::new();
    for attempt in 1..=ATTEMPTS {
        before = committed.lock().unwrap().clone();
        let printed = succeeds(&["backup", name, "--force"], app.dir.path()).await;
        assert!(printed.contains("checked") && printed.contains("RUNLENS_SECRET_KEY"), "{printed}");
        if count() > before.len() {
            break;
        }
        assert!(attempt < ATTEMPTS, "nothing was written during {ATTEMPTS} backups");
    }
    stop.cancel();
    for writer in writers {
        writer.await.unwrap();
    }

    let restored = dir.path().join("restored");
    let printed = succeeds(&["restore", name], &restored).await;
    assert!(printed.contains("restored from") && !printed.contains("key"), "{printed}");
    let url = format!("sqlite://{}", restored.join("runlens.db").display());
    let copy = sqlx::SqlitePool::connect(&url).await.unwrap();
    let check: String = sqlx::query_scalar("PRAGMA integrity_check").fetch_one(&copy).await.unwrap();
    assert_eq!(check, "ok");
    let ended: Vec<String> =
        sqlx::query_scalar("SELECT id FROM run WHERE log_state = 1").fetch_all(&copy).await.unwrap();
    let missing: Vec<&String> = before.iter().filter(|id| !ended.contains(id)).collect();
    assert!(missing.is_empty(), "{missing:?} of {} runs", before.len());
    copy.close().await;

    // The session is in the backup too.
    let app = Arc::into_inner(app).unwrap().replace(|config| config.database_url = url).await;
    let page = browser.open(&format!("/runs/{}", before[0])).await;
    assert!(page.status == 200 && page.url.path().starts_with("/runs/"), "{} {}", page.status, page.url);
    assert!(page.body.contains("answer "), "{}", page.body);
    app.running.stop().await.unwrap();
}

#[cfg(unix)]
#[tokio::test]
async fn a_backup_is_private_and_replaces_nothing_unasked() {
    use std::os::unix::fs::PermissionsExt;
    if is_postgres() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let target = dir.path().join("backups/backup.db");
    let name = target.to_str().unwrap();
    let error = fails(&["backup", name], &data).await;
    assert!(error.contains("runlens.db cannot be opened"), "{error}");
    succeeds(&["seed", "--runs", "3"], &data).await;
    let error = fails(&["backup", name], &data).await;
    assert!(error.contains("cannot be created"), "{error}");
    std::fs::create_dir(target.parent().unwrap()).unwrap();
    std::fs::write(&target, "something else").unwrap();
    let error = fails(&["backup", name], &data).await;
    assert!(error.contains("exists") && error.contains("--force"), "{error}");
    assert_eq!(std::fs::read_to_string(&target).unwrap(), "something else");
    succeeds(&["backup", name, "--force"], &data).await;
    assert_eq!(std::fs::metadata(&target).unwrap().permissions().mode() & 0o777, 0o600);
    // Nothing is left beside it.
    assert_eq!(file_named(target.parent().unwrap(), ""), target);
    let database = data.join("runlens.db");
    let error = fails(&["backup", database.to_str().unwrap(), "--force"], &data).await;
    assert!(error.contains("the database itself"), "{error}");
}

#[tokio::test]
async fn a_restore_waits_for_the_server_to_stop_and_keeps_the_previous_database() {
    if is_postgres() {
        return;
    }
    let app = TestApp::start_apart(|_| {}).await;
    let first = import(&app, 1).await;
    let dir = tempfile::tempdir().unwrap();
    let backup = dir.path().join("backup.db");
    let name = backup.to_str().unwrap();
    succeeds(&["backup", name], app.dir.path()).await;
    let second = import(&app, 2).await;

    let error = fails(&["restore", name], app.dir.path()).await;
    assert!(error.contains("in use") && error.contains("stop the server"), "{error}");
    assert_eq!(import(&app, 3).await.len(), second.len());
    app.running.stop().await.unwrap();

    let printed = succeeds(&["restore", name], app.dir.path()).await;
    let previous = file_named(app.dir.path(), "before-restore");
    assert!(printed.contains(previous.to_str().unwrap()), "{printed}");
    let runs = async |path: &Path| -> Vec<String> {
        let pool = sqlx::SqlitePool::connect(&format!("sqlite://{}", path.display())).await.unwrap();
        let ids = sqlx::query_scalar("SELECT id FROM run").fetch_all(&pool).await.unwrap();
        pool.close().await;
        ids
    };
    assert_eq!(runs(&app.dir.path().join("runlens.db")).await, std::slice::from_ref(&first));
    let kept = runs(&previous).await;
    assert!(kept.len() == 3 && kept.contains(&first) && kept.contains(&second), "{kept:?}");
}

#[tokio::test]
async fn a_restore_refuses_other_files_and_names_a_missing_key() {
    if is_postgres() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let (data, other) = (dir.path().join("data"), dir.path().join("other"));
    succeeds(&["seed", "--runs", "2"], &data).await;
    let (backup, text, empty) = (dir.path().join("backup.db"), dir.path().join("text"), dir.path().join("empty"));
    succeeds(&["backup", backup.to_str().unwrap()], &data).await;
    std::fs::write(&text, "not a database, but longer than the header of one".repeat(100)).unwrap();
    std::fs::write(&empty, "").unwrap();
    for file in [&text, &empty] {
        let error = fails(&["restore", file.to_str().unwrap()], &other).await;
        assert!(error.contains("not a Runlens database"), "{error}");
    }
    let error = fails(&["restore", dir.path().join("missing").to_str().unwrap()], &other).await;
    assert!(error.contains("missing cannot be opened"), "{error}");

    let newer = dir.path().join("newer.db");
    std::fs::copy(&backup, &newer).unwrap();
    let pool = sqlx::SqlitePool::connect(&format!("sqlite://{}", newer.display())).await.unwrap();
    sqlx::query(NEWER_MIGRATION).execute(&pool).await.unwrap();
    pool.close().await;
    let error = fails(&["restore", newer.to_str().unwrap()], &other).await;
    assert!(error.contains("newer version of Runlens"), "{error}");
    assert!(!other.join("runlens.db").exists());

    // A folder without a key: the server would make one that opens nothing.
    let done = Command::new(env!("CARGO_BIN_EXE_runlens"))
        .args(["restore", backup.to_str().unwrap()])
        .env_clear()
        .env("RUNLENS_DATA_DIR", &other)
        .output()
        .await
        .unwrap();
    let printed = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(done.status.success() && printed.contains("copy the key of the backup to"), "{printed}");
}

#[tokio::test]
async fn the_commands_say_that_postgres_has_its_own() {
    let dir = tempfile::tempdir().unwrap();
    for command in ["backup", "restore"] {
        let done = Command::new(env!("CARGO_BIN_EXE_runlens"))
            .args([command, "file"])
            .env_clear()
            .env("RUNLENS_DATA_DIR", dir.path())
            .env("DATABASE_URL", "postgres://127.0.0.1:9/x")
            .output()
            .await
            .unwrap();
        let error = String::from_utf8_lossy(&done.stderr).into_owned();
        assert!(!done.status.success() && error.contains("pg_dump"), "{error}");
    }
}

const NEWER_MIGRATION: &str = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
     SELECT 9999, 'of a later version', success, checksum, 0 FROM _sqlx_migrations WHERE version = 1";

#[tokio::test]
async fn an_older_version_does_not_start_on_a_newer_database() {
    let app = TestApp::start_apart(|_| {}).await;
    let database = app.database.connect().await;
    app.running.stop().await.unwrap();
    sqlx::query(NEWER_MIGRATION).execute(&database).await.unwrap();
    let config = test_config(app.dir.path().to_owned(), app.database.url.clone());
    let error = format!("{:#}", runlens::serve::start(config).await.err().unwrap());
    assert!(error.contains("newer version of Runlens") && error.contains("9999"), "{error}");
    let applied: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM _sqlx_migrations WHERE version = 9999")
        .fetch_one(&database)
        .await
        .unwrap();
    assert_eq!(applied, 1);
}
