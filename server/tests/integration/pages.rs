//! Run pages, as a browser without scripts sees them.

use serde_json::json;

use crate::harness::{DEMO, TestApp};

#[tokio::test]
async fn a_run_reads_as_a_timeline_with_calls_paired_to_results() {
    let app = TestApp::start().await;
    let tools = json!({ "tools": [{ "kind": "mantyx_plugin", "name": "calculator" }] });
    let id = app
        .finished_run(DEMO, "/say Let me compute.\n/call calculator {\"expression\":\"6*7\"}\n/say Done: 42.", tools)
        .await;
    let page = app.signed_in(DEMO).await.open(&format!("/runs/{id}")).await;
    assert_eq!(page.status, 200, "{}", page.body);
    for expected in ["Turn 1", "Turn 2", "calculator", "Let me compute.", "Done: 42.", "data-outcome=\"ok\""] {
        assert!(page.body.contains(expected), "{expected} is missing");
    }
}

/// Returns the text of a figure in the header.
fn fact(page: &str, name: &str) -> String {
    let (_, found) = page.split_once(&format!("data-fact=\"{name}\"")).unwrap_or_else(|| panic!("no {name} in {page}"));
    let value = found.split_once("<dd").and_then(|(_, value)| value.split_once('>')?.1.split_once("</dd>"));
    without_tags(value.unwrap_or_else(|| panic!("{name} has no value: {page}")).0)
}

fn without_tags(html: &str) -> String {
    let texts = html.split('<').map(|piece| piece.split_once('>').map_or(piece, |(_tag, text)| text));
    texts.collect::<String>().trim().to_owned()
}

#[tokio::test]
async fn the_header_shows_the_figures_at_the_replayed_event() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let id = app.finished_run(DEMO, "/say One two three.", json!({})).await;
    let names = ["Tokens", "Cost", "Duration"];
    let end = browser.open(&format!("/runs/{id}")).await.body;
    for name in names {
        assert_ne!(fact(&end, name), "–", "{name}");
    }
    let begin = browser.open(&format!("/runs/{id}?at=0")).await.body;
    assert!(begin.contains("Event 0 of "), "{begin}");
    for name in names {
        assert_eq!(fact(&begin, name), "–", "{name}");
    }
    assert_eq!(fact(&begin, "Model"), "sandbox/script", "the spec asked for it");

    let beyond = browser.open(&format!("/runs/{id}?at=999999")).await.body;
    assert!(!beyond.contains("999,999"), "{beyond}");
    assert_eq!(names.map(|name| fact(&beyond, name)), names.map(|name| fact(&end, name)));
}

#[tokio::test]
async fn a_run_in_progress_shows_its_model_and_elapsed_time() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let tools = json!({ "tools": [{ "kind": "local", "name": "approve" }] });
    let id = app.start_run(DEMO, "/call approve {}\n/say Fine.", tools).await;
    app.pending_call(DEMO, &id).await;
    let page = browser.open(&format!("/runs/{id}")).await.body;
    assert!(fact(&page, "Model").contains("script"), "{}", fact(&page, "Model"));
    assert!(fact(&page, "Duration").ends_with(" s so far"), "{}", fact(&page, "Duration"));
    assert_eq!(fact(&browser.open(&format!("/runs/{id}?at=0")).await.body, "Turns"), "0");
}

#[tokio::test]
async fn interventions_have_banners() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let recall = || json!({ "tools": [{ "kind": "mantyx_plugin", "name": "recall" }] });
    let mut strict = recall();
    strict["toolBudgets"] = json!({ "recall": { "maxCalls": 1 } });
    let cases = [
        ("/say A long answer that\n/truncate", json!({}), vec!["truncated"]),
        ("/repeat 4\n/call recall {\"query\":\"x\"}\n/say Done.", recall(), vec!["loop_nudged"]),
        ("/repeat 9\n/call recall {\"query\":\"x\"}\n/say Done.", recall(), vec!["loop_gave_up"]),
        (
            "/call recall {\"query\":\"a\"}\n/say Hm.\n/call recall {\"query\":\"b\"}\n/say Done.",
            strict,
            vec!["budget_exceeded"],
        ),
        ("/fail overloaded", json!({}), vec!["failed"]),
        ("/refuse", json!({}), vec!["refused"]),
    ];
    for (script, more, kinds) in cases {
        let id = app.finished_run(DEMO, script, more).await;
        let page = browser.open(&format!("/runs/{id}")).await;
        for kind in kinds {
            assert!(page.body.contains(&format!("data-kind=\"{kind}\"")), "{kind} for {script}: {}", page.body);
        }
    }
    // Findings from the logs are marked in the list.
    let list = browser.open("/runs").await.body;
    assert!(list.contains("truncated") && list.contains("looping") && list.contains("budget"));
}

#[tokio::test]
async fn text_of_models_and_tools_is_escaped() {
    let app = TestApp::start().await;
    let hostile = "<script>alert(1)</script><img src=x onerror=alert(2)>";
    let id = app
        .finished_run(
            DEMO,
            &format!("/say {hostile}"),
            json!({ "name": "<b>bold</b>", "metadata": { "k": "<i>v</i>" } }),
        )
        .await;
    let mut browser = app.signed_in(DEMO).await;
    for path in [format!("/runs/{id}"), "/runs".to_owned(), "/runs?q=k:%3Ci%3Ev%3C/i%3E".to_owned()] {
        let page = browser.open(&path).await;
        for raw in ["<script>alert", "<img src=x", "<b>bold", "<i>v"] {
            assert!(!page.body.contains(raw), "{path} has {raw}");
        }
    }
}

#[tokio::test]
async fn unknown_urls_return_not_found() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    for (path, text) in [
        ("/runs/run_unknown", "This workspace has no such run"),
        ("/runs/a%2Fb", "This workspace has no such run"),
        ("/runs/..%2f..%2fmodels", "This workspace has no such run"),
        ("/nowhere", "Page not found"),
        ("/runs/x/y", "Page not found"),
    ] {
        let page = browser.open(path).await;
        assert_eq!(page.status, 404, "{path}");
        assert!(page.body.contains(text), "{path}: {}", page.body);
    }
}

#[tokio::test]
async fn preferences_are_stored_and_redirect_back() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let form = [("theme", "dark"), ("rail", "narrow"), ("return_to", "/runs?q=a:b")];
    let answer = browser.request(reqwest::Method::POST, app.url("/preferences"), &form).await;
    assert_eq!(answer.headers["location"], "/runs?q=a:b");
    let page = browser.open("/runs").await.body;
    assert!(page.contains("data-theme=\"dark\"") && page.contains("data-rail=\"narrow\""));
}
