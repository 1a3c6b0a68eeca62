//! Scopes of the consent: stored data is shown only to those who may read it at MANTYX.

use reqwest::Method;
use serde_json::json;

use crate::harness::{Browser, DEMO, TestApp, allowed_token};

const SECRET: &str = "the figures of the last quarter";

/// A run that is stored here, with something to find in it.
async fn stored_run(app: &TestApp) -> String {
    let script = format!("/say {SECRET}");
    let id = app.finished_run(DEMO, &script, json!({ "metadata": { "customer": "hidden-customer" } })).await;
    assert_eq!(app.signed_in(DEMO).await.open(&format!("/runs/{id}")).await.status, 200);
    id
}

/// Signs in and allows only some scopes.
async fn signed_in_with(app: &TestApp, scopes: &[&str]) -> Browser {
    let mut browser = app.browser();
    let consent = browser.open_consent_page("/sign-in-page-of-the-test").await;
    let callback = browser.approve_only(&consent, DEMO, scopes).await;
    browser.follow(callback).await;
    browser
}

fn paths_with_runs(id: &str) -> Vec<String> {
    let paths = [
        "/runs",
        "/runs/{id}",
        "/compare?left={id}",
        "/launch?like={id}",
        "/runs/{id}/live",
        "/runs/{id}/export",
        "/api/runs",
        "/api/runs/{id}",
        "/api/runs/{id}/timeline",
        "/api/runs/{id}/events",
        "/api/facets",
        "/api/values?key=metadata.customer",
        "/api/histogram",
        "/api/sync",
        "/rpc/runs",
        "/rpc/run?id={id}",
        "/rpc/run-state?id={id}",
        "/rpc/peek?id={id}",
        "/rpc/runs-news?q=",
        "/rpc/compare?left={id}",
        "/rpc/suggest?text=customer:&caret=9",
        "/rpc/launch-page?like={id}",
    ];
    paths.iter().map(|path| path.replace("{id}", id)).collect()
}

#[tokio::test]
async fn a_sign_in_without_the_scope_for_runs_sees_no_stored_run() {
    let app = TestApp::start().await;
    let id = stored_run(&app).await;
    let mut browser = signed_in_with(&app, &["sessions:read"]).await;
    for path in paths_with_runs(&id) {
        let answer = browser.open(&path).await;
        assert_eq!(answer.status, 403, "{path}: {}", answer.body);
        assert!(!answer.body.contains(SECRET) && !answer.body.contains("hidden-customer"), "{path}: {}", answer.body);
        assert!(answer.body.contains("runs:read"), "{path}: {}", answer.body);
    }
    let page = browser.open("/runs").await.body;
    assert!(page.contains("Sign in again") && page.contains("/auth/start?return_to=%2Fruns"), "{page}");
    assert!(page.contains("owner@demo.test"), "the frame of the page is shown: {page}");
    assert_eq!(browser.open("/sessions").await.status, 200);
    assert!(!browser.open("/rpc/places?text=figures").await.body.contains(&id));
}

#[tokio::test]
async fn a_sign_in_without_the_scope_for_sessions_sees_no_session() {
    let app = TestApp::start().await;
    let mut browser = signed_in_with(&app, &["runs:read"]).await;
    assert_eq!(browser.open("/runs").await.status, 200);
    for path in ["/sessions", "/api/sessions", "/rpc/sessions", "/rpc/suggest?list=sessions&text=a&caret=1"] {
        let answer = browser.open(path).await;
        assert_eq!(answer.status, 403, "{path}: {}", answer.body);
        assert!(answer.body.contains("sessions:read"), "{path}: {}", answer.body);
    }
}

#[tokio::test]
async fn changes_need_the_scope_to_write() {
    let app = TestApp::start().await;
    let id = stored_run(&app).await;
    let mut browser = signed_in_with(&app, &["runs:read", "sessions:read"]).await;
    for (function, form) in [
        ("cancel-run", vec![("id", id.as_str())]),
        ("answer-call", vec![("id", &id), ("tool_use_id", "x"), ("text", "y")]),
        ("pause-sync", vec![("paused", "true")]),
        ("send-message", vec![("id", "s"), ("text", "hi")]),
        ("end-session", vec![("id", "s")]),
    ] {
        assert_eq!(browser.call(function, &form).await.0, 403, "{function}");
    }
    let log = "{\"seq\":1,\"type\":\"result\",\"data\":{\"text\":\"x\"}}\n";
    let url = app.url("/api/import");
    let request = app.http.post(url.clone()).header("origin", url.origin().ascii_serialization()).body(log);
    assert_eq!(browser.send(request, url).await.status, 403);
    let form = browser.send_parts("/import", &[], &[("file", "a.ndjson", log)], "text/html").await;
    assert_eq!(form.status, 403);
    assert!(form.body.contains("Sign in again") && form.body.contains("runs:write"), "{}", form.body);
    let imported = browser.open("/api/runs?q=is:imported").await.body;
    assert!(imported.contains("\"runs\":[]"), "{imported}");
}

#[tokio::test]
async fn a_bearer_reads_and_imports_only_what_its_scopes_allow() {
    let app = TestApp::start().await;
    let id = stored_run(&app).await;
    let sandbox = app.sandbox_database().await;
    let get = async |path: &str, token: &str| {
        app.http.get(app.url(path)).bearer_auth(token).send().await.unwrap().status().as_u16()
    };
    let import = async |token: &str| {
        let log = "{\"seq\":1,\"type\":\"result\",\"data\":{\"text\":\"x\"}}\n";
        let request = app.http.post(app.url("/api/import")).bearer_auth(token).body(log);
        request.send().await.unwrap().status().as_u16()
    };
    let nothing = allowed_token(&sandbox, "mantyx.identity:read").await;
    let reading = allowed_token(&sandbox, "mantyx.identity:read runs:read").await;
    let writing = allowed_token(&sandbox, "mantyx.identity:read runs:write").await;
    for path in ["/api/runs", "/api/facets", &format!("/api/runs/{id}/events"), &format!("/runs/{id}/export")] {
        assert_eq!((get(path, &nothing).await, get(path, &reading).await), (403, 200), "{path}");
    }
    assert_eq!(get("/api/sessions", &reading).await, 403);
    assert_eq!((import(&nothing).await, import(&reading).await, import(&writing).await), (403, 403, 201));
}

#[tokio::test]
async fn a_route_needs_a_sign_in_before_a_scope() {
    let app = TestApp::start().await;
    let mut nobody = app.browser();
    for path in ["/api/runs", "/rpc/runs", "/runs/x/live"] {
        assert_eq!(nobody.open(path).await.status, 401, "{path}");
    }
    for path in ["/runs", "/sessions/x", "/nowhere"] {
        let page = nobody.request(Method::GET, app.url(path), &[]).await;
        assert!(page.headers["location"].to_str().unwrap().starts_with("/sign-in?return_to="), "{path}");
    }
}
