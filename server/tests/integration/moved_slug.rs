//! A slug that MANTYX gives to another workspace: the data of the earlier one stays apart from it.

use runlens::config::DatabaseOptions;
use runlens::seed::{SeedOptions, seed};
use serde_json::{Value, json};

use crate::harness::{DEMO, FakeMantyx, TestApp, TestDatabase, api_key, eventually};

const RUNS: i64 = 5;

/// Stores runs of an earlier workspace `demo`, as if they had come from MANTYX.
async fn store_earlier_workspace(database: &TestDatabase, dir: &std::path::Path, mantyx_id: Option<&str>) {
    let options = SeedOptions {
        runs: RUNS.unsigned_abs(),
        seed: 1,
        workspace: DEMO.to_owned(),
        until_ms: None,
        database: DatabaseOptions { data_dir: dir.to_owned(), database_url: Some(database.url.clone()) },
    };
    seed(options).await.unwrap();
    let pool = database.connect().await;
    sqlx::query("UPDATE run SET origin = 0").execute(&pool).await.unwrap();
    sqlx::query("UPDATE workspace SET mantyx_id = $1").bind(mantyx_id).execute(&pool).await.unwrap();
}

/// Returns how many runs the workspace with the slug has, and how many all others have.
async fn count_runs(database: &sqlx::AnyPool) -> (i64, i64) {
    let within = "SELECT COUNT(*) FROM run WHERE workspace_id IN (SELECT id FROM workspace WHERE slug = 'demo')";
    let all: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM run").fetch_one(database).await.unwrap();
    let within: i64 = sqlx::query_scalar(within).fetch_one(database).await.unwrap();
    (within, all - within)
}

#[tokio::test]
async fn an_api_key_without_identity_gets_stored_runs_only_if_mantyx_shows_them_to_it() {
    let peer = FakeMantyx::start(RUNS as usize, &[]).await;
    let app = TestApp::start_with(|config| peer.configure(config)).await;
    let list = async |key: &str| {
        let answer = app.http.get(app.url("/api/runs")).bearer_auth(key).send().await.unwrap();
        (answer.status().as_u16(), answer.json::<Value>().await.unwrap())
    };
    let (status, body) = list("mantyx_first").await;
    assert_eq!((status, body["runs"].as_array().map(Vec::len)), (200, Some(RUNS as usize)), "{body}");
    assert_eq!(list("mantyx_second").await.0, 200);
    // The slug now belongs to a workspace that has none of these runs.
    peer.look(|world| world.runs.clear());
    let (status, body) = list("mantyx_other").await;
    assert_eq!((status, &body["error"]), (403, &json!("forbidden")), "{body}");
    assert!(body["message"].as_str().unwrap().contains("may belong to another workspace"), "{body}");
}

#[tokio::test]
async fn a_sign_in_gets_data_stored_by_slug_only_if_mantyx_shows_it() {
    let app = TestApp::start_apart(|_| {}).await;
    store_earlier_workspace(&app.database, app.dir.path(), None).await;
    let mut browser = app.signed_in(DEMO).await;
    let list = browser.open("/runs").await;
    assert!(list.status == 200 && !list.body.contains("run_seed"), "{}", list.body);
    assert_eq!(count_runs(&app.database.connect().await).await, (0, RUNS));
}

#[tokio::test]
async fn imported_runs_of_a_workspace_stored_by_slug_are_there_after_the_sign_in() {
    let app = TestApp::start_apart(|_| {}).await;
    store_earlier_workspace(&app.database, app.dir.path(), None).await;
    let database = app.database.connect().await;
    sqlx::query("UPDATE run SET origin = 2").execute(&database).await.unwrap();
    app.signed_in(DEMO).await;
    assert_eq!(count_runs(&database).await, (RUNS, 0));
}

#[tokio::test]
async fn the_background_sync_with_a_key_does_not_write_into_the_earlier_workspace() {
    let dir = tempfile::tempdir().unwrap();
    let app = TestApp::start_apart(|_| {}).await;
    store_earlier_workspace(&app.database, dir.path(), Some("ws_earlier")).await;
    app.finished_run(DEMO, "/say hello", json!({})).await;
    let database = app.database.connect().await;
    let app = app
        .replace(|config| {
            config.mantyx_api_key = Some(api_key(DEMO));
            config.mantyx_workspace = Some(DEMO.to_owned());
        })
        .await;
    eventually("the sync of the new workspace", async || (count_runs(&database).await == (1, RUNS)).then_some(()))
        .await;
    app.running.stop().await.unwrap();
}

#[tokio::test]
async fn a_workspace_without_runs_is_not_given_to_a_key_without_identity() {
    let peer = FakeMantyx::start(0, &[]).await;
    let app = TestApp::start_with(|config| peer.configure(config)).await;
    let list = async |key: &str| app.http.get(app.url("/api/runs")).bearer_auth(key).send().await.unwrap().status();
    assert_eq!(list("mantyx_first").await, 200);
    // Someone signed in to this workspace: it has templates and views, and no run.
    let database = app.database.connect().await;
    sqlx::query("UPDATE workspace SET mantyx_id = 'ws_earlier'").execute(&database).await.unwrap();
    assert_eq!(list("mantyx_other").await, 403);
}
