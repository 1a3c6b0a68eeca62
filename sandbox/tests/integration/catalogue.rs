//! Tests of the catalogues, and of allow-lists for saved agents.

use reqwest::Method;
use serde_json::{Value, json};

use crate::oauth::sign_in;
use crate::support::*;

fn field(list: &Value, field: &str) -> Vec<String> {
    let items = list.as_array().expect("a list").iter();
    items.map(|item| item[field].as_str().expect("a text").to_owned()).collect()
}

#[tokio::test]
async fn models_have_prices_and_context_windows() {
    let harness = Harness::start().await;
    let models = harness.get("/models").await;
    let typed: protocol::messages::ModelList = serde_json::from_str(&models.text).expect("the protocol's shape");
    let ids: Vec<&str> = typed.models().filter_map(|model| model.id()).collect();
    assert!(ids.contains(&"sandbox/script") && ids.contains(&"sandbox/assistant"));
    assert!(!ids.iter().any(|id| id.starts_with("openai/")), "there is no API to ask");
    assert_eq!(typed.json()["defaultModelId"], "sandbox/script");
    assert!(typed.models().all(|model| model.json()["contextWindowTokens"].is_u64()));
    for model in typed.models() {
        let pricing = model.pricing().expect("a price");
        assert!(pricing["inputPer1MUsd"].as_f64() > Some(0.0) && pricing["outputPer1MUsd"].as_f64() > Some(0.0));
    }
}

#[tokio::test]
async fn every_tool_can_be_named_by_id_and_by_plugin() {
    let harness = Harness::start().await;
    let tools = harness.get("/tools").await.json()["tools"].clone();
    let plugins = harness.get("/plugins").await.json()["plugins"][0]["tools"].clone();
    assert_eq!(field(&tools, "name").len(), field(&plugins, "name").len());
    let by_id = tools.as_array().expect("tools").iter().map(|tool| json!({ "kind": "mantyx", "id": tool["id"] }));
    let by_name =
        plugins.as_array().expect("tools").iter().map(|tool| json!({ "kind": "mantyx_plugin", "name": tool["name"] }));
    for refs in [by_id.collect::<Vec<_>>(), by_name.collect()] {
        let events = harness.run("/call calculator {\"expression\":\"6*7\"}\n/say ok", json!({ "tools": refs })).await;
        assert_eq!(of_kind(&events, "tool_result")[0]["result"], "42");
    }
}

#[tokio::test]
async fn three_saved_agents_run_with_their_own_prompt_model_and_tools() {
    let harness = Harness::start().await;
    let agents = harness.get("/agents").await.json()["agents"].clone();
    assert_eq!(field(&agents, "id"), ["agent_support", "agent_research", "agent_back_office"]);
    for agent in agents.as_array().expect("agents") {
        let extra = json!({ "systemPrompt": null, "agentId": agent["id"] });
        let events = harness.run("Calculate 6 * 7 please", extra).await;
        assert_eq!(last(&events).data["model"]["id"], agent["modelId"]);
    }
    let back_office = json!({ "systemPrompt": null, "agentId": "agent_back_office" });
    let events = harness.run("Calculate 6 * 7 please", back_office).await;
    assert_eq!(of_kind(&events, "tool_result")[0]["result"], "42");
}

#[tokio::test]
async fn tools_of_the_spec_override_those_of_the_agent() {
    let harness = Harness::start().await;
    let extra = json!({ "systemPrompt": null, "agentId": "agent_support", "tools": [builtin("calculator")] });
    let prompt = "/call calculator {\"expression\":\"1+1\"}\n/call recall {\"query\":\"preferred language\"}\n/say ok";
    let events = harness.run(prompt, extra).await;
    let results: Vec<_> = of_kind(&events, "tool_result").iter().map(|data| data["result"].clone()).collect();
    assert_eq!(results[0], "2");
    assert!(results[1].as_str().is_some_and(|text| text.contains("English")));
}

#[tokio::test]
async fn a_key_with_an_allow_list_sees_and_runs_only_those_agents() {
    let harness = Harness::start().await;
    let as_other = |method, path: &str| harness.request_as(OTHER_KEY, "other", method, path);
    let listed = harness.send(as_other(Method::GET, "/agents")).await.json();
    assert_eq!(field(&listed["agents"], "id"), ["agent_support"]);
    // A session with another agent, created with another key, is not for this key either.
    let tokens = sign_in(&harness, "owner@other.test", "sessions:write").await;
    let owner = tokens["access_token"].as_str().expect("a token");
    let begin = harness.request_as(owner, "other", Method::POST, "/agent-sessions");
    let session = harness.send(begin.json(&json!({ "agentId": "agent_research" }))).await.json();
    let messages = format!("/agent-sessions/{}/messages", session["sessionId"].as_str().expect("an id"));
    let message = json!({ "prompt": "/say ok" });
    assert_eq!(harness.send(as_other(Method::POST, &messages).json(&message)).await.status, 403);
    let by_owner = harness.request_as(owner, "other", Method::POST, &messages).json(&message);
    assert_eq!(harness.send(by_owner).await.status, 202);
    for (agent, status) in
        [("agent_support", 202), ("agent_research", 403), ("agent_none", 403), ("no such/agent", 400)]
    {
        let run = json!({ "agentId": agent, "prompt": "/say ok" });
        assert_eq!(harness.send(as_other(Method::POST, "/agent-runs").json(&run)).await.status, status, "{agent}");
        let session = harness.send(as_other(Method::POST, "/agent-sessions").json(&json!({ "agentId": agent }))).await;
        assert_eq!(session.status, if status == 202 { 201 } else { status }, "{agent}");
    }
}
