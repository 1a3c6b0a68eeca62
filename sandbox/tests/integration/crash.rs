//! Tests of restarts and crashes.

use serde_json::json;

use crate::support::*;

#[tokio::test]
async fn runs_sessions_and_logs_survive_a_restart() {
    let harness = Harness::start().await;
    let id = harness.launch("/call clock {}\n/say Done.", json!({ "tools": [builtin("clock")], "name": "kept" })).await;
    let before = harness.log(&id).await;
    let snapshot = harness.snapshot(&id).await;
    let harness = harness.restart().await;
    assert_eq!(harness.log(&id).await, before);
    assert_eq!(harness.snapshot(&id).await, snapshot);
}

#[tokio::test]
async fn a_shutdown_ends_waiting_runs_with_an_error_event() {
    let harness = Harness::start().await;
    let id = harness.launch("/call approve {}", json!({ "tools": [local("approve")] })).await;
    let mut follower = harness.follow(&id, 0).await;
    follower.wait_for("local_tool_call").await;
    let harness = harness.restart().await;
    assert_eq!(follower.wait_for("error").await.data["errorClass"], "server");
    assert_eq!(harness.snapshot(&id).await["status"], "failed");
}

#[tokio::test]
async fn runs_that_a_crash_interrupted_end_as_failed() {
    let harness = Harness::start().await;
    let id = harness.launch("/say Asking.\n/call approve {}", json!({ "tools": [local("approve")] })).await;
    let mut follower = harness.follow(&id, 0).await;
    let call = follower.wait_for("local_tool_call").await;
    let Harness { sandbox, folder, .. } = harness;
    drop(sandbox);
    let harness = Harness::start_in(folder, false).await;
    let events = harness.log(&id).await;
    assert_eq!(last(&events).seq, call.seq + 1);
    assert_eq!(last(&events).data["errorClass"], "server");
    let snapshot = harness.snapshot(&id).await;
    assert_eq!((&snapshot["status"], &snapshot["failureReason"]["errorClass"]), (&json!("failed"), &json!("server")));
    assert!(snapshot["completedAt"].is_string());
}
