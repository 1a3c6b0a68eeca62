//! Tests of the loop guard, tool budgets and tool turns.

use serde_json::{Value, json};

use crate::support::*;

fn recall() -> Value {
    json!({ "tools": [builtin("recall")] })
}

#[tokio::test]
async fn three_equal_batches_get_a_nudge_and_the_run_continues() {
    let harness = Harness::start().await;
    let events = harness.run("/repeat 3\n/call recall {\"query\":\"x\"}\n/say I change course.", recall()).await;
    let results: Vec<_> = of_kind(&events, "tool_result").iter().map(|data| data["result"].clone()).collect();
    assert_eq!(results[..2], ["No matches.", "No matches."]);
    assert!(results[2].as_str().is_some_and(|text| text.starts_with("Skipped")));
    let nudges = of_kind(&events, "loop_detected");
    assert_eq!(nudges, [&json!({ "consecutiveCount": 3, "hardCutoff": false, "tools": ["recall"] })]);
    assert_eq!(last(&events).data["text"], "I change course.");
}

#[tokio::test]
async fn six_equal_batches_force_a_final_turn_without_tools() {
    let harness = Harness::start().await;
    let events = harness.run("/repeat 20\n/call recall {\"query\":\"x\"}", recall()).await;
    let guard: Vec<_> = of_kind(&events, "loop_detected").iter().map(|data| data["hardCutoff"].clone()).collect();
    assert_eq!(guard, [json!(false), json!(true)]);
    assert_eq!(of_kind(&events, "loop_detected")[1]["consecutiveCount"], 6);
    assert_eq!(of_kind(&events, "assistant_message").len(), 7);
    let closing = of_kind(&events, "assistant_message")[6];
    assert!(closing["toolCalls"].is_null());
    assert_eq!(last(&events).data["text"], closing["text"]);
    assert_eq!(last(&events).kind, "result");
    // The order is: skipped results, the guard's event, the next turn.
    let cutoff = events.iter().position(|event| event.data["hardCutoff"] == true).expect("a cutoff");
    assert_eq!(
        (events[cutoff - 1].kind.as_str(), events[cutoff + 1].kind.as_str()),
        ("tool_result", "assistant_delta")
    );
}

#[tokio::test]
async fn a_batch_in_another_order_is_the_same_batch() {
    let harness = Harness::start().await;
    let prompt = "/call clock {}\n/call recall {\"query\":\"x\",\"limit\":1}\n/say a\n\
                  /call recall {\"limit\":1,\"query\":\"x\"}\n/call clock {}\n/say b";
    let mut spec = json!({ "loopDetection": { "consecutiveThreshold": 2 } });
    spec["tools"] = json!([builtin("recall"), builtin("clock")]);
    let events = harness.run(prompt, spec).await;
    assert_eq!(of_kind(&events, "loop_detected")[0]["consecutiveCount"], 2);
}

#[tokio::test]
async fn without_a_guard_the_run_uses_all_tool_turns() {
    let harness = Harness::start().await;
    let mut spec = json!({ "loopDetection": false, "toolBudgets": {}, "budgets": { "maxToolTurns": 7 } });
    spec["tools"] = json!([builtin("recall")]);
    let id = harness.launch("/repeat 20\n/call recall {\"query\":\"x\"}", spec).await;
    let events = harness.log(&id).await;
    assert!(of_kind(&events, "loop_detected").is_empty());
    assert_eq!(of_kind(&events, "tool_result").len(), 8, "every call has an answer");
    assert_eq!(last(&events).data["subtype"], "error_max_tool_turns");
    assert_eq!(harness.snapshot(&id).await["status"], "failed");
}

#[tokio::test]
async fn a_run_out_of_tool_turns_can_finalize() {
    let harness = Harness::start().await;
    let spec =
        json!({ "budgets": { "maxToolTurns": 1, "maxToolTurnsExceeded": "finalize" }, "tools": [builtin("clock")] });
    let prompt = "/call clock {}\n/say More.\n/call clock {\"again\":1}\n/say Never.";
    let events = harness.run(prompt, spec).await;
    assert_eq!(of_kind(&events, "tool_result").len(), 2, "the second was skipped");
    assert_eq!(of_kind(&events, "assistant_message").len(), 3);
    assert_eq!(last(&events).data["subtype"], "success");
}

#[tokio::test]
async fn calls_past_a_budget_are_intercepted_one_by_one() {
    let harness = Harness::start().await;
    let prompt =
        "/call recall {\"query\":\"a\"}\n/call recall {\"query\":\"b\"}\n/call recall {\"query\":\"c\"}\n/say Done.";
    let mut spec = recall();
    spec["toolBudgets"] = json!({ "recall": { "maxCalls": 1 } });
    let events = harness.run(prompt, spec).await;
    assert_eq!(
        of_kind(&events, "tool_budget_exceeded"),
        [
            &json!({ "tool": "recall", "maxCalls": 1, "callIndex": 2 }),
            &json!({ "tool": "recall", "maxCalls": 1, "callIndex": 3 })
        ]
    );
    let around: Vec<&str> =
        events.iter().map(|event| event.kind.as_str()).skip_while(|kind| *kind != "tool_result").collect();
    assert_eq!(
        around[..5],
        ["tool_result", "tool_result", "tool_budget_exceeded", "tool_result", "tool_budget_exceeded"]
    );
    assert_eq!(last(&events).kind, "result");
}

#[tokio::test]
async fn a_budget_of_zero_disables_a_tool_also_a_local_one() {
    let harness = Harness::start().await;
    let spec = json!({ "tools": [local("approve")], "toolBudgets": { "approve": { "maxCalls": 0 } } });
    let events = harness.run("/call approve {}\n/say Fine.", spec).await;
    assert_eq!(of_kind(&events, "tool_budget_exceeded")[0]["callIndex"], 1);
    assert!(of_kind(&events, "local_tool_call").is_empty());
}

#[tokio::test]
async fn budgets_have_defaults_that_an_empty_object_clears() {
    let harness = Harness::start().await;
    let prompt: String = (0..6).map(|i| format!("/call recall {{\"query\":\"{i}\"}}\n")).collect();
    let events = harness.run(&prompt, recall()).await;
    assert_eq!(of_kind(&events, "tool_budget_exceeded").len(), 2, "recall has four by default");
    let mut spec = recall();
    spec["toolBudgets"] = json!({});
    let events = harness.run(&prompt, spec).await;
    assert!(of_kind(&events, "tool_budget_exceeded").is_empty());
}
