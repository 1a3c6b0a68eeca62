//! Actions on a run: cancel, answer a call, give feedback.

use reqwest::Method;
use serde_json::{Value, json};

use crate::harness::{Answer, Browser, DEMO, OTHER, TestApp, eventually};

const LOCAL_TOOL: &str = "/say One moment.\n/call approve {\"amount\":42}\n/say Done.";

fn with_local_tool() -> Value {
    json!({ "tools": [{ "kind": "local", "name": "approve" }] })
}

async fn post(browser: &mut Browser, function: &str, form: &[(&str, &str)]) -> Answer {
    browser.request(Method::POST, browser.url(&format!("/rpc/{function}")), form).await
}

/// A run that waits for `approve`, and the id of that call.
pub async fn waiting_run(app: &TestApp, browser: &mut Browser) -> (String, String) {
    let id = app.start_run(DEMO, LOCAL_TOOL, with_local_tool()).await;
    let call = eventually("a local tool call", async || {
        let log = browser.open(&format!("/api/runs/{id}/events")).await.body;
        let mut events = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        events.find(|event| event["type"] == "local_tool_call")
    })
    .await;
    (id, call["data"]["toolUseId"].as_str().unwrap().to_owned())
}

#[tokio::test]
async fn a_local_call_is_answered_once_and_later_answers_are_rejected() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let (id, call) = waiting_run(&app, &mut browser).await;
    let form = [("id", id.as_str()), ("tool_use_id", call.as_str()), ("text", "{\"approved\":true}")];
    assert_eq!(browser.answer(&form).await.status, 200);
    let log = app.sandbox_stream(DEMO, &id).await;
    assert!(log.contains("{\\\"approved\\\":true}"), "{log}");
    let again = browser.answer(&form).await;
    assert_eq!(again.status, 409, "{}", again.body);
    assert!(again.body.contains("conflict") && again.body.contains("The run has ended"), "{}", again.body);
}

#[tokio::test]
async fn an_unknown_call_of_a_running_run_counts_as_answered() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let (id, _) = waiting_run(&app, &mut browser).await;
    let form = [("id", id.as_str()), ("tool_use_id", "toolu_unknown"), ("text", "x")];
    let answer = browser.answer(&form).await;
    assert_eq!(answer.status, 409);
    assert!(answer.body.contains("already been answered"), "{}", answer.body);
}

#[tokio::test]
async fn an_error_answer_needs_a_message() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let (id, call) = waiting_run(&app, &mut browser).await;
    let form = |text| [("id", id.as_str()), ("tool_use_id", call.as_str()), ("text", text), ("as", "error")];
    assert_eq!(browser.answer(&form(" ")).await.status, 400);
    let long = "x".repeat(8 * 1024 + 1);
    assert_eq!(browser.answer(&form(&long)).await.status, 400);
    assert_eq!(browser.answer(&form("The printer is on fire.")).await.status, 200);
    assert!(app.sandbox_stream(DEMO, &id).await.contains("printer is on fire"));
}

#[tokio::test]
async fn a_run_is_cancelled_and_cancelling_again_changes_nothing() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let (id, _) = waiting_run(&app, &mut browser).await;
    for _ in 0..2 {
        assert_eq!(post(&mut browser, "cancel-run", &[("id", &id)]).await.status, 200);
    }
    assert!(app.sandbox_stream(DEMO, &id).await.contains("cancelled"));
}

#[tokio::test]
async fn feedback_reaches_mantyx_and_the_last_one_counts() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let id = app.finished_run(DEMO, "/say hi", json!({})).await;
    browser.open(&format!("/runs/{id}")).await;
    for (thumb, note) in [("DOWN", "Wrong city."), ("UP", "")] {
        let form = [("id", id.as_str()), ("thumb", thumb), ("explanation", note)];
        let answer = post(&mut browser, "give-feedback", &form).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
    }
    let page = browser.open(&format!("/runs/{id}")).await.body;
    assert!(page.contains("data-thumb=\"UP\"") && !page.contains("Wrong city."), "{page}");
}

#[tokio::test]
async fn another_workspace_can_do_nothing_to_a_run() {
    let app = TestApp::start().await;
    let mut owner = app.signed_in(DEMO).await;
    let (id, call) = waiting_run(&app, &mut owner).await;
    let mut stranger = app.signed_in(OTHER).await;
    let forms: [(&str, &[(&str, &str)]); 2] =
        [("cancel-run", &[("id", &id)]), ("give-feedback", &[("id", &id), ("thumb", "UP")])];
    for (function, form) in forms {
        assert_eq!(post(&mut stranger, function, form).await.status, 404, "{function}");
    }
    let answer = [("id", id.as_str()), ("tool_use_id", call.as_str()), ("text", "x")];
    assert_eq!(stranger.answer(&answer).await.status, 404);
    assert_eq!(stranger.open(&format!("/api/runs/{id}/events")).await.status, 404);
    let mut nobody = app.browser();
    assert_eq!(post(&mut nobody, "cancel-run", &[("id", &id)]).await.status, 401);
    let url = owner.url("/rpc/cancel-run");
    let foreign = app.http.post(url.clone()).form(&[("id", &id)]).header("origin", "https://evil.test");
    assert_eq!(owner.send(foreign, url).await.status, 403);
}
