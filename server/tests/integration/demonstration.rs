//! The demonstration: what its runs have to show.

use std::net::SocketAddr;

use runlens::config::MantyxConfig;
use serde_json::Value;

use crate::harness::{Browser, DEMO, TestApp, eventually};

async fn read(browser: &mut Browser, path: &str) -> Value {
    let answer = browser.open(path).await;
    assert_eq!(answer.status, 200, "{path}: {}", answer.body);
    serde_json::from_str(&answer.body).unwrap()
}

#[tokio::test]
async fn the_demonstration_has_times_a_bad_day_and_a_reopened_failure() {
    let loopback = SocketAddr::from(([127, 0, 0, 1], 0));
    let app = TestApp::start_with(|config| config.mantyx = MantyxConfig::Sandbox { addr: loopback, demo: true }).await;
    // Signing in starts the sync.
    let mut browser = app.signed_in(DEMO).await;
    let reopened = eventually("a reopened group", async || {
        let found = read(&mut browser, "/api/failures?state=open").await;
        found["groups"].as_array().unwrap().iter().find(|group| group["reopenedByRunId"].is_string()).cloned()
    })
    .await;
    let newest = reopened["reopenedByRunId"].as_str().unwrap();
    assert_eq!(
        (&reopened["runs"], &read(&mut browser, &format!("/api/runs/{newest}")).await["name"]),
        (&4.into(), &"nightly-sync".into())
    );

    let truncated = eventually("the bad day", async || {
        let found = read(&mut browser, "/api/failures?sort=runs").await;
        let groups = found["groups"].as_array().unwrap().clone();
        let is_wanted = |group: &Value| {
            group["runs"].as_u64() >= Some(6) && group["affected"].to_string().contains("invoice-extract")
        };
        groups.into_iter().find(is_wanted)
    })
    .await;
    let id = truncated["id"].as_str().unwrap();
    let runs = read(&mut browser, &format!("/api/runs?limit=200&q=group:{id}")).await["runs"].clone();
    let mut days: Vec<i64> =
        runs.as_array().unwrap().iter().map(|run| run["createdAtMs"].as_i64().unwrap() / 86_400_000).collect();
    days.sort_unstable();
    let on_one_day = days.chunk_by(|one, other| one == other).map(<[i64]>::len).max().unwrap();
    assert!(on_one_day * 2 > days.len(), "most of its runs failed on one day: {days:?}");

    let runs = read(&mut browser, "/api/runs?limit=200&before=1h").await["runs"].clone();
    let mut durations: Vec<u64> =
        runs.as_array().unwrap().iter().filter_map(|run| run["durationMs"].as_u64()).collect();
    durations.sort_unstable();
    assert!(durations.len() > 50, "{durations:?}");
    let (median, longest) = (durations[durations.len() / 2], durations[durations.len() - 1]);
    assert!((1_000..60_000).contains(&median) && (60_000..3_600_000).contains(&longest), "{durations:?}");
    let finished = runs.as_array().unwrap().iter().filter(|run| run["status"] == "succeeded").take(3);
    for run in finished {
        let log = browser.open(&format!("/api/runs/{}/events", run["id"].as_str().unwrap())).await.body;
        assert!(log.lines().count() > 1 && log.lines().all(|event| event.contains("\"at\":")), "{log}");
    }
}
