//! Tests of scopes: each route requires one from a token, none from a key.

use reqwest::Method;
use serde_json::json;

use crate::oauth::sign_in;
use crate::support::*;

#[tokio::test]
async fn an_error_names_the_missing_scope() {
    let harness = Harness::start().await;
    let tokens = sign_in(&harness, "owner@demo.test", "plugins:read").await;
    let token = tokens["access_token"].as_str().expect("a token");
    assert_eq!(harness.send(harness.request_as(token, "demo", Method::GET, "/plugins")).await.status, 200);
    let routes = [
        (Method::GET, "/models", "models:read"),
        (Method::GET, "/agents", "agents:read"),
        (Method::GET, "/tools", "tools:read"),
        (Method::POST, "/agent-runs", "runs:write"),
        (Method::GET, "/agent-runs", "runs:read"),
        (Method::GET, "/agent-runs/x", "runs:read"),
        (Method::GET, "/agent-runs/x/stream", "runs:read"),
        (Method::POST, "/agent-runs/x/tool-results", "runs:write"),
        (Method::POST, "/agent-runs/x/cancel", "runs:write"),
        (Method::POST, "/agent-runs/x/feedback", "feedback:write"),
        (Method::POST, "/agent-sessions", "sessions:write"),
        (Method::GET, "/agent-sessions", "sessions:read"),
        (Method::GET, "/agent-sessions/x", "sessions:read"),
        (Method::GET, "/agent-sessions/x/events", "sessions:read"),
        (Method::POST, "/agent-sessions/x/messages", "sessions:write"),
        (Method::DELETE, "/agent-sessions/x", "sessions:write"),
    ];
    for (method, path, scope) in routes {
        let refused = harness.send(harness.request_as(token, "demo", method.clone(), path).json(&json!({}))).await;
        assert_eq!(refused.status, 403, "{method} {path}");
        assert_eq!(
            (&refused.json()["error"], &refused.json()["required"]),
            (&json!("insufficient_scope"), &json!(scope))
        );
        let challenge = format!("Bearer error=\"insufficient_scope\", scope=\"{scope}\"");
        assert_eq!(refused.header("www-authenticate"), challenge);
        let with_key = harness.send(harness.request(method, path).json(&json!({}))).await;
        assert_ne!(with_key.status, 403, "{path}");
    }
}

#[tokio::test]
async fn a_token_with_the_scope_does_what_a_key_does() {
    let harness = Harness::start().await;
    let tokens = sign_in(&harness, "owner@demo.test", "runs:read runs:write").await;
    let token = tokens["access_token"].as_str().expect("a token");
    let spec = json!({ "systemPrompt": "You help.", "prompt": "/say Hello." });
    let created = harness.send(harness.request_as(token, "demo", Method::POST, "/agent-runs").json(&spec)).await;
    assert_eq!(created.status, 202);
    let id = created.json()["runId"].as_str().expect("an id").to_owned();
    assert_eq!(last(&harness.log(&id).await).data["text"], "Hello.");
}

#[tokio::test]
async fn credentials_go_into_either_header() {
    let harness = Harness::start().await;
    let url = format!("{}/api/v1/workspaces/demo/models", harness.sandbox.url());
    assert_eq!(harness.send(harness.http.get(&url).header("X-API-Key", KEY)).await.status, 200);
    let without = harness.send(harness.http.get(&url)).await;
    assert_eq!((without.status, &without.json()["error"]), (401, &json!("unauthorized")));
    for wrong in ["Bearer ", "Bearer mantyx_wrong", "Basic x", "mantyx_sandbox_demo"] {
        assert_eq!(harness.send(harness.http.get(&url).header("Authorization", wrong)).await.status, 401, "{wrong}");
    }
}
