//! Tests of isolation: a workspace cannot see another, nor learn what exists there.

use reqwest::Method;
use serde_json::json;

use crate::support::*;

#[tokio::test]
async fn a_foreign_run_answers_like_one_that_does_not_exist() {
    let harness = Harness::start().await;
    let id = harness.launch("/call approve {}", json!({ "tools": [local("approve")] })).await;
    let mut follower = harness.follow(&id, 0).await;
    let call = follower.wait_for("local_tool_call").await.data;
    let body = json!({ "toolUseId": call["toolUseId"], "result": "x", "verdict": "UP" });
    let routes = [
        (Method::GET, ""),
        (Method::GET, "/stream"),
        (Method::POST, "/tool-results"),
        (Method::POST, "/cancel"),
        (Method::POST, "/feedback"),
    ];
    for (method, route) in routes {
        let ask = |id: &str| {
            harness.request_as(OTHER_KEY, "other", method.clone(), &format!("/agent-runs/{id}{route}")).json(&body)
        };
        let (foreign, unknown) = (harness.send(ask(&id)).await, harness.send(ask("run_none")).await);
        assert_eq!((foreign.status, foreign.text), (404, unknown.text), "{route}");
    }
    let list =
        harness.send(harness.request_as(OTHER_KEY, "other", Method::GET, "/agent-runs?includeTotal=1")).await.json();
    assert_eq!((&list["total"], &list["runs"]), (&json!(0), &json!([])));
    assert_eq!(harness.snapshot(&id).await["status"], "running", "nothing of that reached the run");
}

#[tokio::test]
async fn a_foreign_session_answers_like_one_that_does_not_exist() {
    let harness = Harness::start().await;
    let id = harness.post("/agent-sessions", json!({ "systemPrompt": "You help." })).await.json()["sessionId"].clone();
    let id = id.as_str().expect("an id");
    let routes = [(Method::GET, ""), (Method::GET, "/events"), (Method::POST, "/messages"), (Method::DELETE, "")];
    for (method, route) in routes {
        let ask = |id: &str| {
            let path = format!("/agent-sessions/{id}{route}");
            harness.request_as(OTHER_KEY, "other", method.clone(), &path).json(&json!({ "prompt": "Hello" }))
        };
        let (foreign, unknown) = (harness.send(ask(id)).await, harness.send(ask("ses_none")).await);
        assert_eq!((foreign.status, foreign.text), (404, unknown.text), "{method} {route}");
    }
}

#[tokio::test]
async fn a_foreign_slug_gets_a_hint_and_no_data() {
    let harness = Harness::start().await;
    let ask = |slug: &'static str| harness.send(harness.request_as(KEY, slug, Method::GET, "/agent-runs"));
    let (existing, made_up) = (ask("other").await, ask("no-such-workspace").await);
    assert_eq!((existing.status, &existing.text), (404, &made_up.text));
    assert!(existing.json()["hint"].as_str().is_some_and(|hint| hint.contains("demo")));
}
