//! Several viewers of one run: they share its fetch, its fold and its stream.

use serde_json::{Value, json};

use crate::harness::{FakeMantyx, TestApp};

#[tokio::test]
async fn viewers_who_open_a_run_at_once_share_one_fetch_and_one_fold() {
    let peer = FakeMantyx::start(2, &[]).await;
    let app = TestApp::start_with(|config| {
        peer.configure(config);
        config.metrics_token = Some("operator".to_owned());
    })
    .await;
    let get = |path: &str| {
        let request = app.http.get(app.url(path)).bearer_auth("mantyx_key");
        async move { request.send().await.unwrap().text().await.unwrap() }
    };
    let folds = async || {
        let request = app.http.get(app.url("/metrics")).bearer_auth("operator");
        let metrics = request.send().await.unwrap().text().await.unwrap();
        let line = metrics.lines().find_map(|line| line.strip_prefix("runlens_log_folds_total "));
        line.unwrap().parse::<u64>().unwrap()
    };
    for viewer in futures::future::join_all((0..8).map(|_| get("/api/runs/run_000000"))).await {
        assert!(viewer.contains("answer of run_000000"), "{viewer}");
    }
    assert_eq!((peer.look(|world| world.streams["run_000000"]), folds().await), (1, 1));
    // The fold is kept for the next viewer.
    get("/api/runs/run_000000").await;
    assert_eq!(folds().await, 1);
    get("/api/runs/run_000001").await;
    assert_eq!(folds().await, 2);
}

#[tokio::test]
async fn a_run_that_is_followed_is_shown_without_another_stream() {
    let peer = FakeMantyx::start(1, &[]).await;
    peer.look(|world| world.running = vec![0]);
    let app = TestApp::start_with(|config| peer.configure(config)).await;
    let get = |path: &str| {
        let request = app.http.get(app.url(path)).bearer_auth("mantyx_key");
        async move { request.send().await.unwrap() }
    };
    let mut live = get("/runs/run_000000/live").await;
    assert!(live.chunk().await.unwrap().is_some());
    let runs = futures::future::join_all((0..3).map(|_| get("/api/runs/run_000000"))).await;
    for run in runs {
        let run: Value = run.json().await.unwrap();
        assert_eq!((&run["status"], &run["answer"]), (&json!("running"), &json!("answer of run_000000")));
    }
    assert_eq!(peer.look(|world| world.streams["run_000000"]), 1);
}

#[tokio::test]
async fn a_run_that_ends_while_it_is_opened_has_its_totals() {
    let peer = FakeMantyx::start(1, &[]).await;
    peer.look(|world| world.ending = vec![0]);
    let app = TestApp::start_with(|config| peer.configure(config)).await;
    let request = app.http.get(app.url("/api/runs/run_000000")).bearer_auth("mantyx_key");
    let run: Value = request.send().await.unwrap().json().await.unwrap();
    assert_eq!((&run["status"], &run["durationMs"]), (&json!("succeeded"), &json!(0)), "{run}");
}
