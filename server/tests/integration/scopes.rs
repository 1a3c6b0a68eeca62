//! Scopes of the consent: stored data is shown only to those who may read it at MANTYX.

use reqwest::Method;
use serde_json::json;

use crate::harness::{Browser, DEMO, TestApp, allowed_token, shown_page};

const SECRET: &str = "the figures of the last quarter";

/// A run that is stored here, with something to find in it.
async fn stored_run(app: &TestApp) -> String {
    let script = format!("/say {SECRET}");
    let id = app.finished_run(DEMO, &script, json!({ "metadata": { "customer": "hidden-customer" } })).await;
    assert_eq!(app.signed_in(DEMO).await.open(&format!("/runs/{id}")).await.status, 200);
    id
}

/// Signs in and allows only some scopes.
pub async fn signed_in_with(app: &TestApp, scopes: &[&str]) -> Browser {
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
        "/rpc/run-preview?id={id}",
        "/rpc/run-updates?q=",
        "/rpc/compare?left={id}",
        "/rpc/suggest?text=customer:&caret=9",
        "/rpc/launch-page?entry[like]={id}",
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
    assert!(!browser.open("/rpc/palette?text=figures").await.body.contains(&id));
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
async fn views_are_shown_and_changed_only_with_the_scope_of_their_list() {
    let app = TestApp::start().await;
    let mut owner = app.signed_in(DEMO).await;
    let change = async |browser: &mut Browser, method: Method, path: &str, body: serde_json::Value| {
        let url = app.url(path);
        let request = app.http.request(method, url.clone()).header("origin", url.origin().ascii_serialization());
        browser.send(request.json(&body), url).await
    };
    let view = json!({ "name": "Quarter", "list": "runs", "query": "customer:hidden-customer", "shared": true });
    let created = change(&mut owner, Method::POST, "/api/views", view.clone()).await;
    assert_eq!(created.status, 201, "{}", created.body);
    let id = serde_json::from_str::<serde_json::Value>(&created.body).unwrap()["id"].as_str().unwrap().to_owned();
    assert!(owner.open("/rpc/palette?text=quarter").await.body.contains("hidden-customer"));

    let mut browser = signed_in_with(&app, &["sessions:read"]).await;
    let places = browser.open("/rpc/palette?text=quarter").await;
    assert!(places.status == 200 && !places.body.contains("hidden-customer"), "{}", places.body);
    let path = format!("/api/views/{id}");
    for (method, path, body) in [
        (Method::PATCH, path.as_str(), json!({})),
        (Method::POST, "/api/views", json!({ "name": "Mine", "list": "runs", "query": "" })),
        (Method::PUT, "/api/default-view", json!({ "id": id, "list": "runs" })),
    ] {
        let answer = change(&mut browser, method, path, body).await;
        assert!(answer.status == 403 && answer.body.contains("runs:read"), "{path}: {} {}", answer.status, answer.body);
    }
    let own = json!({ "name": "Mine", "list": "sessions", "query": "" });
    assert_eq!(change(&mut browser, Method::POST, "/api/views", own).await.status, 201);
}

#[tokio::test]
async fn changes_need_the_scope_to_write() {
    let app = TestApp::start().await;
    let id = stored_run(&app).await;
    let mut browser = signed_in_with(&app, &["runs:read", "sessions:read"]).await;
    for (function, form) in [
        ("cancel-run", vec![("id", id.as_str())]),
        ("pause-sync", vec![("paused", "true")]),
        ("send-message", vec![("id", "s"), ("text", "hi")]),
        ("end-session", vec![("id", "s")]),
    ] {
        assert_eq!(browser.call(function, &form).await.0, 403, "{function}");
    }
    assert_eq!(browser.answer(&[("id", &id), ("tool_use_id", "x"), ("text", "y")]).await.status, 403);
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

#[tokio::test]
async fn a_reader_reaches_no_other_server_with_the_launch_form_and_saves_no_template() {
    let app = TestApp::start().await;
    let mut reader = signed_in_with(&app, &["runs:read"]).await;
    let spec = json!({ "systemPrompt": "You help.", "modelId": "sandbox/script", "prompt": "/say hi",
        "tools": [{ "kind": "mcp", "name": "files", "url": "http://192.0.2.1/mcp" }] });
    let page = reader.launch_page("").await;
    let page = reader.change_launch_form(&page, &[("json", &spec.to_string())]).await;
    for action in ["discover-tools:/tools/0", "load-card:/tools/0", "check-tools", "save-template", "confirm-delete:x"]
    {
        let fields = [("template.name", "Mine"), ("template.shared", "true"), ("action", action)];
        let shown = shown_page(reader.send_launch_form(&page, &fields).await);
        assert!(shown.html.contains("runs:write"), "{action}: {}", shown.html);
    }
    let database = app.database.connect().await;
    let saved: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM launch_template").fetch_one(&database).await.unwrap();
    assert_eq!(saved, 0);
}
