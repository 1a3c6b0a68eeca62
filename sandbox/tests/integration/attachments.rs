//! Tests of attachments.

use serde_json::json;

use crate::support::*;

#[tokio::test]
async fn files_reach_the_model_and_a_session_stores_their_metadata() {
    let harness = Harness::start().await;
    let session = harness.post("/agent-sessions", json!({ "systemPrompt": "You help." })).await.json();
    let path = format!("/agent-sessions/{}", session["sessionId"].as_str().expect("an id"));
    let files = json!([
        { "type": "input_file", "mimeType": "text/csv", "filename": "sales.csv", "data": "YSxiCjEsMgo=" },
        { "type": "input_file_url", "url": "https://example.com/chart.png", "mimeType": "image/png" }]);
    let body = json!({ "messages": [{ "role": "user", "content": "What is in these?", "attachments": files }] });
    let run = harness.post(&format!("{path}/messages"), body).await.json();
    let events = harness.log(run["runId"].as_str().expect("an id")).await;
    let text = last(&events).data["text"].as_str().expect("a text").to_owned();
    assert!(text.contains("sales.csv") && text.contains("https://example.com/chart.png"), "{text}");
    let kept = json!([{ "type": "input_file", "mimeType": "text/csv", "filename": "sales.csv", "size": 8 },
        { "type": "input_file_url", "url": "https://example.com/chart.png", "mimeType": "image/png" }]);
    let replayed = harness.get(&format!("{path}/events")).await.json();
    assert_eq!(replayed["events"][0]["attachments"], kept);
    let next = harness.post(&format!("{path}/messages"), json!({ "prompt": "And now?" })).await.json();
    let events = harness.log(next["runId"].as_str().expect("an id")).await;
    assert!(
        !last(&events).data["text"].as_str().is_some_and(|text| text.contains("sales.csv")),
        "older files stay out"
    );
}
