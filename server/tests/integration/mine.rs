//! What somebody launched is theirs to find: by form, in a batch, and by going on with a session.

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
async fn everybody_finds_what_they_launched_by_form_by_batch_and_in_a_session() {
    let app = TestApp::start().await;
    let by_a_program = app.finished_run(DEMO, "/say by a program", json!({})).await;
    let mut browser = app.signed_in(DEMO).await;
    let spec = json!({ "systemPrompt": "You help.", "modelId": "sandbox/script", "prompt": "/say hi" });
    let mine = vec![browser.launch(&spec).await];
    assert_eq!(found(&mut browser, "is:mine").await, mine);
    // What MANTYX tells of the run later takes nothing away.
    app.sandbox_stream(DEMO, &mine[0]).await;
    browser.open(&format!("/runs/{}", mine[0])).await;
    assert_eq!(found(&mut browser, "is:mine+status:succeeded").await, mine);

    let id = session(&app).await;
    assert_eq!(browser.call("send-message", &[("id", &id), ("text", "/say Hello.")]).await.0, 200);
    assert_eq!(found(&mut browser, "is:mine").await.len(), 2);
    let page = browser.launch_form_with(&spec).await;
    let batch = [("t/prompt", "/say {{word}}"), ("q:inputs", "word\none\ntwo\n"), ("do", "batch")];
    let launched = browser.send_launch_form(&page, &batch).await;
    assert!(matches!(launched, LaunchResponse::Done { .. }), "{launched:?}");
    eventually("the batch", async || (found(&mut browser, "is:mine").await.len() == 4).then_some(())).await;
    assert_eq!(found(&mut browser, "-is:mine").await, [by_a_program]);
    assert!(browser.open("/runs?q=is:mine").await.body.contains(&format!("/runs/{}", mine[0])));
}

#[tokio::test]
async fn a_key_is_told_that_it_is_nobody() {
    let app = TestApp::start().await;
    for path in ["/api/runs", "/api/facets", "/api/histogram"] {
        let request = app.http.get(app.url(&format!("{path}?q=is:mine"))).bearer_auth(api_key(DEMO));
        let answer = request.send().await.unwrap();
        assert_eq!(answer.status(), 400, "{path}");
        let body: Value = answer.json().await.unwrap();
        assert!(body["message"].as_str().unwrap().contains("an API key is nobody"), "{body}");
    }
}
