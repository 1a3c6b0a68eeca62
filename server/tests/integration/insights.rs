//! `GET /api/insights` and the page: figures of runs from MANTYX, of one workspace, and messages about bad input.

use std::process::Command;

use runlens::config::DatabaseOptions;
use runlens::seed::{SeedOptions, seed};
use serde_json::{Value, json};

use crate::harness::{DEMO, OTHER, TestApp, api_key};

async fn get(app: &TestApp, workspace: &str, path: &str) -> (u16, Value) {
    let answer = app.http.get(app.url(path)).bearer_auth(api_key(workspace)).send().await.unwrap();
    (answer.status().as_u16(), answer.json().await.unwrap())
}

/// Starts a server with some runs, each opened, so that its log is stored.
async fn with_runs() -> TestApp {
    let app = TestApp::start().await;
    let recall = json!([{ "kind": "mantyx_plugin", "name": "recall" }]);
    for (script, more) in [
        ("/say Paid.", json!({ "metadata": { "customer": "acme" } })),
        ("/say Long\n/truncate", json!({ "metadata": { "customer": "acme" } })),
        (
            "/repeat 4\n/call recall {\"query\":\"x\"}\n/say Done.",
            json!({ "tools": recall, "metadata": { "customer": "globex" } }),
        ),
        ("/fail rate_limit", json!({ "metadata": { "customer": "globex" } })),
    ] {
        let id = app.finished_run(DEMO, script, more).await;
        assert_eq!(get(&app, DEMO, &format!("/api/runs/{id}")).await.0, 200);
    }
    app
}

#[tokio::test]
async fn figures_have_runs_that_no_other_request_has_synced() {
    let app = TestApp::start().await;
    app.finished_run(DEMO, "/say Paid.", json!({})).await;
    assert_eq!(get(&app, DEMO, "/api/insights").await.1["runs"], 1);
}

#[tokio::test]
async fn figures_count_the_runs_of_one_workspace() {
    let app = with_runs().await;
    let id = app.finished_run(OTHER, "/fail server", json!({})).await;
    assert_eq!(get(&app, OTHER, &format!("/api/runs/{id}")).await.0, 200);

    let (status, all) = get(&app, DEMO, "/api/insights").await;
    assert_eq!(status, 200, "{all}");
    let outcomes = json!({ "succeeded": 2, "failed": 2, "cancelled": 0, "running": 0, "pending": 0 });
    assert_eq!((&all["runs"], &all["outcomes"]), (&json!(4), &outcomes), "{all}");
    assert_eq!(
        (&all["rates"]["failed"], &all["rates"]["truncated"], &all["rates"]["looping"]),
        (&json!(0.5), &json!(0.25), &json!(0.25))
    );
    assert_eq!(all["countedNewest"], Value::Null);
    assert!(all["durationMs"]["p50"].is_u64() && all["tokens"].is_u64() && all["costMicros"].is_u64(), "{all}");
    let tool = &all["tools"][0];
    assert_eq!((&tool["name"], &tool["failed"], &tool["loops"]), (&json!("recall"), &json!(0), &json!(1)), "{tool}");
    let (_, run) = get(&app, DEMO, "/api/runs?q=tool:recall").await;
    assert_eq!(tool["calls"], run["runs"][0]["toolCalls"]);
    let classes: Vec<&Value> = all["errors"].as_array().unwrap().iter().map(|error| &error["errorClass"]).collect();
    assert!(classes.contains(&&json!("rate_limit")), "{classes:?}");

    let (_, by) = get(&app, DEMO, "/api/insights?by=metadata.customer&q=status:failed").await;
    let values = by["by"]["values"].as_array().unwrap();
    let counts: Vec<(&Value, &Value)> = values.iter().map(|value| (&value["value"], &value["runs"])).collect();
    assert_eq!(counts.len(), 2, "{by}");
    assert!(counts.iter().all(|(_, runs)| **runs == json!(1)), "{by}");
    assert!(by["by"]["keys"].as_array().unwrap().contains(&json!("metadata.customer")), "{by}");

    let (_, other) = get(&app, OTHER, "/api/insights?q=since:1h").await;
    assert_eq!((&other["runs"], &other["outcomes"]["failed"], &other["tools"]), (&json!(1), &json!(1), &json!([])));
    assert_eq!(other["previous"]["runs"], 0);
}

#[tokio::test]
async fn limits_of_time_work_beside_and_in_the_filter() {
    let app = with_runs().await;
    for (query, runs) in [
        ("since=1h", 4),
        ("before=1h", 0),
        ("q=since:1h&before=2030-01-01", 4),
        ("since=2020-01-01&before=2021-01-01", 0),
    ] {
        let (status, found) = get(&app, DEMO, &format!("/api/insights?{query}")).await;
        assert_eq!((status, &found["runs"]), (200, &json!(runs)), "{query}: {found}");
        let (_, count) = get(&app, DEMO, &format!("/api/count?q={}", found_query(query))).await;
        assert_eq!(count["runs"], runs, "{query}");
    }
    for (query, field, words) in [
        ("since=someday", "since", "is not a time"),
        ("before=7 days", "before", "is not a time"),
        ("since=1h&before=2h", "before", "The time range is empty"),
        ("q=since:2026-10-08+before:2026-10-01", "before", "The time range is empty"),
        ("q=since:never", "q", "Write a time as since:2h"),
    ] {
        let (status, refused) = get(&app, DEMO, &format!("/api/insights?{query}")).await;
        assert_eq!(status, 400, "{query}: {refused}");
        let text = refused.to_string();
        assert!(text.contains(words) && text.contains(field), "{query}: {text}");
    }
}

/// The parameters as one filter.
fn found_query(query: &str) -> String {
    query.replace("q=", "").replace("since=", "since:").replace("before=", "before:").replace('&', "+")
}

