//! Tests of the demonstration.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use protocol::Timeline;
use reqwest::Method;
use serde_json::Value;

use crate::support::*;

async fn runs(harness: &Harness, key: &str, slug: &str) -> Vec<Value> {
    let list = harness.send(harness.request_as(key, slug, Method::GET, "/agent-runs?limit=200")).await.json();
    list["runs"].as_array().expect("runs").clone()
}

#[tokio::test]
async fn the_first_start_creates_runs_of_two_weeks_with_every_outcome() {
    let harness = Harness::start_in(Arc::new(tempfile::tempdir().expect("a folder")), true).await;
    harness.sandbox.demo_done().await;
    let demo = runs(&harness, KEY, "demo").await;
    let other = runs(&harness, OTHER_KEY, "other").await;
    assert!(demo.len() >= 48 && other.len() >= 6, "{} and {}", demo.len(), other.len());

    let now = Utc::now();
    for run in demo.iter().chain(&other) {
        let time =
            |field: &str| run[field].as_str().and_then(|text| text.parse::<DateTime<Utc>>().ok()).expect("a time");
        assert!(time("createdAt") > now - TimeDelta::days(14) && time("completedAt") <= now, "{run}");
        assert!(time("completedAt") >= time("createdAt"));
    }
    let distinct = |pick: fn(&Value) -> &Value| {
        demo.iter().filter_map(|run| pick(run).as_str()).map(str::to_owned).collect::<BTreeSet<_>>()
    };
    assert_eq!(distinct(|run| &run["status"]), ["cancelled", "failed", "succeeded"].map(str::to_owned).into());
    assert!(distinct(|run| &run["metadata"]["customer"]).len() >= 4);
    assert!(distinct(|run| &run["metadata"]["env"]).len() >= 3);
    assert!(distinct(|run| &run["specName"]).len() >= 6);
    assert!(distinct(|run| &run["modelId"]).len() >= 4);
    assert_eq!(distinct(|run| &run["sessionId"]).len(), 5);

    let mut kinds = BTreeMap::<String, usize>::new();
    let (mut classes, mut banners) = (BTreeSet::new(), BTreeSet::new());
    for run in &demo {
        let events = harness.log(run["id"].as_str().expect("an id")).await;
        for event in &events {
            *kinds.entry(event.kind.clone()).or_default() += 1;
        }
        classes.extend(last(&events).data["errorClass"].as_str().map(str::to_owned));
        let timeline = Timeline::from_events(&events);
        let faults = (timeline.integrity.unknown, timeline.integrity.malformed, timeline.integrity.orphan_results);
        assert_eq!(faults, (0, 0, 0), "{run}");
        banners.extend(timeline.banners().iter().map(|banner| banner.kind.as_str()));
    }
    for banner in [
        "truncated",
        "loop_nudged",
        "loop_gave_up",
        "budget_exceeded",
        "local_tool_timeout",
        "refused",
        "cancelled",
        "supervisor_redirect",
        "supervisor_finalize",
        "model_fallback",
    ] {
        assert!(banners.contains(banner), "no {banner} in {banners:?}");
    }
    for kind in [
        "thinking_delta",
        "tool_result",
        "local_tool_call",
        "local_tool_result_in",
        "loop_detected",
        "tool_budget_exceeded",
        "task_plan",
        "tool_files",
    ] {
        assert!(kinds.contains_key(kind), "no {kind}");
    }
    for class in
        ["truncation", "rate_limit", "local_timeout", "context_window", "refusal", "structured_output_not_enforced"]
    {
        assert!(classes.contains(class), "no {class} in {classes:?}");
    }
}

#[tokio::test]
async fn a_second_start_adds_nothing() {
    let harness = Harness::start_in(Arc::new(tempfile::tempdir().expect("a folder")), true).await;
    harness.sandbox.demo_done().await;
    let before = runs(&harness, KEY, "demo").await;
    let folder = harness.folder.clone();
    harness.sandbox.shutdown().await;
    let harness = Harness::start_in(folder, true).await;
    harness.sandbox.demo_done().await;
    assert_eq!(runs(&harness, KEY, "demo").await, before);
}
