//! The comparison of two runs, and their specs.

use serde_json::{Value, json};

use crate::harness::{Browser, DEMO, TestApp, api_key};

const LOG: &str = "{\"seq\":1,\"type\":\"result\",\"data\":{\"text\":\"Hi.\"}}\n";

async fn compared(browser: &mut Browser, left: &str, right: &str) -> String {
    let page = browser.open(&format!("/compare?left={left}&right={right}")).await;
    assert_eq!(page.status, 200, "{}", page.body);
    page.body.replace("<!>", "")
}

/// Imports a run from a file, which has no spec.
async fn imported(app: &TestApp) -> String {
    let request = app.http.post(app.url("/api/import")).bearer_auth(api_key(DEMO)).body(LOG);
    let answer: Value = request.send().await.unwrap().json().await.unwrap();
    answer["runId"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn unknown_specs_are_not_shown_as_equal() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let (one, two) =
        (app.finished_run(DEMO, "/say Hi.", json!({})).await, app.finished_run(DEMO, "/say Hi.", json!({})).await);
    let (lost, lost_too) = (imported(&app).await, imported(&app).await);
    for (left, right, words) in [
        (&one, &two, "The specs are identical."),
        (&lost, &one, "The spec of the left run is not available"),
        (&one, &lost, "The spec of the right run is not available"),
        (&lost, &lost_too, "The specs of both runs are not available"),
    ] {
        let html = compared(&mut browser, left, right).await;
        assert!(html.contains(words), "{words}: {html}");
        assert_eq!(html.contains("Their specs are the same"), words.starts_with("Their"));
        for run in [left, right] {
            let known = !run.starts_with("imported_");
            assert_eq!(html.contains(&format!("/launch?like={run}\"")), known, "{run}");
        }
    }
}

#[tokio::test]
async fn a_late_difference_is_shown() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let long = "All of this is the same in both. ".repeat(40);
    let prompt = |currency: &str| format!("/say {long}In {currency}.");
    let runs = [
        app.finished_run(DEMO, &prompt("EUR"), json!({})).await,
        app.finished_run(DEMO, &prompt("USD"), json!({})).await,
    ];
    let html = compared(&mut browser, &runs[0], &runs[1]).await;
    for currency in ["EUR", "USD"] {
        // In the spec, in the turn and in the output.
        assert_eq!(html.matches(&format!("<mark>{currency}</mark>")).count(), 3, "{html}");
    }
}

#[tokio::test]
async fn a_looping_run_is_never_the_most_similar_run() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let spec = |extra: Value| {
        let mut spec = json!({ "name": "nightly", "metadata": { "customer": "acme" } });
        spec.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        spec
    };
    let plugin = json!({ "tools": [{ "kind": "mantyx_plugin", "name": "calculator" }] });
    let circles = "/repeat 7\n/call calculator {\"expression\":\"1+1\"}\n/say Done.";
    let looping = app.finished_run(DEMO, circles, spec(plugin)).await;
    let failed = app.finished_run(DEMO, "/fail auth", spec(json!({}))).await;
    // The log is read when the run is opened.
    let page = browser.open(&format!("/runs/{looping}")).await.body;
    assert!(page.contains("data-kind=\"loop_gave_up"), "{page}");
    let alone = browser.open(&format!("/compare?left={failed}")).await.body;
    assert!(alone.contains("No similar run found"), "{alone}");
    let good = app.finished_run(DEMO, "/say Done.", spec(json!({}))).await;
    assert_eq!(browser.open(&format!("/runs/{good}")).await.status, 200);
    let found = browser.open(&format!("/compare?left={failed}")).await.body;
    assert!(found.contains("The most similar successful run") && found.contains(&format!("/runs/{good}\"")), "{found}");
}

#[tokio::test]
async fn a_relaunched_run_without_a_name_is_compared_with_the_run_it_repeats() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let first = browser
        .launch(&json!({ "systemPrompt": "You help.", "modelId": "sandbox/script", "prompt": "/say One." }))
        .await;
    let form = browser.launch_page(&format!("?like={first}")).await;
    let again = browser.launch_page_as_is(&form).await;
    let html = browser.open(&format!("/compare?left={again}")).await.body;
    assert!(html.contains("relaunched from") && html.contains(&format!("/runs/{first}\"")), "{html}");
}

#[tokio::test]
async fn without_a_run_the_page_asks_for_one() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let page = browser.open("/compare").await;
    assert_eq!(page.status, 200);
    assert!(page.body.contains("Choose a run to compare"), "{}", page.body);
}
