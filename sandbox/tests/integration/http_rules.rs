//! Tests of rate limits, heartbeats and cross-origin requests.

use std::sync::Arc;
use std::time::Duration;

use protocol::sse::Frames;
use reqwest::Method;
use sandbox::RateLimits;
use serde_json::json;

use crate::oauth::sign_in;
use crate::support::*;

async fn limited(rate_limits: RateLimits) -> Harness {
    let folder = Arc::new(tempfile::tempdir().expect("a folder"));
    Harness::start_with(folder, |config| config.rate_limits = rate_limits).await
}

fn spec() -> serde_json::Value {
    json!({ "systemPrompt": "You help.", "prompt": "/say Hello." })
}

#[tokio::test]
async fn each_limited_response_has_the_state_of_its_bucket() {
    let harness = limited(RateLimits::DOCUMENTED).await;
    let id = harness.launch("/say Hello.", json!({})).await;
    let session = json!({ "systemPrompt": "You help." });
    let answers = [
        (harness.post("/agent-runs", spec()).await, "runs", "120", "118"),
        (harness.post(&format!("/agent-runs/{id}/cancel"), json!({})).await, "lifecycle", "600", "599"),
        (harness.post("/agent-sessions", session).await, "mutations", "120", "119"),
        (harness.get("/models").await, "reads", "6000", "5999"),
        // Requests that are refused for another reason count too.
        (harness.post("/agent-runs", json!({})).await, "runs", "120", "117"),
    ];
    for (answer, bucket, limit, remaining) in answers {
        let header = |name: &str| answer.header(name).to_owned();
        assert_eq!(header("x-ratelimit-bucket"), bucket);
        assert_eq!(
            (header("x-ratelimit-limit").as_str(), header("x-ratelimit-remaining").as_str()),
            (limit, remaining)
        );
        let reset: i64 = header("x-ratelimit-reset").parse().expect("a time");
        let now = chrono::Utc::now().timestamp();
        assert!((now - 60..=now + 61).contains(&reset), "{reset} at {now}");
        assert_eq!(header("retry-after"), "");
    }
}

#[tokio::test]
async fn a_full_bucket_refuses_its_own_requests_and_no_others() {
    let harness = limited(RateLimits { runs: Some(2), ..RateLimits::OFF }).await;
    let id = harness.launch("/say Hello.", json!({})).await;
    let session = harness.post("/agent-sessions", json!({ "systemPrompt": "You help." })).await.json();
    let messages = format!("/agent-sessions/{}/messages", session["sessionId"].as_str().expect("an id"));
    assert_eq!(harness.post(&messages, json!({ "prompt": "/say Hello." })).await.status, 202);
    for path in ["/agent-runs", &messages] {
        let refused = harness.post(path, spec()).await;
        assert_eq!(refused.status, 429);
        let code = json!("rate_limit_exceeded");
        assert_eq!((&refused.json()["error"], &refused.json()["code"]), (&code, &code));
        let wait: u64 = refused.header("retry-after").parse().expect("seconds");
        assert!((1..=60).contains(&wait), "{wait}");
        assert_eq!((refused.header("x-ratelimit-remaining"), refused.header("x-ratelimit-bucket")), ("0", "runs"));
    }
    assert_eq!(harness.log(&id).await.last().map(|event| event.kind.as_str()), Some("result"));
    assert_eq!(harness.post(&format!("/agent-runs/{id}/cancel"), json!({})).await.status, 200);
    assert_eq!(harness.get("/agent-runs?includeTotal=1").await.json()["total"], 2);
    let other = harness.request_as(OTHER_KEY, "other", Method::POST, "/agent-runs").json(&spec());
    assert_eq!(harness.send(other).await.status, 202, "another credential has a bucket of its own");
    let tokens = sign_in(&harness, "owner@demo.test", "runs:write").await;
    let token = tokens["access_token"].as_str().expect("a token");
    let with_token = harness.request_as(token, "demo", Method::POST, "/agent-runs").json(&spec());
    assert_eq!(harness.send(with_token).await.status, 202, "and so has another one of the same workspace");
}

#[tokio::test]
async fn requests_without_a_valid_credential_are_not_counted() {
    let harness = limited(RateLimits { reads: Some(1), ..RateLimits::OFF }).await;
    for _ in 0..3 {
        let refused = harness.send(harness.request_as("mantyx_wrong", "demo", Method::GET, "/models")).await;
        assert_eq!((refused.status, refused.header("x-ratelimit-limit")), (401, ""));
    }
    assert_eq!(harness.get("/models").await.status, 200);
    assert_eq!(harness.get("/models").await.status, 429);
}

#[tokio::test]
async fn without_limits_there_are_no_rate_limit_headers() {
    let harness = Harness::start().await;
    for _ in 0..150 {
        let answer = harness.post("/agent-sessions", json!({ "systemPrompt": "You help." })).await;
        assert_eq!((answer.status, answer.header("x-ratelimit-limit")), (201, ""));
    }
}

#[tokio::test]
async fn an_idle_stream_sends_heartbeats() {
    let folder = Arc::new(tempfile::tempdir().expect("a folder"));
    let harness = Harness::start_with(folder, |config| config.heartbeat = Duration::from_millis(5)).await;
    let id = harness.launch("/call approve {}\n/say Done.", json!({ "tools": [local("approve")] })).await;
    let path = format!("/agent-runs/{id}/stream");
    let mut stream = harness.request(Method::GET, &path).send().await.expect("a stream");
    let mut text = String::new();
    // Waits for three comments after the call. The timeout of the client bounds the loop.
    while text.split_once("\"local_tool_call\"").is_none_or(|(_, after)| after.matches("\n: ").count() < 3) {
        let chunk = stream.chunk().await.expect("a chunk").expect("it goes on");
        text += std::str::from_utf8(&chunk).expect("whole characters");
    }
    let waiting = Frames::default().push(text.as_bytes()).expect("short frames");
    assert_eq!(
        waiting.last().and_then(|frame| frame.event.as_deref()),
        Some("local_tool_call"),
        "comments are no events"
    );
    let mut follower = harness.follow(&id, 0).await;
    let call = follower.wait_for("local_tool_call").await.data;
    let body = json!({ "toolUseId": call["toolUseId"], "result": "yes" });
    assert_eq!(harness.post(&format!("/agent-runs/{id}/tool-results"), body).await.status, 204);
    follower.wait_for("result").await;
}

#[tokio::test]
async fn cross_origin_requests_get_no_cors_headers() {
    let harness = Harness::start().await;
    let preflight = harness
        .request(Method::OPTIONS, "/agent-runs")
        .header("Origin", "https://elsewhere.example")
        .header("Access-Control-Request-Method", "POST");
    let read = harness.request(Method::GET, "/agent-runs").header("Origin", "https://elsewhere.example");
    for request in [preflight, read] {
        let answer = harness.send(request).await;
        assert!(!answer.headers.keys().any(|name| name.as_str().starts_with("access-control")), "{answer:?}");
    }
}
