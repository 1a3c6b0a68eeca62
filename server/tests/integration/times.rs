//! The times of events: recorded in the log, or observed while the run happened.

use reqwest::header::ORIGIN;
use serde_json::{Value, json};

use crate::harness::{Browser, DEMO, TestApp, api_key, eventually};

async fn timeline(browser: &mut Browser, id: &str) -> Value {
    serde_json::from_str(&browser.open(&format!("/api/runs/{id}/timeline")).await.body).unwrap()
}

pub async fn import(browser: &mut Browser, log: &str) -> String {
    let url = browser.url("/api/import");
    let request = reqwest::Client::new().post(url.clone()).header(ORIGIN, url.origin().ascii_serialization());
    let answer = browser.send(request.body(log.to_owned()), url).await;
    let body: Value = serde_json::from_str(&answer.body).unwrap();
    body["runId"].as_str().unwrap_or_else(|| panic!("{}", answer.body)).to_owned()
}

#[tokio::test]
async fn a_run_that_nobody_views_is_observed_and_its_times_outlive_packing() {
    let app = TestApp::start_with(|config| config.metrics_token = Some("operator".to_owned())).await;
    let tools = json!({ "tools": [{ "kind": "local", "name": "look" }] });
    let id = app.start_run(DEMO, "/call look {}\n/sleep 800\n/say seen\n/call clock {}\n/say done", tools).await;
    let call = app.pending_call(DEMO, &id).await;
    // Signing in starts the sync, which follows the run.
    let mut browser = app.signed_in(DEMO).await;
    eventually("the run is followed", async || {
        let request = app.http.get(app.url("/metrics")).bearer_auth("operator");
        let metrics = request.send().await.unwrap().text().await.unwrap();
        metrics.contains("runlens_live_runs 1").then_some(())
    })
    .await;
    // Events after the first pause of the stream, which the script makes, are seen as they happen.
    app.answer_tool(DEMO, &id, &call, "a picture").await;
    app.sandbox_stream(DEMO, &id).await;
    let pool = app.database.connect().await;
    eventually("a packed log", async || {
        let rows: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM run_event").fetch_one(&pool).await.unwrap();
        (rows == 0).then_some(())
    })
    .await;
    let turns = timeline(&mut browser, &id).await["turns"].clone();
    let last = turns.as_array().and_then(|turns| turns.last()).unwrap();
    assert_eq!((last["observed"].clone(), last["durationMs"].is_u64()), (json!(true), true), "{turns:#}");
    // The local call began before anything listened.
    let call = &turns[0]["entries"][0]["call"];
    assert_eq!((&call["name"], call.get("durationMs")), (&json!("look"), None), "{turns:#}");
    let page = browser.open(&format!("/runs/{id}?density=waterfall")).await.body;
    assert!(page.contains("Times are when events arrived in Runlens.") && page.contains("Unobserved"), "{page}");
    let run: Value = serde_json::from_str(&browser.open(&format!("/api/runs/{id}")).await.body).unwrap();
    assert_eq!(run["waitedMs"], Value::Null, "{run:#}");
}

#[tokio::test]
async fn a_launched_run_is_observed_from_its_start_so_that_its_waits_are_known() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let spec = json!({
        "name": "test", "systemPrompt": "You help.", "modelId": "sandbox/script", "prompt": "/call look {}\n/say seen",
        "tools": [{ "kind": "local", "name": "look" }],
    });
    let id = browser.launch_answered(&spec, &json!({ "look": { "by": "hand" } })).await;
    let call = app.pending_call(DEMO, &id).await;
    browser.open(&format!("/runs/{id}")).await;
    tokio::time::sleep(std::time::Duration::from_millis(1_200)).await;
    app.answer_tool(DEMO, &id, &call, "a picture").await;
    let waited_ms = eventually("the end of the run", async || {
        let run: Value = serde_json::from_str(&browser.open(&format!("/api/runs/{id}")).await.body).unwrap();
        (run["status"] == "succeeded").then(|| run["waitedMs"].as_u64())
    })
    .await;
    assert!(waited_ms.is_some_and(|ms| (800..30_000).contains(&ms)), "{waited_ms:?}");
}

#[tokio::test]
async fn runs_that_wait_do_not_keep_newer_ones_from_being_followed() {
    let app = TestApp::start_with(|config| config.metrics_token = Some("operator".to_owned())).await;
    let live_runs = async |number: u32| {
        eventually("the runs are followed", async || {
            let request = app.http.get(app.url("/metrics")).bearer_auth("operator");
            let metrics = request.send().await.unwrap().text().await.unwrap();
            metrics.contains(&format!("runlens_live_runs {number}\n")).then_some(())
        })
        .await;
    };
    let tools = json!({ "tools": [{ "kind": "local", "name": "look" }] });
    for _ in 0..20 {
        app.start_run(DEMO, "/call look {}", tools.clone()).await;
    }
    let mut browser = app.signed_in(DEMO).await;
    live_runs(20).await;
    let id = app.start_run(DEMO, "/call look {}\n/say done", tools).await;
    let call = app.pending_call(DEMO, &id).await;
    // The next round of the sync, and the first pause of the stream.
    tokio::time::sleep(std::time::Duration::from_secs(8)).await;
    app.answer_tool(DEMO, &id, &call, "a picture").await;
    app.sandbox_stream(DEMO, &id).await;
    let turns = eventually("observed times", async || {
        let turns = timeline(&mut browser, &id).await["turns"].clone();
        turns[1]["observed"].is_boolean().then_some(turns)
    })
    .await;
    assert_eq!(turns[1]["observed"], true, "{turns:#}");
    live_runs(20).await;
}

