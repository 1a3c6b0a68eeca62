//! The mirror when something at MANTYX is broken: one run, one list, one session, or all of it. Stored data is shown, and
//! everything else is synced.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::harness::{FakeMantyx, Mood, TestApp, eventually};

/// Starts a server that syncs only on request.
async fn on_view(peer: &FakeMantyx) -> TestApp {
    TestApp::start_with(|config| peer.configure(config)).await
}

/// Starts a server that syncs in the background.
async fn in_background(peer: &FakeMantyx) -> TestApp {
    TestApp::start_with(|config| {
        peer.configure(config);
        config.mantyx_api_key = Some("mantyx_key".to_owned());
    })
    .await
}

async fn get_as(app: &TestApp, slug: &str, path: &str) -> Value {
    let request = app.http.get(app.url(path)).bearer_auth("mantyx_key").header("X-Mantyx-Workspace", slug);
    let answer = request.send().await.unwrap();
    assert_eq!(answer.status(), 200, "{path}: {}", answer.text().await.unwrap());
    answer.json().await.unwrap()
}

async fn get(app: &TestApp, path: &str) -> Value {
    get_as(app, "acme", path).await
}

/// Requests a path until the response `is_expected`.
async fn wait_for(app: &TestApp, path: &str, is_expected: impl Fn(&Value) -> bool) -> Value {
    eventually(path, async || Some(get(app, path).await).filter(&is_expected)).await
}

/// Makes the syncer run a round: each change of the pause wakes it.
async fn wake_syncer(app: &TestApp) {
    for paused in [true, false] {
        let body = serde_json::json!({ "paused": paused });
        app.http.post(app.url("/api/sync")).bearer_auth("mantyx_key").json(&body).send().await.unwrap();
    }
}

