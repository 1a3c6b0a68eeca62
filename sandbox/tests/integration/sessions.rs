//! Tests of sessions.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::*;

async fn open(harness: &Harness, spec: Value) -> String {
    let answer = harness.post("/agent-sessions", spec).await;
    assert_eq!(answer.status, 201, "{answer:?}");
    answer.json()["sessionId"].as_str().expect("an id").to_owned()
}

async fn say(harness: &Harness, session: &str, body: Value) -> (String, Vec<protocol::Event>) {
    let answer = harness.post(&format!("/agent-sessions/{session}/messages"), body).await;
    assert_eq!(answer.status, 202, "{answer:?}");
    let id = answer.json()["runId"].as_str().expect("an id").to_owned();
    let events = harness.log(&id).await;
    (id, events)
}

#[tokio::test]
async fn messages_are_stored_except_those_of_failed_runs() {
    let harness = Harness::start().await;
    let session = open(&harness, json!({ "systemPrompt": "You help.", "name": "support-chat" })).await;
    let (first, _) = say(&harness, &session, json!({ "prompt": "/say one" })).await;
    say(&harness, &session, json!({ "prompt": "/fail server" })).await;
    say(&harness, &session, json!({ "messages": [{ "role": "user", "content": "/say two" }] })).await;
    let detail = harness.get(&format!("/agent-sessions/{session}")).await.json();
    let messages: Vec<_> =
        detail["messages"].as_array().expect("messages").iter().map(|message| message["content"].clone()).collect();
    assert_eq!(messages, ["/say one", "one", "/say two", "two"]);
    assert_eq!(detail["messages"][1]["runId"], first.as_str());
    let runs: Vec<_> = detail["runs"].as_array().expect("runs").iter().map(|run| run["status"].clone()).collect();
    assert_eq!(runs, ["succeeded", "failed", "succeeded"]);
    assert_eq!((&detail["status"], &detail["name"]), (&json!("active"), &json!("support-chat")));
    assert_eq!(harness.snapshot(&first).await["sessionId"], session.as_str());
}

#[tokio::test]
async fn metadata_is_inherited_and_a_message_may_add_to_it() {
    let harness = Harness::start().await;
    let spec = json!({ "systemPrompt": "You help.", "metadata": { "customer": "acme", "env": "prod" } });
    let session = open(&harness, spec).await;
    let (first, _) =
        say(&harness, &session, json!({ "prompt": "/say x", "metadata": { "env": "dev", "turn": "1" } })).await;
    let (second, _) = say(&harness, &session, json!({ "prompt": "/say x" })).await;
    assert_eq!(harness.snapshot(&first).await["metadata"], json!({ "customer": "acme", "env": "dev", "turn": "1" }));
    assert_eq!(harness.snapshot(&second).await["metadata"], json!({ "customer": "acme", "env": "prod" }));
    let many: Value = (0..16).map(|i| (format!("k{i}"), json!("v"))).collect::<serde_json::Map<_, _>>().into();
    let refused =
        harness.post(&format!("/agent-sessions/{session}/messages"), json!({ "prompt": "x", "metadata": many })).await;
    assert_eq!(refused.status, 400, "together they are more than sixteen");
}

#[tokio::test]
async fn overrides_last_for_one_run() {
    let harness = Harness::start().await;
    let session =
        open(&harness, json!({ "systemPrompt": "You help.", "toolBudgets": { "recall": { "maxCalls": 0 } } })).await;
    let prompt = "/call recall {\"query\":\"x\"}\n/think deep\n/say Done.";
    let overrides =
        json!({ "prompt": prompt, "tools": [builtin("recall")], "toolBudgets": {}, "reasoningLevel": "high" });
    let (_, events) = say(&harness, &session, overrides).await;
    assert_eq!(of_kind(&events, "tool_result")[0]["result"], "No matches.");
    assert!(!of_kind(&events, "thinking_delta").is_empty());
    let (_, events) = say(&harness, &session, json!({ "prompt": prompt })).await;
    assert_eq!(of_kind(&events, "tool_budget_exceeded").len(), 1);
    assert!(of_kind(&events, "thinking_delta").is_empty());
}

#[tokio::test]
async fn the_transcript_is_replayed_in_pages() {
    let harness = Harness::start().await;
    let session = open(&harness, json!({ "systemPrompt": "You help." })).await;
    for word in ["one", "two", "three"] {
        say(&harness, &session, json!({ "prompt": format!("/say {word}") })).await;
    }
    let path = |query: &str| format!("/agent-sessions/{session}/events{query}");
    let all = harness.get(&path("")).await.json();
    assert_eq!((&all["total"], &all["truncated"], &all["nextBeforeSeq"]), (&json!(6), &json!(false), &Value::Null));
    assert_eq!(all["events"][0], json!({ "seq": 1, "type": "user_message", "text": "/say one" }));
    assert_eq!(all["events"][5], json!({ "seq": 6, "type": "assistant_message", "text": "three" }));
    let page = harness.get(&path("?lastMessages=2")).await.json();
    assert_eq!((&page["events"][0]["seq"], &page["nextBeforeSeq"]), (&json!(5), &json!(5)));
    let earlier = harness.get(&path("?beforeSeq=5&lastMessages=4")).await.json();
    assert_eq!((&earlier["events"][0]["seq"], &earlier["truncated"]), (&json!(1), &json!(false)));
    assert_eq!(harness.get(&path("?full=1&lastMessages=1")).await.json()["events"].as_array().map(Vec::len), Some(6));
    assert_eq!(harness.get(&path("?lastMessages=0")).await.status, 400);
}

