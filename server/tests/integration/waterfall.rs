//! The waterfall of a run, its report, and filters by the times of a run.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::harness::{Browser, DEMO, TestApp};
use crate::times::import;

const START_MS: u64 = 1_790_000_000_000;

/// A log of a person who answers after 41 seconds, and of a tool that fails, is called again and takes 4 seconds.
const WAITING: &str = r#"{"seq":1,"type":"started","data":{},"at":1790000000000}
{"seq":2,"type":"assistant_delta","data":{"text":"I"},"at":1790000001000}
{"seq":3,"type":"assistant_message","data":{"text":"I look.","toolCalls":[{"id":"a","name":"look","input":{}}]},"at":1790000002000}
{"seq":4,"type":"tool_result","data":{"toolUseId":"a","name":"look","ok":false,"summary":"busy"},"at":1790000003000}
{"seq":5,"type":"assistant_message","data":{"text":"","toolCalls":[{"id":"b","name":"look","input":{}}]},"at":1790000004000}
{"seq":6,"type":"tool_result","data":{"toolUseId":"b","name":"look","result":"x"},"at":1790000008000}
{"seq":7,"type":"loop_detected","data":{"consecutiveCount":2,"hardCutoff":false,"tools":["look"]},"at":1790000008000}
{"seq":8,"type":"local_tool_call","data":{"toolUseId":"c","name":"approve","args":{}},"at":1790000009000}
{"seq":9,"type":"local_tool_result_in","data":{"toolUseId":"c","name":"approve","result":"yes"},"at":1790000050000}
{"seq":10,"type":"assistant_message","data":{"text":"Done."},"at":1790000051000}
{"seq":11,"type":"result","data":{"text":"Done."},"at":1790000051000}"#;

/// A log of calls of 10 ms each, one after the other.
fn many_calls(count: u64) -> String {
    let mut log = String::new();
    for i in 0..count {
        let (seq, at_ms) = (2 * i + 1, START_MS + i * 10);
        let call = json!({ "text": "", "toolCalls": [{ "id": i.to_string(), "name": "look", "input": { "i": i } }] });
        let message = json!({ "seq": seq, "type": "assistant_message", "data": call, "at": at_ms });
        let answer = json!({ "toolUseId": i.to_string(), "result": "x" });
        let result = json!({ "seq": seq + 1, "type": "tool_result", "data": answer, "at": at_ms + 10 });
        writeln!(log, "{message}\n{result}").unwrap();
    }
    log
}

fn rows(page: &str) -> usize {
    page.matches("row waterfall-row").count()
}

async fn matching(browser: &mut Browser, filter: &str) -> Vec<Value> {
    let query: String = url::form_urlencoded::byte_serialize(filter.as_bytes()).collect();
    let list: Value = serde_json::from_str(&browser.open(&format!("/api/runs?q={query}")).await.body).unwrap();
    list["runs"].as_array().unwrap_or_else(|| panic!("{list}")).clone()
}

#[tokio::test]
async fn bars_marks_and_details_are_on_the_axis() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let id = import(&mut browser, WAITING).await;
    let page = browser.open(&format!("/runs/{id}?density=waterfall")).await.body;
    for words in [
        "Starts at 0 ms · first token after 1.0 s · message after 2.0 s · takes 3.0 s",
        "Starts at 4.0 s · takes 4.0 s · retries the failed call #3",
        "Starts at 9.0 s · takes 41.0 s",
        "class=\"guard\"",
        "class=\"retry\"",
        "Zoom in (+)",
    ] {
        assert!(page.contains(words), "{words}: {page}");
    }
    assert!(page.contains(&format!("href=\"/runs/{id}?focus=8#e8\"")), "a link to the step: {page}");

    let zoomed = browser.open(&format!("/runs/{id}?density=waterfall&zoom=20000-30000")).await.body;
    assert_eq!(rows(&zoomed), 2, "only the turn and the call that waited: {zoomed}");
    assert!(zoomed.contains("20.0 s – 30.0 s of 51.0 s") && zoomed.contains("Whole run"), "{zoomed}");
}

