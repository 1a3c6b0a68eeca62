//! The sync with a MANTYX that fails, is slow or is interrupted: no run is missing, none is listed twice.

use std::collections::BTreeSet;

use runlens::config::Config;
use serde_json::Value;

use crate::harness::{FakeMantyx, Mood, TestApp, eventually, test_config};

/// No list here has more pages.
const MAX_PAGES: usize = 20;

/// Starts a server that syncs with an API key only.
async fn dashboard(peer: &FakeMantyx) -> TestApp {
    TestApp::start_with(|config| syncing_with(peer, config)).await
}

fn syncing_with(peer: &FakeMantyx, config: &mut Config) {
    peer.configure(config);
    config.mantyx_api_key = Some("mantyx_key".to_owned());
}

async fn get(app: &TestApp, path: &str) -> Value {
    let answer = app.http.get(app.url(path)).bearer_auth("mantyx_key").send().await.unwrap();
    assert_eq!(answer.status(), 200, "{path}: {}", answer.text().await.unwrap());
    answer.json().await.unwrap()
}

/// Requests `path` until the response meets a condition.
async fn wait_for(app: &TestApp, path: &str, condition: impl Fn(&Value) -> bool) -> Value {
    eventually(path, async || Some(get(app, path).await).filter(&condition)).await
}

async fn all_ids(app: &TestApp) -> Vec<String> {
    let mut ids = Vec::new();
    let mut cursor = String::new();
    for _ in 0..MAX_PAGES {
        let page = get(app, &format!("/api/runs?limit=200{cursor}")).await;
        ids.extend(page["runs"].as_array().unwrap().iter().map(|run| run["id"].as_str().unwrap().to_owned()));
        match page["nextCursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return ids,
        }
    }
    panic!("the list has more than {MAX_PAGES} pages")
}

fn assert_complete(ids: &[String], runs: usize) {
    let distinct: BTreeSet<&String> = ids.iter().collect();
    assert_eq!((ids.len(), distinct.len()), (runs, runs));
    // Newest first, in whichever order the pages arrived.
    assert!(ids.is_sorted_by(|a, b| a > b), "{ids:?}");
}

#[tokio::test]
async fn all_runs_are_synced_although_mantyx_hangs_up_fails_and_asks_to_wait() {
    use Mood::{AskToWait, Fail, HangUp, Well};
    let peer = FakeMantyx::start(900, &[Well, Well, Well, HangUp, Well, Well, Well, Fail, Well, Well, AskToWait]).await;
    peer.look(|world| world.arriving = 5);
    let app = dashboard(&peer).await;
    wait_for(&app, "/api/sync", |sync| sync["history"] == "complete").await;
    wait_for(&app, "/api/sync", |sync| sync["runs"] == peer.look(|world| world.runs.len())).await;
    assert_complete(&all_ids(&app).await, peer.look(|world| world.runs.len()));
}

#[tokio::test]
async fn an_interrupted_sync_continues_and_fetches_every_log() {
    let peer = FakeMantyx::start(700, &[]).await;
    let app = dashboard(&peer).await;
    wait_for(&app, "/api/sync", |sync| sync["runs"].as_u64().unwrap() >= 400).await;
    let (dir, database) = (app.dir, app.database);
    app.running.stop().await.unwrap();
    let lists_before = peer.look(|world| world.lists);

    let mut config = test_config(dir.path().to_owned(), database.url.clone());
    syncing_with(&peer, &mut config);
    let running = runlens::serve::start(config).await.unwrap();
    let app = TestApp { running, dir, database, http: app.http, sandbox: None };
    wait_for(&app, "/api/sync", |sync| sync["history"] == "complete").await;
    assert_complete(&all_ids(&app).await, 700);
    // Not from the top again: the first process had read at least two pages of the four.
    assert!(peer.look(|world| world.lists) - lists_before < 12, "{}", peer.look(|world| world.lists));
    // A text search finds words that only logs contain; each log was read once.
    wait_for(&app, "/api/runs?q=%22answer+of+run_000003%22", |page| page["runs"].as_array().unwrap().len() == 1).await;
    let twice = peer.look(|world| world.streams.iter().filter(|(_, count)| **count > 2).count());
    assert_eq!(twice, 0);
}