#[tokio::test]
async fn the_page_shows_figures_that_link_to_their_runs() {
    let app = with_runs().await;
    let mut browser = app.signed_in(DEMO).await;
    let page = browser.open("/insights?q=").await;
    assert_eq!(page.status, 200);
    for part in [
        "4 runs",
        "50.0 %",
        "rate_limit",
        "recall",
        "href=\"/runs?q=is:truncated\"",
        "By model",
        "Share of time",
        "Total duration",
        "Tokens p50",
        "Cost p50",
    ] {
        assert!(page.body.contains(part), "{part}: {}", page.body);
    }
    let page = browser.open("/insights?q=&by=metadata.customer").await.body;
    assert!(page.contains("href=\"/runs?q=customer:acme\"") && page.contains("By customer"), "{page}");
    let empty = browser.open("/insights?q=since:2026-10-08+before:2026-10-01").await;
    assert_eq!(empty.status, 400);
    assert!(empty.body.contains("The time range is empty"), "{}", empty.body);
    let empty = browser.open("/insights?q=customer:nobody").await;
    assert!(empty.status == 200 && empty.body.contains("No matching runs"), "{}", empty.body);
    let list = browser.open("/runs?q=&chart=cost").await.body;
    assert!(list.contains("Show: ") && list.contains("peak $"), "{list}");
}

/// Enough runs that figures come from rollups.
const MANY: u64 = 12_000;

const FILTERS: [&str; 12] = [
    "",
    "is:seeded",
    "since:2026-09-21T12:00:00Z",
    "since:2026-09-21T12:13:14Z+before:2026-09-21T17:01:02Z",
    "status:failed",
    "env:prod",
    "-env:prod",
    "customer:customer-07",
    "model:script+since:2026-09-21T11:59:00Z",
    "tool:recall",
    "env:prod+status:failed",
    "error:timeout",
];

async fn fill(app: &TestApp) {
    let url = Some(app.database.url.clone());
    let database = DatabaseOptions { data_dir: app.dir.path().to_owned(), database_url: url };
    let until_ms = Some(1_790_000_000_000);
    seed(SeedOptions { runs: MANY, seed: 3, workspace: DEMO.to_owned(), until_ms, database }).await.unwrap();
}

/// Compares figures with the counts of the list. Returns the number of runs.
async fn compare(app: &TestApp, what: &str) -> u64 {
    let mut all = 0;
    for query in FILTERS {
        let (status, figures) = get(app, DEMO, &format!("/api/insights?q={query}&by=metadata.env")).await;
        assert_eq!(status, 200, "{what}, {query}: {figures}");
        let (_, count) = get(app, DEMO, &format!("/api/count?q={query}")).await;
        assert_eq!((&figures["countedNewest"], &figures["runs"]), (&Value::Null, &count["runs"]), "{what}, {query}");
        let sum = |values: &Value| -> u64 {
            values.as_array().unwrap().iter().map(|value| value["runs"].as_u64().unwrap()).sum()
        };
        let runs = figures["runs"].as_u64().unwrap();
        assert_eq!(sum(&figures["overTime"]["buckets"]), runs, "{what}, {query}");
        let others = figures["by"]["others"]["runs"].as_u64().unwrap_or(0);
        let counted = figures["detailsCountedNewest"].as_u64().unwrap_or(runs);
        assert_eq!(sum(&figures["by"]["values"]) + others, counted, "{what}, {query}");
        for (status, outcome) in [("failed", "failed"), ("succeeded", "succeeded")] {
            let (_, listed) = get(app, DEMO, &format!("/api/count?q={query}+status:{status}")).await;
            if listed["isExact"] == true {
                assert_eq!(figures["outcomes"][outcome], listed["runs"], "{what}, {query}");
            }
        }
        all = all.max(runs);
    }
    let (_, insights) = get(app, DEMO, "/api/insights").await;
    let (_, listed) = get(app, DEMO, "/api/count?q=tool:recall").await;
    let recall = insights["tools"].as_array().unwrap().iter().find(|tool| tool["name"] == "recall").unwrap();
    assert_eq!(recall["runs"], listed["runs"], "{what}");
    assert!(
        recall["p50Ms"].as_u64() <= recall["p95Ms"].as_u64() && recall["calls"].as_u64() >= recall["runs"].as_u64()
    );
    all
}

#[tokio::test]
async fn many_runs_are_counted_as_the_list_counts_them_whatever_happens_to_them() {
    let app = TestApp::start().await;
    fill(&app).await;
    assert_eq!(compare(&app, "seeded").await, MANY);
    let (_, before) = get(&app, DEMO, "/api/insights").await;
    fill(&app).await;
    assert_eq!(get(&app, DEMO, "/api/insights").await.1, before, "the same runs again");

    let body = json!({ "metadata": { "key": "customer", "value": "customer-07" } });
    let erase = app.http.post(app.url("/api/erase")).bearer_auth(api_key(DEMO)).json(&body).send().await.unwrap();
    assert_eq!(erase.status().as_u16(), 200);
    let left = compare(&app, "erased").await;
    assert!(left < MANY, "{left}");

    let retained = Command::new(env!("CARGO_BIN_EXE_runlens"))
        .arg("retain")
        .env_clear()
        .env("RUNLENS_DATA_DIR", app.dir.path())
        .env("DATABASE_URL", &app.database.url)
        .env("RUNLENS_RETAIN_MB", "35")
        .output()
        .unwrap();
    assert!(retained.status.success(), "{}", String::from_utf8_lossy(&retained.stderr));
    let kept = compare(&app, "after retention").await;
    assert!(kept > 1_000 && kept < left, "{kept} of {left} runs are left");
}
