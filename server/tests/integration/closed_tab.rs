//! Tests that work goes on when the browser tab is closed meanwhile.

use serde_json::{Value, json};

use crate::harness::{Browser, DEMO, TestApp, Trouble, Unsteady, eventually};

fn spec(prompt: &str) -> Value {
    json!({ "systemPrompt": "You help.", "modelId": "sandbox/script", "prompt": prompt,
        "tools": [{ "kind": "local", "name": "ask" }] })
}

/// Waits until the run's page says who answered its only call.
async fn wait_for_answer(viewer: &mut Browser, run_id: &str, answered: &str) {
    eventually(answered, async || {
        let page = viewer.open(&format!("/runs/{run_id}")).await.body;
        page.contains(answered).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_launch_is_recorded_and_answered() {
    let mut way = None;
    let app =
        TestApp::start_apart(|config| way = Some(Unsteady::before_launches(config, &[Trouble::AnswerHeld]))).await;
    let way = way.unwrap();
    let mut browser = app.signed_in(DEMO).await;
    let reply = json!({ "ask": { "by": "canned", "text": "yes" } });
    let page = browser.answered_launch_form(&spec("/call ask {}\n/say done"), &reply).await;
    let tab = tokio::spawn(async move { browser.send_launch_form(&page, &[("action", "launch")]).await });
    eventually("the launch", async || (way.posted() == 1).then_some(())).await;
    tab.abort();
    assert!(tab.await.unwrap_err().is_cancelled());
    way.release();
    let mut viewer = app.signed_in(DEMO).await;
    let run = eventually("the run", async || {
        let list: Value = serde_json::from_str(&viewer.open("/api/runs").await.body).unwrap();
        list["runs"][0]["id"].as_str().map(str::to_owned)
    })
    .await;
    wait_for_answer(&mut viewer, &run, "by a canned reply").await;
}

#[tokio::test]
async fn an_answer_by_hand_is_recorded() {
    let mut way = None;
    let app = TestApp::start_apart(|config| way = Some(Unsteady::before(config, &[Trouble::AnswerHeld]))).await;
    let way = way.unwrap();
    let mut browser = app.signed_in(DEMO).await;
    let run = browser.launch(&spec("/call ask {}\n/say done")).await;
    let call = app.pending_call(DEMO, &run).await;
    let id = run.clone();
    let tab = tokio::spawn(async move {
        let form = [("id", id.as_str()), ("tool_use_id", &call), ("text", "yes")];
        browser.answer(&form).await.status
    });
    eventually("the post", async || (way.posted() == 1).then_some(())).await;
    tab.abort();
    assert!(tab.await.unwrap_err().is_cancelled());
    way.release();
    wait_for_answer(&mut app.signed_in(DEMO).await, &run, "by owner@demo.test").await;
}
