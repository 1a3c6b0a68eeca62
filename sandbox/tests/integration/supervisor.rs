//! Tests of the supervisor.

use protocol::Event;
use serde_json::{Value, json};

use crate::support::*;

fn actions(events: &[Event]) -> Vec<String> {
    of_kind(events, "supervisor").iter().map(|data| data["action"].as_str().expect("a word").to_owned()).collect()
}

fn supervised(supervisor: Value) -> Value {
    json!({ "supervisor": supervisor, "tools": [builtin("recall"), builtin("calculator")], "toolBudgets": {},
        "loopDetection": false, "reasoningLevel": "high" })
}

fn sums(count: u64) -> String {
    (0..count).map(|i| format!("/call calculator {{\"expression\":\"{i}+1\"}}\n/say On.\n")).collect()
}

#[tokio::test]
async fn a_run_that_makes_progress_is_on_track_in_every_review() {
    let harness = Harness::start().await;
    let events = harness.run(&sums(7), supervised(json!({ "interval": 3 }))).await;
    assert_eq!(actions(&events), ["on_track", "on_track"]);
    let reviews = of_kind(&events, "supervisor");
    assert_eq!((&reviews[0]["llmCalls"], &reviews[1]["llmCalls"]), (&json!(3), &json!(6)));
    assert_eq!((&reviews[0]["phase"], &reviews[0]["model"]["id"]), (&json!("turn_boundary"), &json!("sandbox/script")));
    let by_default = harness.run(&sums(6), supervised(json!(true))).await;
    assert_eq!(of_kind(&by_default, "supervisor")[0]["llmCalls"], 5);
}

#[tokio::test]
async fn without_a_supervisor_there_are_no_reviews() {
    let harness = Harness::start().await;
    for supervisor in [Value::Null, json!(false)] {
        let events = harness.run(&sums(6), supervised(supervisor)).await;
        assert!(actions(&events).is_empty());
    }
}

#[tokio::test]
async fn a_run_that_repeats_itself_is_redirected_then_ended() {
    let harness = Harness::start().await;
    let prompt = "/repeat 20\n/call recall {\"query\":\"x\"}";
    let events = harness.run(prompt, supervised(json!({ "interval": 2 }))).await;
    assert_eq!(actions(&events), ["redirect", "finalize"]);
    let reviews = of_kind(&events, "supervisor");
    assert!(reviews[0]["redirect"].as_str().is_some_and(|text| text.contains("recall")));
    assert!(reviews[1]["redirect"].is_null());
    let messages = of_kind(&events, "assistant_message");
    assert_eq!(messages.len(), 5, "two, two more, and the closing turn");
    assert!(messages[4]["toolCalls"].is_null());
    assert_eq!(last(&events).data["subtype"], "success");
}

#[tokio::test]
async fn circular_reasoning_is_stopped_within_the_turn() {
    let harness = Harness::start().await;
    let circle = "But wait, what about the edge case? ".repeat(8);
    let prompt = format!("/think {circle}\n/say Never said.\n/truncate\n/say The plain answer.");
    let supervisor = json!({ "reasoningTrigger": { "chars": 200 } });
    let events = harness.run(&prompt, supervised(supervisor)).await;
    let review = of_kind(&events, "supervisor")[0];
    assert_eq!(
        (&review["action"], &review["phase"], &review["llmCalls"]),
        (&json!("redirect"), &json!("reasoning"), &json!(0))
    );
    assert_eq!(of_kind(&events, "assistant_message").len(), 1, "the stopped turn left none");
    let result = &last(&events).data;
    assert_eq!((&result["text"], &result["turns"]), (&json!("The plain answer."), &json!(2)));
    assert!(result["tokens"]["reasoningTokens"].as_u64() >= Some(40), "what was thought is paid for: {result}");
}

#[tokio::test]
async fn long_reasoning_is_reviewed_and_the_trigger_can_be_disabled() {
    let harness = Harness::start().await;
    let long: String = (0..40).map(|i| format!("Step {i} follows from the last. ")).collect();
    let prompt = format!("/think {long}\n/say Done.");
    let events = harness.run(&prompt, supervised(json!({ "reasoningTrigger": { "chars": 500 } }))).await;
    assert_eq!(actions(&events), ["on_track", "on_track"]);
    assert_eq!(last(&events).data["text"], "Done.");
    let off = harness.run(&prompt, supervised(json!({ "reasoningTrigger": false }))).await;
    assert!(actions(&off).is_empty());
}
