//! Tests of tool results that a session retains.

use std::sync::Arc;

use sandbox::OpenAi;
use serde_json::{Value, json};

use crate::openai_server::{OpenAiServer, Reply, delta, finish};
use crate::support::*;

/// Sends two messages, the first with a call of `mint`, and returns what the model got in the second run.
async fn second_request(retain: bool, result: &str) -> Vec<Value> {
    let call =
        json!({ "tool_calls": [{ "index": 0, "function": { "name": "mint", "arguments": "{\"kind\":\"a\"}" } }] });
    let server = OpenAiServer::start([
        Reply::stream(&[delta(call), finish("tool_calls")]),
        Reply::text("Minted."),
        Reply::text("As before."),
    ])
    .await;
    let api = OpenAi::new(&server.url, "sk-test").expect("an API");
    let folder = Arc::new(tempfile::tempdir().expect("a folder"));
    let harness = Harness::start_with(folder, |config| config.openai = Some(api)).await;
    let tool = json!({ "kind": "local", "name": "mint", "retain": retain });
    let spec = json!({ "systemPrompt": "You help.", "modelId": "openai/gpt-test", "tools": [tool] });
    let session = harness.post("/agent-sessions", spec).await.json();
    let path = format!("/agent-sessions/{}", session["sessionId"].as_str().expect("an id"));
    let run = harness.post(&format!("{path}/messages"), json!({ "prompt": "Mint one" })).await.json();
    let id = run["runId"].as_str().expect("an id").to_owned();
    let mut follower = harness.follow(&id, 0).await;
    let call = follower.wait_for("local_tool_call").await.data;
    let body = json!({ "toolUseId": call["toolUseId"], "result": result });
    assert_eq!(harness.post(&format!("/agent-runs/{id}/tool-results"), body).await.status, 204);
    follower.wait_for("result").await;
    let run = harness.post(&format!("{path}/messages"), json!({ "prompt": "Which one?" })).await.json();
    harness.log(run["runId"].as_str().expect("an id")).await;
    let detail = harness.get(&path).await.json();
    assert_eq!(detail["messages"].as_array().map(Vec::len), Some(4), "the transcript keeps words only");
    server.requests()[2]["messages"].as_array().expect("messages").clone()
}

fn roles(messages: &[Value]) -> Vec<&str> {
    messages.iter().map(|message| message["role"].as_str().expect("a role")).collect()
}

#[tokio::test]
async fn a_retained_result_is_replayed_before_the_answer_of_its_run() {
    let messages = second_request(true, "id-4711").await;
    assert_eq!(roles(&messages), ["system", "user", "assistant", "tool", "assistant", "user"]);
    assert_eq!(messages[2]["tool_calls"][0]["function"]["arguments"], "{\"kind\":\"a\"}");
    assert_eq!(
        (&messages[3]["content"], &messages[3]["tool_call_id"]),
        (&json!("id-4711"), &messages[2]["tool_calls"][0]["id"])
    );
    assert_eq!(messages[4]["content"], "Minted.");
}

#[tokio::test]
async fn an_ordinary_result_is_forgotten_with_its_run() {
    assert_eq!(roles(&second_request(false, "id-4711").await), ["system", "user", "assistant", "user"]);
}

#[tokio::test]
async fn a_long_result_is_cut_at_a_character() {
    let messages = second_request(true, &"ä".repeat(10_000)).await;
    assert_eq!(messages[3]["content"].as_str().map(str::len), Some(8192));
}
