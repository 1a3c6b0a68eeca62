//! The age of a waiting local call: the same for every viewer, and after a restart.

use std::collections::HashSet;

use serde_json::{Value, json};

use crate::harness::{Browser, DEMO, TestApp, eventually};

const ONE_TOOL: &str = r#"{ "tools": [{ "kind": "local", "name": "look" }] }"#;

/// Returns the ages on a run's page in seconds: of the banner and of the call. Also returns the page.
async fn ages(browser: &mut Browser, id: &str) -> (Vec<u64>, String) {
    let html = browser.open(&format!("/runs/{id}")).await.body;
    // The header has the age of the run itself.
    let below = html.split_once("class=\"findings").unwrap().1;
    let ages = below.split("data-age=\"").skip(1).map(|rest| rest.split('"').next().unwrap().parse().unwrap());
    (ages.collect(), html)
}

/// Starts a run and waits for its first call.
async fn waiting_run(app: &TestApp, browser: &mut Browser) -> String {
    let id = app.start_run(DEMO, "/call look {}\n/say ok", serde_json::from_str(ONE_TOOL).unwrap()).await;
    eventually("a waiting call", async || (!ages(browser, &id).await.0.is_empty()).then_some(())).await;
    id
}

/// Makes stored events older.
async fn grow_older(app: &TestApp, seconds: i64) {
    let pool = app.database.connect().await;
    sqlx::query("UPDATE run_event SET seen_at = seen_at - $1").bind(seconds * 1000).execute(&pool).await.unwrap();
}

#[tokio::test]
async fn an_earlier_call_has_a_minimum_age_for_every_viewer() {
    let mut app = TestApp::start_apart(|_| {}).await;
    let mut browser = app.signed_in(DEMO).await;
    let id = waiting_run(&app, &mut browser).await;
    grow_older(&app, 7_200).await;

    let (first, html) = ages(&mut browser, &id).await;
    assert_eq!(first.len(), 2, "in the banner and at the call: {html}");
    assert!(first.iter().all(|age| (7_200..7_500).contains(age)), "{first:?}");
    assert!(html.contains("at least ") && html.contains("2 h 0"), "{html}");
    let (again, _) = ages(&mut browser, &id).await;
    assert!(again[0] >= first[0], "{first:?} {again:?}");

    app.restart(|_| {}).await;
    let (after, html) = ages(&mut browser, &id).await;
    assert!(after.len() == 2 && after[0] >= again[0], "{after:?}: {html}");

    let call = app.pending_call(DEMO, &id).await;
    app.answer_tool(DEMO, &id, &call, "seen").await;
    app.sandbox_stream(DEMO, &id).await;
    assert_eq!(ages(&mut browser, &id).await.0, Vec::<u64>::new(), "nobody waits any more");
}

#[tokio::test]
async fn a_call_seen_live_has_an_exact_age() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    // The first call may count as an earlier event. After a pause of the stream, all events are live.
    let calls: Vec<String> = (0..200).map(|n| format!("/sleep 500\n/call look {{\"n\":{n}}}\n/say on")).collect();
    let id = app
        .start_run(
            DEMO,
            &calls.join("\n"),
            json!({ "tools": [{ "kind": "local", "name": "look" }], "budgets": { "maxToolTurns": 100 } }),
        )
        .await;
    let session = format!("runlens_session={}", browser.cookies["runlens_session"]);
    let request = app.http.get(app.url(&format!("/runs/{id}/live"))).header("cookie", session);
    let mut stream = request.send().await.unwrap();
    let mut answered = HashSet::new();
    // Keeps the run followed, and wakes this test for every change.
    eventually("a call that is seen as it happens", async || {
        stream.chunk().await.unwrap().expect("the run ended before a call was seen as it happened");
        let (ages, html) = ages(&mut browser, &id).await;
        if ages.is_empty() {
            return None;
        }
        assert_eq!(ages.len(), 2, "{html}");
        if !html.contains("≥ ") {
            return Some(());
        }
        let log = browser.open(&format!("/api/runs/{id}/events")).await.body;
        let events: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let call = events.iter().rfind(|event| event["type"] == "local_tool_call").unwrap();
        let call = call["data"]["toolUseId"].as_str().unwrap();
        if answered.insert(call.to_owned()) {
            app.answer_tool(DEMO, &id, call, "seen").await;
        }
        None
    })
    .await;
}
