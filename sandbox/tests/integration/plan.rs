//! Tests of task plans.

use protocol::Event;
use serde_json::{Value, json};

use crate::support::*;

fn update(steps: &[(&str, &str)]) -> String {
    let steps: Vec<Value> = steps.iter().map(|(title, status)| json!({ "title": title, "status": status })).collect();
    format!("/call update_task_plan {}", json!({ "brief": "Compare revenue", "steps": steps }))
}

fn transitions(events: &[Event]) -> Vec<(u64, String)> {
    let plans = of_kind(events, "task_plan").into_iter();
    plans.map(|plan| (plan["revision"].as_u64().expect("a number"), text(&plan["transition"]["kind"]))).collect()
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

#[tokio::test]
async fn a_model_keeps_its_own_plan() {
    let harness = Harness::start().await;
    let prompt = [
        update(&[("Pull", "in_progress"), ("Compare", "pending")]),
        "/say Next.".to_owned(),
        update(&[("Pull", "done"), ("Compare", "in_progress")]),
        "/say Done.".to_owned(),
    ];
    let events = harness.run(&prompt.join("\n"), json!({ "plan": "auto" })).await;
    let created = (1, "plan_created".to_owned());
    assert_eq!(transitions(&events), [created, (2, "step_completed".to_owned()), (2, "step_started".to_owned())]);
    let plans = of_kind(&events, "task_plan");
    assert_eq!(plans[1]["plan"], plans[2]["plan"], "each carries where the update led to");
    assert_eq!((&plans[1]["transitionIndex"], &plans[1]["transitionCount"]), (&json!(0), &json!(2)));
    assert_eq!(plans[1]["transition"]["stepId"], "step-1");
    assert_eq!((&plans[0]["planId"], &plans[0]["v"]), (&plans[2]["planId"], &json!(2)));
    assert_eq!((&plans[2]["steps"], &plans[2]["brief"]), (&plans[2]["plan"]["steps"], &json!("Compare revenue")));
    assert!(last(&events).data["plan"].is_null(), "the answer stays a text");
}

#[tokio::test]
async fn a_run_without_a_plan_has_no_plan_tool() {
    let harness = Harness::start().await;
    for plan in [Value::Null, json!(false), json!("off"), json!({ "mode": "off" })] {
        let prompt = update(&[("a", "pending")]) + "\n/say Done.";
        let events = harness.run(&prompt, json!({ "plan": plan })).await;
        assert!(of_kind(&events, "task_plan").is_empty(), "{plan}");
        assert_eq!(of_kind(&events, "tool_result")[0]["ok"], false);
    }
}

#[tokio::test]
async fn a_plan_whose_arguments_do_not_fit_changes_nothing() {
    let harness = Harness::start().await;
    let prompt = update(&[("a", "finished")]) + "\n/say Done.";
    let events = harness.run(&prompt, json!({ "plan": true })).await;
    assert!(of_kind(&events, "task_plan").is_empty());
    assert!(text(&of_kind(&events, "tool_result")[0]["result"]).contains("tool_input_invalid"));
}

#[tokio::test]
async fn a_required_plan_comes_before_tools_and_is_completed_before_the_answer() {
    let harness = Harness::start().await;
    let early = format!("/call clock {{}}\n/say Planning.\n{}", update(&[("Look", "in_progress")]));
    let extra = json!({ "plan": "required", "tools": [builtin("clock")] });
    // After the script ends, the model's closing sentence is a premature answer.
    let events = harness.run(&early, extra).await;
    let results = of_kind(&events, "tool_result");
    assert!(text(&results[0]["result"]).contains("plan_required"), "{results:?}");
    assert_eq!(
        of_kind(&events, "assistant_message").len(),
        2 + 4,
        "three answers were sent back, the fourth was taken"
    );
    assert_eq!(last(&events).kind, "result");
}

#[tokio::test]
async fn a_completed_required_plan_allows_the_answer() {
    let harness = Harness::start().await;
    let prompt = [
        update(&[("Look", "in_progress")]),
        "/say Looking.".to_owned(),
        "/call clock {}".to_owned(),
        update(&[("Look", "done")]),
        "/say Done.".to_owned(),
    ];
    let extra = json!({ "plan": { "mode": "required" }, "tools": [builtin("clock")] });
    let events = harness.run(&prompt.join("\n"), extra).await;
    assert_eq!(of_kind(&events, "assistant_message").len(), 3);
    assert_eq!(last(&events).data["text"], "Done.");
}

#[tokio::test]
async fn steps_of_the_spec_apply_from_the_start() {
    let harness = Harness::start().await;
    let plan = json!({ "brief": "Migrate", "steps": ["Snapshot", "Apply", "Verify"] });
    let events = harness.run("/say Done.", json!({ "plan": plan })).await;
    let first = &events[0];
    assert_eq!(
        (first.kind.as_str(), &first.data["source"], &first.data["revision"]),
        ("task_plan", &json!("caller"), &json!(1))
    );
    let statuses: Vec<_> =
        first.data["steps"].as_array().expect("steps").iter().map(|step| text(&step["status"])).collect();
    assert_eq!(statuses, ["in_progress", "pending", "pending"]);
}

#[tokio::test]
async fn a_run_that_only_plans_takes_no_turn() {
    let harness = Harness::start().await;
    let plan = json!({ "planOnly": true, "brief": "Migrate", "steps": ["Snapshot", "Apply"] });
    let events = harness.run("/call clock {}", json!({ "plan": plan, "tools": [builtin("clock")] })).await;
    assert_eq!(kinds(&events), ["task_plan", "result"]);
    let result = &last(&events).data;
    assert_eq!((&result["turns"], &result["tokens"]["inputTokens"]), (&json!(0), &json!(0)));
    assert_eq!(result["text"], "Migrate\n\n1. Snapshot\n2. Apply");
    assert_eq!(
        (&result["plan"]["steps"][1]["title"], &result["plan"]["steps"][1]["status"]),
        (&json!("Apply"), &json!("pending"))
    );
    assert_eq!(result["model"]["id"], "sandbox/script");
}

#[tokio::test]
async fn without_steps_a_planner_decides_whether_a_plan_is_needed() {
    let harness = Harness::start().await;
    let spec = |model: &str| json!({ "plan": { "planOnly": true }, "modelId": model });
    let planned = harness.run("/json {\"brief\":\"B\",\"steps\":[\"one\",\"two\"]}", spec("sandbox/script")).await;
    assert_eq!(last(&planned).data["text"], "B\n\n1. one\n2. two");
    let asked = "Find the refund policy, then write to the customer. Close the ticket.";
    let assisted = harness.run(asked, spec("sandbox/assistant")).await;
    assert_eq!(last(&assisted).data["plan"]["steps"].as_array().map(Vec::len), Some(3));
    let declined = harness.run("What is the time?", spec("sandbox/script")).await;
    assert_eq!(kinds(&declined), ["result"]);
    assert_eq!(last(&declined).data["plan"]["steps"], json!([]));
}

#[tokio::test]
async fn plan_only_cannot_be_strict_and_does_not_change_a_session() {
    let harness = Harness::start().await;
    let schema = json!({ "schema": { "type": "object" }, "enforcement": "strict" });
    let spec = json!({ "plan": { "planOnly": true, "steps": ["a", "b"] }, "outputSchema": schema });
    let events = harness.run("Plan", spec).await;
    assert_eq!(last(&events).data["errorClass"], "structured_output_not_supported");
    let session = harness.post("/agent-sessions", json!({ "systemPrompt": "You help." })).await.json();
    let path = format!("/agent-sessions/{}", text(&session["sessionId"]));
    let body = json!({ "prompt": "Plan", "plan": { "planOnly": true, "steps": ["a", "b"] } });
    let run = harness.post(&format!("{path}/messages"), body).await.json();
    harness.log(&text(&run["runId"])).await;
    assert_eq!(harness.get(&path).await.json()["messages"], json!([]));
}