#[tokio::test]
async fn recorded_times_are_shown_and_faulty_ones_do_no_harm() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let log = r#"{"seq":1,"type":"started","data":{},"timestamp":"2026-11-02T09:00:00Z"}
{"seq":2,"type":"assistant_message","data":{"text":"","toolCalls":[{"id":"a","name":"search","input":{}}]},"timestamp":"2026-11-02T09:00:02Z"}
{"seq":3,"type":"tool_result","data":{"toolUseId":"a","result":"x"},"timestamp":"2026-11-02T09:00:43Z"}
{"seq":4,"type":"assistant_message","data":{"text":"ok"},"timestamp":"2026-11-02T09:00:45Z"}
{"seq":5,"type":"error","data":{"error":"no","errorClass":"server"},"timestamp":"2026-11-02T09:00:45Z"}"#;
    let id = import(&mut browser, log).await;
    let turns = timeline(&mut browser, &id).await["turns"].clone();
    assert_eq!((&turns[0]["durationMs"], &turns[0]["observed"]), (&json!(43_000), &json!(false)), "{turns:#}");
    assert_eq!(turns[0]["entries"][0]["call"]["durationMs"], 41_000);
    let page = browser.open(&format!("/runs/{id}")).await.body;
    assert!(page.contains("41.0 s of 45.0 s were spent in "), "{page}");
    let page = browser.open(&format!("/runs/{id}?density=waterfall&tab=tools")).await.body;
    assert!(page.contains("Where the time went ") && page.contains("Times are from the log."), "{page}");
    // A turn takes as long in the waterfall as among the steps: with its calls.
    for density in ["", "?density=waterfall"] {
        let page = browser.open(&format!("/runs/{id}{density}")).await.body;
        assert!(page.contains("43.0 s"), "{density}: {page}");
    }

    // A clock that goes back: the page and the list show the same time.
    let log = r#"{"seq":1,"type":"assistant_message","data":{"text":"a"},"at":1790000030000}
{"seq":2,"type":"assistant_message","data":{"text":"b"},"at":1790000000000}
{"seq":3,"type":"result","data":{"text":"b"},"at":1790000041000}"#;
    let id = import(&mut browser, log).await;
    let run: Value = serde_json::from_str(&browser.open(&format!("/api/runs/{id}")).await.body).unwrap();
    assert_eq!(run["durationMs"], 11_000, "{run:#}");
    let page = browser.open(&format!("/runs/{id}?tab=tools")).await.body;
    assert!(page.contains(r#"Where the time went <span class="hint">11.0 s"#), "{page}");

    // Backwards, equal, far in the future, not a time, and missing.
    for times in [["9", "3", "3"], ["3", "99999999999999", "4"], ["\"soon\"", "null", "-5"]] {
        let [first, second, third] = times.map(|time| match time.len() {
            1 => format!("179000000{time}000"),
            _ => time.to_owned(),
        });
        let log = format!(
            r#"{{"seq":1,"type":"started","data":{{}},"at":{first}}}
{{"seq":2,"type":"assistant_message","data":{{"text":"a"}},"at":{second}}}
{{"seq":3,"type":"result","data":{{"text":"a"}},"at":{third}}}"#
        );
        let id = import(&mut browser, &log).await;
        let paths = ["", "?density=waterfall", "?density=waterfall&at=2", "?density=waterfall&at=0", "?tab=tools"];
        let zooms = ["0-1", "9-3", "1-99999999999999", "0-18446744073709551615", "x"];
        let zooms = zooms.map(|zoom| format!("?density=waterfall&zoom={zoom}"));
        for path in paths.into_iter().map(str::to_owned).chain(zooms) {
            let page = browser.open(&format!("/runs/{id}{path}")).await;
            assert_eq!(page.status, 200, "{times:?} {path}");
            assert!(!page.body.contains("width=\"-"), "{}", page.body);
            assert!(!page.body.contains(" x=\"-"), "{}", page.body);
        }
        assert_eq!(timeline(&mut browser, &id).await["status"], "succeeded");
    }
}

#[tokio::test]
async fn only_the_demonstration_has_recorded_times() {
    let app = TestApp::start().await;
    let id = app.finished_run(DEMO, "/say hello", json!({})).await;
    let log = app.sandbox_stream(DEMO, &id).await;
    assert!(!log.contains("\"at\":"), "{log}");
    let events = app.http.get(app.url(&format!("/api/runs/{id}/events"))).bearer_auth(api_key(DEMO));
    let events = events.send().await.unwrap().text().await.unwrap();
    assert!(!events.contains("observed"), "arrival times are not part of the log: {events}");
}