fn ids(page: &Value, of: &str) -> BTreeSet<String> {
    page[of].as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn workspaces_with_runs_of_the_same_ids_and_times_stay_separate() {
    // The fake has the same ids and times in every workspace, so all workspaces compete for the same list keys.
    let peer = FakeMantyx::start(180, &[]).await;
    let app = on_view(&peer).await;
    let slugs = ["first", "second", "third", "fourth"];
    futures::future::join_all(slugs.map(|slug| get_as(&app, slug, "/api/runs?limit=200"))).await;
    for slug in slugs {
        let page = get_as(&app, slug, "/api/runs?limit=200").await;
        assert_eq!(ids(&page, "runs").len(), 180, "{slug}");
        assert_eq!(ids(&get_as(&app, slug, "/api/runs?q=number:7").await, "runs").len(), 1, "{slug}");
    }
    let database = app.database.connect().await;
    let sql = "SELECT COUNT(*) FROM (SELECT workspace_id FROM run GROUP BY workspace_id HAVING COUNT(*) = 180) b";
    assert_eq!(sqlx::query_scalar::<_, i64>(sql).fetch_one(&database).await.unwrap(), 4);
}

#[tokio::test]
async fn a_run_that_always_fails_does_not_delay_others() {
    let peer = FakeMantyx::start(150, &[]).await;
    // The newest runs, which every round fetches first.
    peer.look(|world| world.broken = (30..150).collect());
    let app = in_background(&peer).await;
    let sync = wait_for(&app, "/api/sync", |sync| sync["logs"] == 30).await;
    assert_eq!((&sync["logsMissing"], &sync["runs"]), (&120.into(), &150.into()));
    assert_eq!(ids(&get(&app, "/api/runs?q=%22answer+of+run_000003%22").await, "runs").len(), 1);
}

#[tokio::test]
async fn all_runs_in_progress_are_refreshed_in_turn() {
    let peer = FakeMantyx::start(130, &[]).await;
    peer.look(|world| world.running = (0..130).collect());
    let app = in_background(&peer).await;
    // The oldest run ends, which the newest page of the list does not show.
    wait_for(&app, "/api/sync", |sync| sync["runs"] == 130).await;
    peer.look(|world| world.running.retain(|number| *number != 0));
    eventually("a snapshot of every run", async || {
        wake_syncer(&app).await;
        (peer.look(|world| world.snapshots.len()) == 130).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_mantyx_that_hangs_is_asked_once_and_stored_runs_are_shown() {
    let peer = FakeMantyx::start(5, &[]).await;
    let app = on_view(&peer).await;
    assert_eq!(ids(&get(&app, "/api/runs").await, "runs").len(), 5);
    peer.look(|world| (world.moods, world.lists) = (vec![Mood::Hang], 0));
    // Until the outcome of the last refresh is not reused any more.
    wait_for(&app, "/api/runs", |_| peer.look(|world| world.lists) > 0).await;
    let pages = futures::future::join_all((0..10).map(|_| get(&app, "/api/runs"))).await;
    for page in pages {
        assert_eq!(ids(&page, "runs").len(), 5);
        assert!(page["stale"].as_str().unwrap().contains("has not responded yet"), "{page}");
    }
    assert_eq!(peer.look(|world| world.lists), 1);
}

#[tokio::test]
async fn a_refresh_waits_as_long_as_mantyx_asks() {
    let peer = FakeMantyx::start(5, &[Mood::AskToWait]).await;
    peer.look(|world| world.wait_s = 3_600);
    let app = on_view(&peer).await;
    for _ in 0..3 {
        let page = get(&app, "/api/runs").await;
        assert!(page["stale"].as_str().unwrap().contains("limited the rate of requests"), "{page}");
    }
    assert_eq!(peer.look(|world| world.lists), 1);
}

#[tokio::test]
async fn invalid_runs_do_not_restart_the_history_sync_forever() {
    let peer = FakeMantyx::start(230, &[]).await;
    peer.look(|world| world.odd = vec![3, 4]);
    let app = in_background(&peer).await;
    let database = app.database.connect().await;
    let complete = |sync: &Value| sync["history"] == "complete" && sync["runs"] == 228;
    wait_for(&app, "/api/sync", complete).await;
    let count_again = || async {
        // As if ten minutes had passed since the last count.
        sqlx::query("UPDATE sync_state SET total_at = 0").execute(&database).await.unwrap();
        eventually("a new count", async || {
            wake_syncer(&app).await;
            let at: i64 = sqlx::query_scalar("SELECT total_at FROM sync_state").fetch_one(&database).await.unwrap();
            (at > 0).then_some(())
        })
        .await;
        wait_for(&app, "/api/sync", complete).await;
        sqlx::query_scalar::<_, i64>("SELECT history_gap FROM sync_state").fetch_one(&database).await.unwrap()
    };
    // Two runs are missing, so the history is walked once more.
    assert_eq!(count_again().await, 2);
    let walked: i64 = sqlx::query_scalar("SELECT history_runs FROM sync_state").fetch_one(&database).await.unwrap();
    assert_eq!(count_again().await, 2);
    let again: i64 = sqlx::query_scalar("SELECT history_runs FROM sync_state").fetch_one(&database).await.unwrap();
    assert_eq!(walked, again, "nothing more is missing than before");
}

#[tokio::test]
async fn a_paused_sync_stays_paused_when_the_list_is_opened() {
    let peer = FakeMantyx::start(600, &[]).await;
    let app = on_view(&peer).await;
    let pause = |paused: bool| {
        let body = serde_json::json!({ "paused": paused });
        let request = app.http.post(app.url("/api/sync")).bearer_auth("mantyx_key").json(&body);
        async move { assert_eq!(request.send().await.unwrap().status(), 200) }
    };
    pause(true).await;
    for _ in 0..3 {
        let found = get(&app, "/api/runs?q=number:1").await;
        assert_eq!(ids(&found, "runs").len(), 0, "it is far down in the history");
    }
    assert_eq!(get(&app, "/api/sync").await["runs"], 200);
    pause(false).await;
    assert_eq!(ids(&get(&app, "/api/runs?q=number:1").await, "runs").len(), 1);
}

#[tokio::test]
async fn a_mantyx_without_a_list_is_handled_like_one_that_forbids_it() {
    let peer = FakeMantyx::start(5, &[]).await;
    peer.look(|world| (world.can_list, world.no_list) = (false, axum::http::StatusCode::NOT_FOUND));
    let app = on_view(&peer).await;
    let empty = get(&app, "/api/runs").await;
    assert!(empty["stale"].as_str().unwrap().contains("can't list runs"), "{empty}");
    get(&app, "/api/runs/run_000002").await;
    assert_eq!(ids(&get(&app, "/api/runs").await, "runs").len(), 1);
}

#[tokio::test]
async fn all_sessions_are_synced_and_filtered() {
    let peer = FakeMantyx::start(1, &[]).await;
    peer.look(|world| world.sessions = 1_250);
    let app = in_background(&peer).await;
    let page = wait_for(&app, "/api/sessions?q=id:ses_000000", |page| !ids(page, "sessions").is_empty()).await;
    assert_eq!(page["sessions"][0]["status"], "active");
    let found = |query: &'static str| {
        let path = format!("/api/sessions?limit=200&q={query}");
        let app = &app;
        async move { ids(&get(app, &path).await, "sessions").len() }
    };
    // Matching ignores case in all languages.
    assert_eq!(found("%C3%BCbersicht+7").await, 200);
    assert_eq!(found("status:active+id:ses_000007,ses_000008").await, 1);
    assert_eq!(found("-status:ended+id:ses_000007").await, 0);
    let none = get(&app, "/api/sessions?q=status:ended+customer:nobody").await;
    assert_eq!(
        (&none["sessions"], &none["excluding"]),
        (&serde_json::json!([]), &serde_json::json!(["customer:nobody"]))
    );
}

#[tokio::test]
async fn a_session_of_ten_thousand_messages_loads_in_pages_and_opens_without_mantyx() {
    let peer = FakeMantyx::start(1, &[]).await;
    peer.look(|world| (world.sessions, world.messages) = (1, 10_000));
    let app = on_view(&peer).await;
    let opened = get(&app, "/api/sessions/ses_000000").await;
    assert_eq!((&opened["session"]["name"], &opened["spec"]["systemPrompt"]), (&"long".into(), &"You help.".into()));
    assert!(opened.to_string().len() < 10_000, "no message comes along");
    let mut seen = 0;
    let mut before = String::new();
    for _ in 0..=20 {
        let page = get(&app, &format!("/api/sessions/ses_000000/messages?limit=500{before}")).await;
        let count = page["events"].as_array().unwrap().len();
        assert!(count <= 500);
        seen += count;
        match page["nextBeforeSeq"].as_u64() {
            Some(seq) => before = format!("&before={seq}"),
            None => break,
        }
    }
    assert_eq!(seen, 10_000);
    peer.look(|world| world.session_mood = Mood::Fail);
    let stored = get(&app, "/api/sessions/ses_000000").await;
    assert_eq!(stored["session"]["name"], "long");
    assert!(stored["stale"].as_str().is_some_and(|stale| !stale.is_empty()), "{stored}");
}

#[tokio::test]
async fn a_damaged_event_is_asked_for_again_before_it_is_stored() {
    let peer = FakeMantyx::start(1, &[]).await;
    peer.look(|world| world.damaged_streams = 1);
    let app = in_background(&peer).await;
    wait_for(&app, "/api/sync", |sync| sync["logs"] == 1).await;
    assert_eq!(events(&app, "run_000000").await[0]["type"], "assistant_message");
    assert_eq!(peer.look(|world| world.streams["run_000000"]), 2);
}

#[tokio::test]
async fn an_event_that_stays_damaged_is_stored_as_it_is() {
    let peer = FakeMantyx::start(1, &[]).await;
    peer.look(|world| world.damaged_streams = usize::MAX);
    let app = TestApp::start_with(|config| {
        peer.configure(config);
        config.mantyx_api_key = Some("mantyx_key".to_owned());
        config.limits.damaged_event_patience = std::time::Duration::from_secs(1);
    })
    .await;
    wait_for(&app, "/api/sync", |sync| sync["logs"] == 1).await;
    let events = events(&app, "run_000000").await;
    assert_eq!((&events[0]["type"], &events[1]["type"]), (&"unreadable".into(), &"result".into()));
    assert!(peer.look(|world| world.streams["run_000000"]) > 1);
}

async fn events(app: &TestApp, run_id: &str) -> Vec<Value> {
    let log = app.http.get(app.url(&format!("/api/runs/{run_id}/events"))).bearer_auth("mantyx_key");
    let log = log.header("X-Mantyx-Workspace", "acme").send().await.unwrap().text().await.unwrap();
    log.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}
