//! Tests of event streams: from the start, resumed, and after the end.

use reqwest::Method;
use serde_json::json;

use crate::support::*;

#[tokio::test]
async fn resuming_after_any_event_returns_exactly_the_rest() {
    let harness = Harness::start().await;
    let prompt = "/think Let me see.\n/call clock {}\n/say The answer has a few words in it.";
    let id = harness.launch(prompt, json!({ "tools": [builtin("clock")], "reasoningLevel": "low" })).await;
    let all = harness.log(&id).await;
    for seq in 0..=all.len() {
        let mut by_query = Vec::new();
        let mut follower = harness.follow(&id, seq as u64).await;
        while let Some(event) = follower.next().await {
            by_query.push(event);
        }
        assert_eq!(by_query, all[seq..]);
        let by_header = harness.request(Method::GET, &format!("/agent-runs/{id}/stream")).header("Last-Event-ID", seq);
        let by_header = harness.send(by_header).await;
        assert_eq!(by_header.header("content-type"), "text/event-stream");
        let seen: Vec<u64> =
            by_header.text.lines().filter_map(|line| line.strip_prefix("id: ")?.parse().ok()).collect();
        assert_eq!(seen, all[seq..].iter().map(|event| event.seq).collect::<Vec<_>>());
    }
}

#[tokio::test]
async fn a_position_past_the_end_returns_no_events() {
    let harness = Harness::start().await;
    let id = harness.launch("/call approve {}\n/say Done.", json!({ "tools": [local("approve")] })).await;
    let call = harness.follow(&id, 0).await.wait_for("local_tool_call").await.data;
    let ahead = harness.request(Method::GET, &format!("/agent-runs/{id}/stream")).header("Last-Event-ID", u64::MAX);
    let body = json!({ "toolUseId": call["toolUseId"], "result": "yes" });
    let results = format!("/agent-runs/{id}/tool-results");
    let (seen, answered) = tokio::join!(harness.send(ahead), harness.post(&results, body));
    assert_eq!((seen.status, seen.text.as_str(), answered.status), (200, "", 204));
}

#[tokio::test]
async fn a_live_run_is_replayed_then_tailed() {
    let harness = Harness::start().await;
    let id =
        harness.launch("/say Before.\n/call approve {}\n/say After.", json!({ "tools": [local("approve")] })).await;
    let mut early = harness.follow(&id, 0).await;
    let call = early.wait_for("local_tool_call").await;
    // Both join while the run waits: one reads everything, one only new events.
    let (mut whole, mut rest) = (harness.follow(&id, 0).await, harness.follow(&id, call.seq).await);
    let body = json!({ "toolUseId": call.data["toolUseId"], "result": "yes" });
    assert_eq!(harness.post(&format!("/agent-runs/{id}/tool-results"), body).await.status, 204);
    assert_eq!(rest.next().await.map(|event| event.seq), Some(call.seq + 1));
    assert_eq!(whole.next().await.map(|event| event.seq), Some(1));
    assert_eq!(whole.wait_for("result").await, rest.wait_for("result").await);
    assert!(rest.next().await.is_none() && whole.next().await.is_none(), "the stream ends with the run");
}

#[tokio::test]
async fn a_position_that_is_no_number_is_refused() {
    let harness = Harness::start().await;
    let id = harness.launch("/say Hello.", json!({})).await;
    for query in ["?lastSeq=x", "?lastSeq=-1", "?lastSeq=99999999999999999999"] {
        assert_eq!(harness.get(&format!("/agent-runs/{id}/stream{query}")).await.status, 400, "{query}");
    }
    let header = harness.request(Method::GET, &format!("/agent-runs/{id}/stream")).header("Last-Event-ID", "x");
    assert_eq!(harness.send(header).await.status, 400);
    assert_eq!(harness.get("/agent-runs/run_none/stream").await.status, 404);
}
