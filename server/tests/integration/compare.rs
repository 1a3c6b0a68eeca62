//! Two runs side by side: what is said of their specs.

use serde_json::{Value, json};

use crate::harness::{Browser, DEMO, TestApp, api_key};

const LOG: &str = "{\"seq\":1,\"type\":\"result\",\"data\":{\"text\":\"Hi.\"}}\n";

async fn compared(browser: &mut Browser, left: &str, right: &str) -> String {
    let page = browser.open(&format!("/compare?left={left}&right={right}")).await;
    assert_eq!(page.status, 200, "{}", page.body);
    page.body
}

/// A run from a file, which does not tell its spec.
async fn imported(app: &TestApp) -> String {
    let request = app.http.post(app.url("/api/import")).bearer_auth(api_key(DEMO)).body(LOG);
    let answer: Value = request.send().await.unwrap().json().await.unwrap();
    answer["runId"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn specs_that_are_not_known_are_not_called_the_same() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let (one, two) =
        (app.finished_run(DEMO, "/say Hi.", json!({})).await, app.finished_run(DEMO, "/say Hi.", json!({})).await);
    let (lost, lost_too) = (imported(&app).await, imported(&app).await);
    for (left, right, words) in [
        (&one, &two, "Their specs are the same."),
        (&lost, &one, "The spec of the left run is unknown"),
        (&one, &lost, "The spec of the right run is unknown"),
        (&lost, &lost_too, "The specs of both runs are unknown"),
    ] {
        let html = compared(&mut browser, left, right).await;
        assert!(html.contains(words), "{words}: {html}");
        assert_eq!(html.contains("Their specs are the same"), words.starts_with("Their"));
        for run in [left, right] {
            let known = !run.starts_with("imported_");
            assert_eq!(html.contains(&format!("/launch?like={run}\"")), known, "{run}");
        }
    }
}