#[tokio::test]
async fn thousands_of_calls_are_shown_in_parts() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let id = import(&mut browser, &many_calls(3_000)).await;
    let page = browser.open(&format!("/runs/{id}?density=waterfall")).await.body;
    assert_eq!(rows(&page), 200);
    assert!(page.contains("0 ms – 1.0 s of 30.0 s"), "the axis fits the rows: {page}");
    let (_, overview) = page.split_once("class=\"overview\"").expect("an overview");
    let overview = overview.split_once("</svg>").expect("its end").0;
    assert!((1..=400).contains(&overview.matches("class=\"bar\"").count()), "{overview}");
    let zoomed = browser.open(&format!("/runs/{id}?density=waterfall&zoom=10000-10100")).await.body;
    assert!((10..=30).contains(&rows(&zoomed)), "{} rows", rows(&zoomed));
}

#[tokio::test]
async fn a_report_has_the_waterfall() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let id = import(&mut browser, WAITING).await;
    let report = browser.open(&format!("/runs/{id}/export?format=html")).await.body;
    for words in
        ["<h2>Waterfall</h2>", "Where the time went", "takes 41.0 s", "href=\"#e8\"", "id=\"e8\"", ".waterfall-row"]
    {
        assert!(report.contains(words), "{words}: {report}");
    }
    assert!(report.contains("· skipped · 41.0 s") && !report.contains("<script"), "{report}");
    let unknown = import(&mut browser, r#"{"seq":1,"type":"result","data":{"text":"a"}}"#).await;
    let report = browser.open(&format!("/runs/{unknown}/export?format=html")).await.body;
    assert!(!report.contains("<h2>Waterfall</h2>"), "{report}");
}

#[tokio::test]
async fn a_run_without_findings_says_that_it_mostly_waited() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let waited = import(&mut browser, &WAITING.replace("loop_detected", "started")).await;
    let page = browser.open(&format!("/runs/{waited}")).await.body;
    assert!(page.contains("41.0 s of 51.0 s were spent waiting for <code>approve"), "{page}");
    let quick = WAITING.replace("loop_detected", "started").replace("1790000050000", "1790000010000");
    let quick = import(&mut browser, &quick).await;
    assert!(!browser.open(&format!("/runs/{quick}")).await.body.contains("first-finding"));
}

#[tokio::test]
async fn runs_are_found_by_waiting_time_and_slowest_tool() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let waited = import(&mut browser, WAITING).await;
    let quick = import(&mut browser, &many_calls(3)).await;
    let unknown = import(&mut browser, r#"{"seq":1,"type":"result","data":{"text":"a"}}"#).await;
    for (filter, expected) in [
        ("waited:>30s", vec![&waited]),
        ("waited:41s..42s", vec![&waited]),
        ("waited:<1s", vec![&quick]),
        ("slowest-tool:approve", vec![&waited]),
        ("slowest-tool:look", vec![&quick]),
        ("-slowest-tool:look,approve", vec![&unknown]),
    ] {
        let found = matching(&mut browser, &format!("is:imported {filter}")).await;
        let ids: Vec<&str> = found.iter().filter_map(|run| run["id"].as_str()).collect();
        assert_eq!(ids, expected, "{filter}");
    }
    let found = matching(&mut browser, "waited:>30s").await;
    assert_eq!(found[0]["waitedMs"], 41_000);
    let list = browser.open("/runs?q=waited:%3E30s").await.body;
    assert!(list.contains(&waited) && !list.contains(&quick), "{list}");
}

#[tokio::test]
async fn a_comparison_has_durations_side_by_side() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let (left, right) = (import(&mut browser, WAITING).await, import(&mut browser, &many_calls(3)).await);
    let page = browser.open(&format!("/compare?left={left}&right={right}")).await.body.replace("<!>", "");
    for words in ["Where the time went", "Waiting for approve", "41.0 s", "<span class=\"took\">4.0 s</span>"] {
        assert!(page.contains(words), "{words}: {page}");
    }
}
