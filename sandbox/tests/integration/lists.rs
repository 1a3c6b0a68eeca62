//! Tests of run lists: filters, pages, rows.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::support::*;

async fn ids(harness: &Harness, query: &str) -> BTreeSet<String> {
    let list = harness.get(&format!("/agent-runs?{query}")).await.json();
    let runs = list["runs"].as_array().unwrap_or_else(|| panic!("{list}"));
    runs.iter().filter_map(|run| run["id"].as_str()).map(str::to_owned).collect()
}

#[tokio::test]
async fn filters_combine_and_repeated_metadata_must_all_match() {
    let harness = Harness::start().await;
    let launch = |prompt: &'static str, extra: Value| {
        let harness = &harness;
        async move {
            let id = harness.launch(prompt, extra).await;
            harness.log(&id).await;
            id
        }
    };
    let a = launch("/say a", json!({ "metadata": { "customer": "acme", "env": "prod" } })).await;
    let b = launch("/fail server", json!({ "metadata": { "customer": "acme", "env": "dev" } })).await;
    let c = launch("/say c", json!({ "modelId": "sandbox/script-mini", "metadata": { "trace.id-1_x": "a:b" } })).await;
    let d = launch("/say d", json!({ "agentId": "agent_support" })).await;
    let set = |ids: &[&String]| ids.iter().map(|id| (*id).clone()).collect::<BTreeSet<_>>();
    assert_eq!(ids(&harness, "").await, set(&[&a, &b, &c, &d]));
    assert_eq!(ids(&harness, "metadata=customer:acme").await, set(&[&a, &b]));
    assert_eq!(ids(&harness, "metadata=customer:acme&metadata=env:prod").await, set(&[&a]));
    assert_eq!(ids(&harness, "metadata=trace.id-1_x:a%3Ab").await, set(&[&c]));
    assert_eq!(ids(&harness, "status=failed").await, set(&[&b]));
    assert_eq!(ids(&harness, "modelId=sandbox%2Fscript-mini").await, set(&[&c]));
    assert_eq!(ids(&harness, "agentId=agent_support").await, set(&[&d]));
    assert_eq!(ids(&harness, "agentId=agent_support&status=failed").await, set(&[]));
    let total = harness.get("/agent-runs?metadata=customer:acme&includeTotal=1&limit=1").await.json();
    assert_eq!((&total["total"], &total["limit"]), (&json!(2), &json!(1)));
    assert_eq!(harness.get("/agent-runs").await.json()["total"], Value::Null);
}

#[tokio::test]
async fn pages_are_newest_first_and_miss_nothing() {
    let harness = Harness::start().await;
    let mut launched = Vec::new();
    for _ in 0..7 {
        launched.push(harness.launch("/say x", json!({})).await);
    }
    const MAX_PAGES: usize = 10;
    let mut seen = Vec::new();
    let mut cursor = String::new();
    for _ in 0..MAX_PAGES {
        let page = harness.get(&format!("/agent-runs?limit=3&cursor={cursor}")).await.json();
        let runs = page["runs"].as_array().expect("runs").clone();
        seen.extend(runs.iter().map(|run| (run["createdAt"].to_string(), run["id"].to_string())));
        // A run that starts between two pages must not shift the next page.
        harness.launch("/say later", json!({})).await;
        match page["nextCursor"].as_str() {
            Some(next) => cursor = next.to_owned(),
            None => break,
        }
    }
    assert_eq!(seen.len(), 7);
    assert!(seen.windows(2).all(|pair| pair[0] > pair[1]));
}

#[tokio::test]
async fn a_row_has_the_documented_shape() {
    let harness = Harness::start().await;
    let extra = json!({ "name": "support-bot", "metadata": { "customer": "acme" }, "tools": [builtin("clock")] });
    let id = harness.launch("/call clock {}\n/say It shipped on Tuesday.", extra).await;
    harness.log(&id).await;
    let list = harness.get("/agent-runs").await;
    let typed: protocol::messages::RunListResponse = serde_json::from_str(&list.text).expect("the protocol's shape");
    let row = typed.runs().next().expect("a row");
    assert_eq!((row.id(), row.spec_name()), (Some(id.as_str()), Some("support-bot")));
    assert_eq!((row.turns(), row.tool_call_count()), (Some(2), Some(1)));
    assert_eq!(row.output_preview(), Some("It shipped on Tuesday."));
    assert_eq!(row.metadata()["customer"], "acme");
    assert!(row.duration_ms().is_some() && row.completed_at().is_some() && row.tokens().is_some());
    let snapshot = harness.get(&format!("/agent-runs/{id}")).await;
    let typed: protocol::messages::RunSnapshot = serde_json::from_str(&snapshot.text).expect("the protocol's shape");
    assert_eq!(typed.json()["agentSpec"]["prompt"], "/call clock {}\n/say It shipped on Tuesday.");
}

#[tokio::test]
async fn faulty_queries_are_refused() {
    let harness = Harness::start().await;
    for query in [
        "limit=0",
        "limit=201",
        "limit=x",
        "status=odd",
        "metadata=nocolon",
        "metadata=%22:x",
        "cursor=%25",
        "cursor=abcd",
    ] {
        for list in ["agent-runs", "agent-sessions"] {
            let refused = harness.get(&format!("/{list}?{query}")).await;
            assert_eq!((refused.status, &refused.json()["error"]), (400, &json!("invalid_request")), "{list}?{query}");
        }
    }
}