#[tokio::test]
async fn a_paused_history_sync_continues_when_resumed() {
    let peer = FakeMantyx::start(600, &[]).await;
    peer.look(|world| world.moods = vec![Mood::AskToWait]);
    let app = dashboard(&peer).await;
    let pause = |paused: bool| {
        let body = serde_json::json!({ "paused": paused });
        let request = app.http.post(app.url("/api/sync")).bearer_auth("mantyx_key").json(&body);
        async move { assert_eq!(request.send().await.unwrap().status(), 200) }
    };
    pause(true).await;
    peer.look(|world| world.moods.clear());
    let sync = wait_for(&app, "/api/sync", |sync| sync["history"] == "under_way").await;
    assert_eq!((&sync["paused"], &sync["total"], &sync["runs"]), (&true.into(), &600.into(), &200.into()));
    // Runs that are not synced yet may match, so the list says that it is incomplete.
    let page = get(&app, "/api/runs?q=number:3").await;
    let missing = (&page["runs"], &page["incomplete"]["runsMissing"]);
    assert_eq!(missing, (&Value::Array(Vec::new()), &400.into()), "{page}");
    assert!(page["incomplete"]["logsMissing"].is_u64(), "{page}");
    pause(false).await;
    wait_for(&app, "/api/sync", |sync| sync["history"] == "complete").await;
    assert_complete(&all_ids(&app).await, 600);
    let page = wait_for(&app, "/api/runs?q=number:3", |page| page["incomplete"].is_null()).await;
    assert_eq!(page["runs"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_mantyx_without_a_list_still_finds_runs_by_id() {
    let peer = FakeMantyx::start(5, &[]).await;
    peer.look(|world| world.can_list = false);
    let app = dashboard(&peer).await;
    let empty = get(&app, "/api/runs").await;
    assert_eq!(empty["runs"].as_array().unwrap().len(), 0);
    assert!(empty["stale"].as_str().unwrap().contains("can't list runs"), "{empty}");
    get(&app, "/api/runs/run_000002").await;
    let listed = get(&app, "/api/runs").await;
    assert_eq!(listed["runs"][0]["id"], "run_000002");
    let sync = get(&app, "/api/sync").await;
    assert_eq!((&sync["canList"], &sync["runs"]), (&false.into(), &1.into()));
}

/// Several processes share a database on PostgreSQL only.
#[tokio::test]
async fn one_process_syncs_a_workspace_and_another_takes_over_when_it_ends() {
    if std::env::var("RUNLENS_TEST_DATABASE_URL").is_err() {
        return;
    }
    let peer = FakeMantyx::start(250, &[]).await;
    let first = dashboard(&peer).await;
    wait_for(&first, "/api/sync", |sync| sync["history"] == "complete").await;
    let mut config = test_config(first.dir.path().to_owned(), first.database.url.clone());
    syncing_with(&peer, &mut config);
    let running = runlens::serve::start(config).await.unwrap();
    let second = TestApp {
        running,
        dir: tempfile::tempdir().unwrap(),
        database: first.database.clone(),
        http: first.http.clone(),
        sandbox: None,
    };
    // Both show what one of them has synced.
    assert_complete(&all_ids(&second).await, 250);
    let database = first.database.connect().await;
    let holders = || async {
        let sql = "SELECT COUNT(*) FROM pg_locks WHERE locktype = 'advisory' AND granted AND classid = 512 \
             AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
        sqlx::query_scalar::<_, i64>(sql).fetch_one(&database).await.unwrap()
    };
    assert_eq!(holders().await, 1);
    first.running.stop().await.unwrap();
    peer.look(|world| world.runs.push(chrono::Utc::now().timestamp_millis()));
    wait_for(&second, "/api/sync", |sync| sync["runs"] == 251).await;
    assert_eq!(holders().await, 1);
    second.running.stop().await.unwrap();
}
