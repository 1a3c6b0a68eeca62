//! Tests of invalid requests: errors have the shape of the protocol and name the field.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::*;

#[tokio::test]
async fn a_faulty_spec_is_refused_at_its_field() {
    let harness = Harness::start().await;
    let cases = [
        (json!("text"), ""),
        (json!([]), ""),
        (json!({ "systemPrompt": "x" }), "/prompt"),
        (json!({ "prompt": "x" }), "/systemPrompt"),
        (json!({ "systemPrompt": "x", "prompt": 7 }), "/prompt"),
        (json!({ "systemPrompt": "x", "prompt": "x", "tools": [{ "kind": "local", "name": "a-b" }] }), "/tools/0/name"),
        (json!({ "systemPrompt": "x", "prompt": "x", "metadata": { "a b": "x" } }), "/metadata/a b"),
        (
            json!({ "systemPrompt": "x", "prompt": "x", "budgets": { "localToolTimeoutMs": 0 } }),
            "/budgets/localToolTimeoutMs",
        ),
        (json!({ "systemPrompt": "x", "prompt": "x", "budgets": 7, "tools": 7 }), "/tools"),
    ];
    for (spec, path) in cases {
        let refused = harness.post("/agent-runs", spec.clone()).await;
        let body = refused.json();
        assert_eq!((refused.status, &body["error"]), (400, &json!("invalid_request")), "{spec}");
        assert_eq!(body["details"][0]["path"], path);
        assert!(body["message"].as_str().is_some_and(|message| message.starts_with(path)));
    }
    assert_eq!(harness.get("/agent-runs").await.json()["runs"], json!([]));
}

#[tokio::test]
async fn an_unknown_model_or_agent_is_refused() {
    let harness = Harness::start().await;
    let spec = |field: &str, value: &str| json!({ "systemPrompt": "x", "prompt": "x", field: value });
    let model = harness.post("/agent-runs", spec("modelId", "openai/none")).await;
    assert_eq!((model.status, &model.json()["error"]), (400, &json!("invalid_model")));
    assert!(model.json()["candidates"].as_array().is_some_and(|models| models.contains(&json!("sandbox/script"))));
    assert_eq!(harness.post("/agent-runs", spec("agentId", "agent_none")).await.status, 403);
    assert_eq!(harness.post("/agent-sessions", json!({ "systemPrompt": "x", "modelId": "none" })).await.status, 400);
}

#[tokio::test]
async fn bodies_that_are_no_json_or_too_large_are_refused() {
    let harness = Harness::start().await;
    for path in ["/agent-runs", "/agent-sessions", "/agent-runs/x/tool-results", "/agent-runs/x/feedback"] {
        for body in ["", "{", "\u{0}", "{\"prompt\": nul}", "[[[[[[["] {
            let refused = harness.send(harness.request(Method::POST, path).body(body)).await;
            assert_eq!((refused.status, &refused.json()["error"]), (400, &json!("invalid_request")), "{path} {body:?}");
        }
        let deep = "[".repeat(100_000);
        assert_eq!(harness.send(harness.request(Method::POST, path).body(deep)).await.status, 400);
        let large = harness.send(harness.request(Method::POST, path).body("x".repeat(9 * 1024 * 1024))).await;
        assert_eq!((large.status, &large.json()["error"]), (413, &json!("payload_too_large")), "{path}");
    }
}

#[tokio::test]
async fn unknown_routes_and_methods_answer_in_json() {
    let harness = Harness::start().await;
    assert_eq!(harness.get("/nothing").await.json()["error"], "not_found");
    let wrong = harness.send(harness.request(Method::DELETE, "/models")).await;
    assert_eq!((wrong.status, &wrong.json()["error"]), (405, &json!("method_not_allowed")));
    for path in ["/agent-runs/run_none", "/agent-sessions/ses_none", "/agent-sessions/ses_none/events"] {
        let missing = harness.get(path).await;
        assert_eq!((missing.status, &missing.json()["error"]), (404, &json!("not_found")), "{path}");
        assert_eq!(missing.header("x-content-type-options"), "nosniff");
    }
}

#[tokio::test]
async fn feedback_is_created_then_replaced() {
    let harness = Harness::start().await;
    let id = harness.launch("/say Done.", json!({})).await;
    harness.log(&id).await;
    let path = format!("/agent-runs/{id}/feedback");
    let first = harness.post(&path, json!({ "verdict": "UP", "explanation": "Nailed it" })).await;
    let second = harness.post(&path, json!({ "verdict": "DOWN" })).await;
    assert_eq!((first.status, second.status), (201, 200));
    assert_eq!(first.json()["id"], second.json()["id"]);
    assert_eq!((&second.json()["verdict"], &second.json()["targetKind"]), (&json!("DOWN"), &json!("agent_run")));
    for (body, path_of_fault) in [
        (json!({}), "/verdict"),
        (json!({ "verdict": "MAYBE" }), "/verdict"),
        (json!({ "verdict": "UP", "explanation": 7 }), "/explanation"),
        (json!({ "verdict": "UP", "explanation": "x".repeat(8001) }), "/explanation"),
        (Value::Null, "/verdict"),
    ] {
        let refused = harness.post(&path, body).await;
        assert_eq!((refused.status, &refused.json()["details"][0]["path"]), (400, &json!(path_of_fault)));
    }
    assert_eq!(harness.post("/agent-runs/run_none/feedback", json!({ "verdict": "UP" })).await.status, 404);
}
