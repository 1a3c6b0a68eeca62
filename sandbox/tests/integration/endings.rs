//! Tests of failed runs: truncated, refused, or failed by their provider.

use serde_json::json;

use crate::support::*;

#[tokio::test]
async fn a_truncated_answer_is_in_the_log_and_the_snapshot() {
    let harness = Harness::start().await;
    let extra = json!({ "outputSchema": { "schema": { "type": "object" } } });
    let id = harness.launch("/json {\"answer\": \"The invoice tot\n/truncate", extra).await;
    let events = harness.log(&id).await;
    let partial = "{\"answer\": \"The invoice tot";
    let message = of_kind(&events, "assistant_message")[0];
    assert_eq!((&message["text"], &message["finishReason"]), (&json!(partial), &json!("max_tokens")));
    let error = &last(&events).data;
    assert_eq!((&error["errorClass"], &error["code"]), (&json!("truncation"), &json!("truncation")));
    assert_eq!((&error["partialText"], &error["finishReason"]), (&json!(partial), &json!("max_tokens")));
    assert_eq!(error["structuredOutput"]["schemaRequested"], true);
    let snapshot = harness.snapshot(&id).await;
    assert_eq!((&snapshot["status"], &snapshot["finalText"]), (&json!("failed"), &json!(partial)));
    assert_eq!(snapshot["failureReason"], json!({ "errorClass": "truncation", "finishReason": "max_tokens" }));
    assert_eq!(snapshot["error"], error["error"]);
}

#[tokio::test]
async fn a_refusal_ends_the_run() {
    let harness = Harness::start().await;
    let events = harness.run("/say I would rather not.\n/refuse", json!({})).await;
    assert_eq!(of_kind(&events, "assistant_message")[0]["finishReason"], "refusal");
    assert_eq!((last(&events).kind.as_str(), &last(&events).data["finishReason"]), ("error", &json!("refusal")));
}

#[tokio::test]
async fn each_class_of_failure_is_named_and_the_turn_still_has_its_message() {
    let harness = Harness::start().await;
    for (class, retryable) in
        [("rate_limit", true), ("overloaded", true), ("server", true), ("auth", false), ("odd", false)]
    {
        let id = harness.launch(&format!("/say Half an ans\n/fail {class}"), json!({})).await;
        let events = harness.log(&id).await;
        assert_eq!(of_kind(&events, "assistant_message").len(), 1);
        let error = &last(&events).data;
        assert_eq!((&error["errorClass"], &error["retryable"]), (&json!(class), &json!(retryable)));
        assert_eq!((&error["partialText"], &error["turns"]), (&json!("Half an ans"), &json!(1)));
        assert_eq!(harness.snapshot(&id).await["failureReason"]["errorClass"], class);
    }
}

#[tokio::test]
async fn a_conversation_that_exceeds_the_context_window_fails() {
    let harness = Harness::start().await;
    let long = "word ".repeat(20_000);
    let events = harness.run(&long, json!({ "modelId": "sandbox/script-mini" })).await;
    assert_eq!(last(&events).data["errorClass"], "context_window");
}
