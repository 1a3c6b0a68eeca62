//! `is:mine` finds runs that the user launched with the form, in a batch, or in a session.

use app::model::launch::LaunchResponse;
use serde_json::{Value, json};

use crate::harness::{Browser, DEMO, TestApp, api_key, eventually};

async fn found(browser: &mut Browser, query: &str) -> Vec<String> {
    let answer = browser.open(&format!("/api/runs?q={query}")).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    let page: Value = serde_json::from_str(&answer.body).unwrap();
    page["runs"].as_array().unwrap().iter().map(|run| run["id"].as_str().unwrap().to_owned()).collect()
}

async fn session(app: &TestApp) -> String {
    let url = format!("{}/api/v1/workspaces/{DEMO}/agent-sessions", app.sandbox_url());
    let spec = json!({ "systemPrompt": "You help.", "modelId": "sandbox/script" });
    let answer = app.http.post(url).bearer_auth(api_key(DEMO)).json(&spec).send().await.unwrap();
    answer.json::<Value>().await.unwrap()["sessionId"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn users_find_their_own_launches_by_form_batch_and_session() {
    let app = TestApp::start().await;
    let by_a_program = app.finished_run(DEMO, "/say by a program", json!({})).await;
    let mut browser = app.signed_in(DEMO).await;
    let spec = json!({ "systemPrompt": "You help.", "modelId": "sandbox/script", "prompt": "/say hi" });
    let mine = vec![browser.launch(&spec).await];
    assert_eq!(found(&mut browser, "is:mine").await, mine);
    // A later sync of the run keeps its launcher.
    app.sandbox_stream(DEMO, &mine[0]).await;
    browser.open(&format!("/runs/{}", mine[0])).await;
    assert_eq!(found(&mut browser, "is:mine+status:succeeded").await, mine);

    let id = session(&app).await;
    assert_eq!(browser.call("send-message", &[("id", &id), ("text", "/say Hello.")]).await.0, 200);
    assert_eq!(found(&mut browser, "is:mine").await.len(), 2);
    let page = browser.launch_form_with(&spec).await;
    let batch = [("field:/prompt", "/say {{word}}"), ("batch.inputs", "word\none\ntwo\n"), ("action", "launch-batch")];
    let launched = browser.send_launch_form(&page, &batch).await;
    assert!(matches!(launched, LaunchResponse::Done { .. }), "{launched:?}");
    eventually("the batch", async || (found(&mut browser, "is:mine").await.len() == 4).then_some(())).await;
    assert_eq!(found(&mut browser, "-is:mine").await, [by_a_program]);
    assert!(browser.open("/runs?q=is:mine").await.body.contains(&format!("/runs/{}", mine[0])));
}

#[tokio::test]
async fn is_mine_is_rejected_for_api_keys() {
    let app = TestApp::start().await;
    for path in ["/api/runs", "/api/facets", "/api/histogram"] {
        let request = app.http.get(app.url(&format!("{path}?q=is:mine"))).bearer_auth(api_key(DEMO));
        let answer = request.send().await.unwrap();
        assert_eq!(answer.status(), 400, "{path}");
        let body: Value = answer.json().await.unwrap();
        assert!(body["message"].as_str().unwrap().contains("an API key has none"), "{body}");
    }
}
