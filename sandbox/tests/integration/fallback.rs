//! Tests of the fallback model.

use serde_json::{Value, json};

use crate::support::*;

fn with_fallback() -> Value {
    json!({ "modelId": "sandbox/script", "fallbackModelId": "sandbox/script-large" })
}

#[tokio::test]
async fn the_fallback_takes_over_an_outage_without_repeating_tools() {
    let harness = Harness::start().await;
    let mut spec = with_fallback();
    spec["tools"] = json!([builtin("clock")]);
    let id = harness.launch("/call clock {}\n/fail overloaded\n/say From the other model.", spec).await;
    let events = harness.log(&id).await;
    let switch = of_kind(&events, "model_fallback");
    assert_eq!(switch.len(), 1);
    assert_eq!(
        (&switch[0]["errorClass"], &switch[0]["primaryModelId"], &switch[0]["fallbackModelId"]),
        (&json!("overloaded"), &json!("sandbox/script"), &json!("sandbox/script-large"))
    );
    assert_eq!(of_kind(&events, "tool_result").len(), 1);
    let models: Vec<_> = of_kind(&events, "assistant_message").iter().map(|data| data["model"]["id"].clone()).collect();
    assert_eq!(models, ["sandbox/script", "sandbox/script-large"]);
    let turns: Vec<_> = of_kind(&events, "assistant_message").iter().map(|data| data["turn"].clone()).collect();
    assert_eq!(turns, [0, 1]);
    let result = &last(&events).data;
    assert_eq!(
        (&result["text"], &result["model"]["id"]),
        (&json!("From the other model."), &json!("sandbox/script-large"))
    );
    assert_eq!(result["turns"], 3, "the failing invocation counts");
    let spec = &harness.snapshot(&id).await["agentSpec"];
    assert_eq!((&spec["modelId"], &spec["activeModelId"]), (&json!("sandbox/script"), &json!("sandbox/script-large")));
}

#[tokio::test]
async fn the_fallback_takes_over_only_outages_and_only_once() {
    let harness = Harness::start().await;
    for class in ["auth", "invalid_request", "rate_limit", "context_window"] {
        let events = harness.run(&format!("/fail {class}\n/say no"), with_fallback()).await;
        assert!(of_kind(&events, "model_fallback").is_empty(), "{class}");
        assert_eq!(last(&events).data["errorClass"], class);
    }
    let events = harness.run("/fail server\n/fail timeout\n/say no", with_fallback()).await;
    assert_eq!(of_kind(&events, "model_fallback").len(), 1);
    assert_eq!(last(&events).data["errorClass"], "timeout");
}

#[tokio::test]
async fn an_answer_that_has_begun_is_not_repeated() {
    let harness = Harness::start().await;
    let events = harness.run("/say Half an ans\n/fail server\n/say no", with_fallback()).await;
    assert!(of_kind(&events, "model_fallback").is_empty());
    assert_eq!(last(&events).data["partialText"], "Half an ans");
}

#[tokio::test]
async fn a_switched_session_stays_switched_and_a_new_one_starts_over() {
    let harness = Harness::start().await;
    let mut spec = with_fallback();
    spec["systemPrompt"] = "You help.".into();
    let session = harness.post("/agent-sessions", spec.clone()).await.json()["sessionId"].clone();
    let path = format!("/agent-sessions/{}", session.as_str().expect("an id"));
    let mut models = Vec::new();
    for body in [
        json!({ "prompt": "/fail server\n/say one" }),
        json!({ "prompt": "/say two" }),
        json!({ "prompt": "/say three", "modelId": "sandbox/script-mini", "fallbackModelId": "sandbox/script" }),
        json!({ "prompt": "/say four", "modelId": "sandbox/script-large" }),
        json!({ "prompt": "/fail server\n/say no" }),
    ] {
        let run = harness.post(&format!("{path}/messages"), body).await.json();
        let events = harness.log(run["runId"].as_str().expect("an id")).await;
        models.push((last(&events).kind.clone(), last(&events).data["model"]["id"].clone()));
    }
    let large = json!("sandbox/script-large");
    assert_eq!(
        models,
        [
            ("result".to_owned(), large.clone()),
            ("result".to_owned(), large.clone()),
            ("result".to_owned(), json!("sandbox/script-mini")),
            ("result".to_owned(), large.clone()),
            ("error".to_owned(), large.clone()),
        ]
    );
    let detail = harness.get(&path).await.json();
    assert_eq!(
        (&detail["agentSpec"]["modelId"], &detail["agentSpec"]["activeModelId"]),
        (&json!("sandbox/script"), &large)
    );
    assert_eq!(detail["runs"][0]["model"]["id"], large);
    let other = harness.post("/agent-sessions", spec).await.json()["sessionId"].clone();
    let other = harness.get(&format!("/agent-sessions/{}", other.as_str().expect("an id"))).await.json();
    assert!(other["agentSpec"]["activeModelId"].is_null());
}

#[tokio::test]
async fn a_fallback_must_be_another_known_model() {
    let harness = Harness::start().await;
    let spec = |fields: Value| {
        let mut spec = json!({ "systemPrompt": "x", "prompt": "x" });
        spec.as_object_mut().expect("an object").extend(fields.as_object().expect("an object").clone());
        spec
    };
    let same = harness.post("/agent-runs", spec(json!({ "fallbackModelId": "script" }))).await;
    assert_eq!((same.status, &same.json()["details"][0]["path"]), (400, &json!("/fallbackModelId")));
    let unknown = harness.post("/agent-runs", spec(json!({ "fallbackModelId": "none" }))).await;
    assert_eq!((unknown.status, &unknown.json()["error"]), (400, &json!("invalid_model")));
    let reserved = harness.post("/agent-runs", spec(json!({ "activeModelId": "sandbox/script" }))).await;
    assert_eq!((reserved.status, &reserved.json()["details"][0]["path"]), (400, &json!("/activeModelId")));
}