#[tokio::test]
async fn sessions_are_listed_by_last_use_and_filtered() {
    let harness = Harness::start().await;
    let mut ids = Vec::new();
    for customer in ["acme", "globex", "acme"] {
        ids.push(open(&harness, json!({ "systemPrompt": "You help.", "metadata": { "customer": customer } })).await);
    }
    say(&harness, &ids[0], json!({ "prompt": "How do I reset my password?" })).await;
    let list = harness.get("/agent-sessions?metadata=customer:acme").await.json();
    assert_eq!((&list["total"], &list["sessions"][0]["sessionId"]), (&json!(2), &json!(ids[0])));
    assert_eq!(list["sessions"][0]["summary"], "How do I reset my password?");
    let page = harness.get("/agent-sessions?limit=2&includeTotal=0").await.json();
    assert_eq!(page["total"], Value::Null);
    let rest = harness
        .get(&format!("/agent-sessions?limit=2&cursor={}", page["nextCursor"].as_str().expect("a cursor")))
        .await
        .json();
    assert_eq!(rest["sessions"].as_array().map(Vec::len), Some(1));
    assert_eq!(harness.get("/agent-sessions?offset=2").await.json()["sessions"].as_array().map(Vec::len), Some(1));
    assert_eq!(harness.get("/agent-sessions?status=ended").await.json()["sessions"], json!([]));
}

#[tokio::test]
async fn ending_a_session_cancels_its_run_and_closes_it() {
    let harness = Harness::start().await;
    let session = open(&harness, json!({ "systemPrompt": "You help.", "tools": [local("approve")] })).await;
    let path = format!("/agent-sessions/{session}");
    let run = harness.post(&format!("{path}/messages"), json!({ "prompt": "/call approve {}" })).await.json();
    let mut follower = harness.follow(run["runId"].as_str().expect("an id"), 0).await;
    follower.wait_for("local_tool_call").await;
    assert_eq!(harness.send(harness.request(Method::DELETE, &path)).await.status, 200);
    assert_eq!(follower.wait_for("cancelled").await.data["reason"], "session_ended");
    let refused = harness.post(&format!("{path}/messages"), json!({ "prompt": "Hello" })).await;
    assert_eq!((refused.status, &refused.json()["error"]), (409, &json!("session_ended")));
    let detail = harness.get(&path).await.json();
    assert_eq!((&detail["status"], detail["endedAt"].is_string()), (&json!("ended"), true));
    assert_eq!(harness.send(harness.request(Method::DELETE, &path)).await.status, 200, "ending twice is fine");
}

#[tokio::test]
async fn ending_a_session_cancels_all_of_its_runs() {
    let harness = Harness::start().await;
    let session = open(&harness, json!({ "systemPrompt": "You help.", "tools": [local("approve")] })).await;
    let path = format!("/agent-sessions/{session}");
    for _ in 0..210 {
        let answer = harness.post(&format!("{path}/messages"), json!({ "prompt": "/call approve {}" })).await;
        assert_eq!(answer.status, 202);
    }
    assert_eq!(harness.send(harness.request(Method::DELETE, &path)).await.status, 200);
    nothing_runs(&harness).await;
}

#[tokio::test]
async fn a_message_that_races_the_end_is_refused_or_cancelled() {
    let harness = Harness::start().await;
    for _ in 0..20 {
        let session = open(&harness, json!({ "systemPrompt": "You help.", "tools": [local("approve")] })).await;
        let path = format!("/agent-sessions/{session}");
        let messages = format!("{path}/messages");
        let say = || harness.post(&messages, json!({ "prompt": "/call approve {}" }));
        let end = harness.send(harness.request(Method::DELETE, &path));
        let (ended, one, two, three) = tokio::join!(end, say(), say(), say());
        assert_eq!(ended.status, 200);
        assert!([one, two, three].iter().all(|answer| matches!(answer.status, 202 | 409)));
    }
    nothing_runs(&harness).await;
}

/// Waits until every run has ended.
async fn nothing_runs(harness: &Harness) {
    for _ in 0..200 {
        if harness.get("/agent-runs?status=running&limit=1").await.json()["runs"] == json!([]) {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    panic!("a run goes on in a session that has ended");
}

#[tokio::test]
async fn faulty_sessions_and_messages_are_refused_at_their_field() {
    let harness = Harness::start().await;
    for (spec, path) in [(json!({}), "/systemPrompt"), (json!({ "systemPrompt": "x", "prompt": "y" }), "/prompt")] {
        let refused = harness.post("/agent-sessions", spec).await;
        assert_eq!((refused.status, &refused.json()["details"][0]["path"]), (400, &json!(path)));
    }
    let session = open(&harness, json!({ "systemPrompt": "You help." })).await;
    for (body, path) in [(json!({}), "/prompt"), (json!([]), ""), (json!({ "prompt": "x", "tools": 7 }), "/tools")] {
        let refused = harness.post(&format!("/agent-sessions/{session}/messages"), body).await;
        assert_eq!((refused.status, &refused.json()["details"][0]["path"]), (400, &json!(path)));
    }
}
