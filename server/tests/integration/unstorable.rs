//! Texts and numbers that PostgreSQL cannot store as they come.

use reqwest::Method;
use serde_json::{Value, json};

use crate::harness::{DEMO, TestApp, eventually};

#[tokio::test]
async fn a_run_with_a_nul_is_stored_and_does_not_stop_the_sync_of_others() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let with_nul = json!({ "name": "first\0name", "metadata": { "customer": "acme\0inc" } });
    let odd = app.finished_run(DEMO, "/call look {\"q\":\"a\0b\"}\n/say the\0answer", with_nul).await;
    let good = app.finished_run(DEMO, "/say good", json!({})).await;
    let runs = eventually("both runs", async || {
        let list: Value = serde_json::from_str(&browser.open("/api/runs").await.body).unwrap();
        let runs = list["runs"].as_array().unwrap().clone();
        [&odd, &good].iter().all(|id| runs.iter().any(|run| run["id"] == id.as_str())).then_some(runs)
    })
    .await;
    let listed = runs.iter().find(|run| run["id"] == odd.as_str()).unwrap();
    assert_eq!((&listed["name"], &listed["metadata"]["customer"]), (&json!("first␀name"), &json!("acme␀inc")));
    for path in ["/runs/{id}", "/api/runs/{id}", "/api/runs/{id}/timeline", "/runs/{id}/export", "/launch?like={id}"] {
        let answer = browser.open(&path.replace("{id}", &odd)).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
    }
    let found = browser.open("/api/runs?q=customer:%22acme%E2%90%80inc%22").await.body;
    assert!(found.contains(&odd) && !found.contains(&good), "{found}");
}

#[tokio::test]
async fn long_names_and_huge_numbers_of_a_file_are_stored() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    // Text that cannot be compressed: PostgreSQL compresses what it stores in an index.
    let long: String =
        (0..40_000_u32).filter_map(|n| char::from_u32(0x4e00 + n.wrapping_mul(2_654_435_761) % 20_000)).collect();
    let tokens = json!({ "inputTokens": i64::MAX, "outputTokens": i64::MAX, "cachedTokens": 0, "reasoningTokens": 0 });
    let run = json!({
        "name": long, "model": long, "agentId": "agent\0", "metadata": { "customer": long, long.as_str(): "x" },
        "tokens": tokens, "durationMs": u64::MAX, "inputPreview": "x".repeat(3_000_000),
    });
    let header = json!({ "runlens": 1, "run": run });
    let end = json!({ "seq": 1, "type": "result", "data": { "subtype": "success", "text": "Done." } });
    let url = app.url("/api/import");
    for _ in 0..2 {
        let request = app.http.post(url.clone()).header("origin", url.origin().ascii_serialization());
        let answer = browser.send(request.body(format!("{header}\n{end}\n")), url.clone()).await;
        assert_eq!(answer.status, 201, "{}", answer.body);
    }
    for path in ["/api/runs", "/api/runs?sort=-tokens", "/api/runs?sort=-duration", "/api/facets", "/runs"] {
        let answer = browser.open(path).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        assert!(answer.body.len() < 1_000_000, "{path}: {} bytes", answer.body.len());
    }
}

#[tokio::test]
async fn an_id_with_a_nul_is_unknown_or_invalid() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    for path in [
        "/runs/%00/delete",
        "/sessions/%00/delete",
        "/launch/batches/%00",
        "/rpc/run-state?id=%00",
        "/rpc/conversation?id=%00",
        "/rpc/batch?id=%00",
    ] {
        let answer = browser.open(path).await;
        assert!((400..500).contains(&answer.status), "{path}: {} {}", answer.status, answer.body);
    }
    let values = browser.open("/api/values?key=%00&prefix=%00").await;
    assert!(values.status < 500, "{} {}", values.status, values.body);
    let url = app.url("/api/views/%00");
    let request = app.http.request(Method::DELETE, url.clone()).header("origin", url.origin().ascii_serialization());
    assert!((400..500).contains(&browser.send(request, url).await.status));
}

#[tokio::test]
async fn a_body_that_is_no_text_is_invalid() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    for function in ["give-feedback", "cancel-run", "create-view"] {
        let url = app.url(&format!("/rpc/{function}"));
        let request = app.http.post(url.clone()).header("origin", url.origin().ascii_serialization());
        let request = request.header("content-type", "application/x-www-form-urlencoded").body(vec![0xff, 0xfe]);
        let answer = browser.send(request, url).await;
        assert_eq!(answer.status, 400, "{function}: {}", answer.body);
    }
}
