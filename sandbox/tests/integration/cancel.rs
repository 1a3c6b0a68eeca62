//! Tests of cancellation.

use serde_json::json;

use crate::support::*;

#[tokio::test]
async fn a_waiting_run_is_cancelled_permanently() {
    let harness = Harness::start().await;
    let id = harness.launch("/say Asking.\n/call approve {}", json!({ "tools": [local("approve")] })).await;
    let mut follower = harness.follow(&id, 0).await;
    let call = follower.wait_for("local_tool_call").await.data;
    for _ in 0..2 {
        assert_eq!(harness.post(&format!("/agent-runs/{id}/cancel"), json!({})).await.status, 200);
    }
    assert_eq!(follower.wait_for("cancelled").await.data["reason"], "user");
    assert!(follower.next().await.is_none());
    assert_eq!(harness.snapshot(&id).await["status"], "cancelled");
    assert_eq!(harness.post(&format!("/agent-runs/{id}/cancel"), json!({})).await.status, 200);
    let late = json!({ "toolUseId": call["toolUseId"], "result": "x" });
    assert_eq!(harness.post(&format!("/agent-runs/{id}/tool-results"), late).await.status, 409);
}

#[tokio::test]
async fn a_run_in_the_middle_of_a_turn_is_cancelled() {
    let harness = Harness::start().await;
    let id = harness.launch("/say Working.\n/sleep 600000\n/say Never.", json!({})).await;
    let mut follower = harness.follow(&id, 0).await;
    follower.wait_for("assistant_delta").await;
    harness.post(&format!("/agent-runs/{id}/cancel"), json!({})).await;
    follower.wait_for("cancelled").await;
}

#[tokio::test]
async fn a_finished_run_does_not_change() {
    let harness = Harness::start().await;
    let id = harness.launch("/say Done.", json!({})).await;
    harness.log(&id).await;
    let answer = harness.post(&format!("/agent-runs/{id}/cancel"), json!({})).await;
    assert_eq!((answer.status, &answer.json()["status"]), (200, &json!("succeeded")));
}
