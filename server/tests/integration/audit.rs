//! The audit log: what is in it, what is not, and who may read it. And the other rights of administrators.

use reqwest::Method;
use runlens::config::Admins;
use serde_json::{Value, json};

use crate::harness::{Browser, DEMO, OTHER, TestApp, api_key};

/// Calls the API with the browser's session.
async fn call(app: &TestApp, browser: &mut Browser, method: Method, path: &str, body: Value) -> (u16, Value) {
    let url = app.url(path);
    let mut request = app.http.request(method, url.clone()).header("origin", url.origin().ascii_serialization());
    if !body.is_null() {
        request = request.json(&body);
    }
    let answer = browser.send(request, url).await;
    (answer.status, serde_json::from_str(&answer.body).unwrap_or_default())
}

async fn entries(app: &TestApp, browser: &mut Browser) -> Vec<Value> {
    let (status, page) = call(app, browser, Method::GET, "/api/audit?limit=200", Value::Null).await;
    assert_eq!(status, 200, "{page}");
    page["entries"].as_array().unwrap().clone()
}

fn actions(entries: &[Value]) -> Vec<&str> {
    entries.iter().map(|entry| entry["action"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn everything_that_people_do_is_in_the_log_without_what_they_wrote() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let secret = "the contents of a prompt";
    let spec = json!({ "systemPrompt": secret, "modelId": "sandbox/script", "prompt": "/call ask {}\n/say done",
        "tools": [{ "kind": "local", "name": "ask" }], "metadata": { "customer": "hidden-customer" } });
    let run_id = browser.launch(&spec).await;
    let tool_call = app.pending_call(DEMO, &run_id).await;
    let answer = [("id", run_id.as_str()), ("tool_use_id", &tool_call), ("text", "the text of an answer")];
    assert_eq!(browser.answer(&answer).await.status, 200);
    app.sandbox_stream(DEMO, &run_id).await;
    let export = format!("/runs/{run_id}/export?format=html&secrets=true");
    assert_eq!(browser.open(&export).await.status, 200);
    let waiting = browser.launch(&spec).await;
    assert_eq!(browser.call("cancel-run", &[("id", &waiting)]).await.0, 200);
    let view = json!({ "name": "Hidden", "query": "customer:hidden-customer", "shared": true });
    let (_, view) = call(&app, &mut browser, Method::POST, "/api/views", view).await;
    let path = format!("/api/views/{}", view["id"].as_str().unwrap());
    call(&app, &mut browser, Method::PATCH, &path, json!({ "name": "Renamed" })).await;
    call(&app, &mut browser, Method::DELETE, &path, Value::Null).await;
    let private = json!({ "name": "Private", "query": "", "shared": false });
    assert_eq!(call(&app, &mut browser, Method::POST, "/api/views", private).await.0, 201);
    for paused in [true, true, false] {
        assert_eq!(call(&app, &mut browser, Method::POST, "/api/sync", json!({ "paused": paused })).await.0, 200);
    }
    let log = "{\"seq\":1,\"type\":\"result\",\"data\":{\"text\":\"x\"}}\n";
    browser.send_parts("/import", &[("text", log)], &[], "text/html").await;
    assert_eq!(call(&app, &mut browser, Method::DELETE, &format!("/api/runs/{run_id}"), Value::Null).await.0, 200);
    browser.request(Method::POST, app.url("/auth/sign-out"), &[]).await;

    let mut browser = app.signed_in(DEMO).await;
    let all = entries(&app, &mut browser).await;
    let expected = [
        "sign_in",
        "sign_out",
        "delete_run",
        "import",
        "resume_sync",
        "pause_sync",
        "delete_shared_view",
        "change_shared_view",
        "share_view",
        "cancel",
        "launch",
        "export_with_secrets",
        "answer",
        "launch",
        "sign_in",
    ];
    assert_eq!(actions(&all), expected);
    for entry in &all {
        assert_eq!((&entry["actor"], &entry["address"]), (&json!("owner@demo.test"), &json!("127.0.0.1")), "{entry}");
        assert!(entry["atMs"].as_i64().unwrap() > 1_700_000_000_000, "{entry}");
    }
    assert_eq!(all.iter().find(|entry| entry["action"] == "answer").unwrap()["target"], json!(run_id));
    let text = serde_json::to_string(&all).unwrap();
    for secret in [secret, "the text of an answer", "hidden-customer", "Hidden", "/say", "mantyx_"] {
        assert!(!text.contains(secret), "{secret}: {text}");
    }
    // Nothing of it is shown to another workspace.
    let mut other = app.signed_in(OTHER).await;
    assert_eq!(actions(&entries(&app, &mut other).await), ["sign_in"]);
}

#[tokio::test]
async fn the_log_is_read_page_by_page() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    for paused in [true, false, true] {
        call(&app, &mut browser, Method::POST, "/api/sync", json!({ "paused": paused })).await;
    }
    let mut seen = Vec::new();
    let mut path = "/api/audit?limit=3".to_owned();
    for _ in 0..2 {
        let (_, page) = call(&app, &mut browser, Method::GET, &path, Value::Null).await;
        seen.extend(actions(page["entries"].as_array().unwrap()).into_iter().map(str::to_owned));
        path = format!("/api/audit?limit=3&cursor={}", page["nextCursor"].as_str().unwrap_or_default());
    }
    assert_eq!(seen, ["pause_sync", "resume_sync", "pause_sync", "sign_in"]);
    for wrong in ["limit=0", "limit=201", "cursor=x"] {
        assert_eq!(call(&app, &mut browser, Method::GET, &format!("/api/audit?{wrong}"), Value::Null).await.0, 400);
    }
}

#[tokio::test]
async fn the_address_of_a_client_comes_from_a_trusted_proxy_only() {
    for (proxies, expected) in [("", "127.0.0.1"), ("127.0.0.1", "203.0.113.9")] {
        let app = TestApp::start_with(|config| config.trusted_proxies = proxies.parse().unwrap()).await;
        let request = app.http.post(app.url("/api/sync")).bearer_auth(api_key(DEMO)).json(&json!({ "paused": true }));
        assert_eq!(request.header("x-forwarded-for", "203.0.113.9").send().await.unwrap().status(), 200);
        let all = entries(&app, &mut app.signed_in(DEMO).await).await;
        let paused = all.iter().find(|entry| entry["action"] == "pause_sync").unwrap();
        assert_eq!(paused["address"], json!(expected), "{paused}");
    }
}

#[tokio::test]
async fn old_entries_are_deleted() {
    let mut app = TestApp::start_apart(|_| {}).await;
    app.signed_in(DEMO).await;
    let database = app.database.connect().await;
    sqlx::query("UPDATE audit_entry SET at = 1000").execute(&database).await.unwrap();
    app.restart(|_| {}).await;
    crate::harness::eventually("the entry is deleted", async || {
        let left: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM audit_entry").fetch_one(&database).await.unwrap();
        (left == 0).then_some(())
    })
    .await;
}

#[tokio::test]
async fn only_administrators_change_what_is_shared() {
    let app = TestApp::start_with(|config| config.admins = Admins::new("owner@other.test")).await;
    let mut demo = app.signed_in(DEMO).await;
    let mut admin = app.signed_in(OTHER).await;
    let metadata = json!({ "metadata": { "key": "customer", "value": "acme" } });
    let requests = [
        (Method::GET, "/api/audit", Value::Null),
        (Method::POST, "/api/sync", json!({ "paused": true })),
        (Method::POST, "/api/erase", metadata),
    ];
    for (method, path, body) in requests {
        let (status, answer) = call(&app, &mut demo, method.clone(), path, body.clone()).await;
        assert_eq!((status, &answer["error"]), (403, &json!("forbidden")), "{path}: {answer}");
        assert!(answer["message"].as_str().unwrap().contains("administrator"), "{answer}");
        assert_eq!(call(&app, &mut admin, method, path, body).await.0, 200, "{path}");
    }
    assert_eq!(demo.call("pause-sync", &[("paused", "true")]).await.0, 403);
    // Nor do they delete anything for good.
    let run = app.finished_run(DEMO, "/say hello", json!({})).await;
    assert_eq!(demo.open(&format!("/runs/{run}")).await.status, 200);
    let path = format!("/api/runs/{run}");
    assert_eq!(call(&app, &mut demo, Method::DELETE, &path, Value::Null).await.0, 403);
    assert_eq!(demo.request(Method::POST, app.url(&format!("/runs/{run}/delete")), &[]).await.status, 403);
    let page = demo.open(&format!("/runs/{run}/delete")).await;
    assert!(page.body.contains("administrator"), "{}", page.body);
    assert_eq!(demo.open(&path).await.status, 200, "the run is still there");
    let run = app.finished_run(OTHER, "/say hello", json!({})).await;
    assert_eq!(admin.open(&format!("/runs/{run}")).await.status, 200);
    let path = format!("/api/runs/{run}");
    assert_eq!(call(&app, &mut admin, Method::DELETE, &path, Value::Null).await.0, 200);
    // A key for which MANTYX tells no person is nobody whom the list names.
    let request = app.http.get(app.url("/api/audit")).bearer_auth(api_key(OTHER));
    assert_eq!(request.send().await.unwrap().status(), 403);
    // Everyone else reads and launches as before.
    assert_eq!(demo.open("/runs").await.status, 200);
    let spec = json!({ "systemPrompt": "You help.", "modelId": "sandbox/script", "prompt": "/say hello" });
    demo.launch(&spec).await;
}

/// Makes a colleague the owner of all views.
async fn give_views_to_a_colleague(app: &TestApp) {
    let database = app.database.connect().await;
    sqlx::query("UPDATE saved_view SET owner = 'a colleague'").execute(&database).await.unwrap();
}

#[tokio::test]
async fn an_administrator_changes_shared_views_of_others_and_only_those() {
    for (admins, status) in [("owner@demo.test", 200), ("", 403)] {
        let app = TestApp::start_with(|config| config.admins = Admins::new(admins)).await;
        let mut browser = app.signed_in(DEMO).await;
        let mut ids = Vec::new();
        for shared in [true, false] {
            let view = json!({ "name": format!("View {shared}"), "query": "", "shared": shared });
            let (_, view) = call(&app, &mut browser, Method::POST, "/api/views", view).await;
            ids.push(view["id"].as_str().unwrap().to_owned());
        }
        give_views_to_a_colleague(&app).await;
        let path = |index: usize| format!("/api/views/{}", ids[index]);
        let rename = json!({ "name": "Renamed" });
        assert_eq!(call(&app, &mut browser, Method::PATCH, &path(0), rename.clone()).await.0, status, "{admins}");
        assert_eq!(call(&app, &mut browser, Method::PATCH, &path(1), rename).await.0, 404, "{admins}");
        assert_eq!(call(&app, &mut browser, Method::DELETE, &path(1), Value::Null).await.0, 404, "{admins}");
        let deleted = call(&app, &mut browser, Method::DELETE, &path(0), Value::Null).await.0;
        assert_eq!(deleted, if status == 200 { 204 } else { 404 }, "{admins}");
    }
}

#[tokio::test]
async fn templates_that_the_workspace_sees_are_in_the_log() {
    let (app, mut browser) = TestApp::start().await.with_browser().await;
    let spec = json!({ "systemPrompt": "You help.", "modelId": "sandbox/script", "prompt": "/say hidden" });
    let page = browser.launch_page("").await;
    let page = browser.change_launch_form(&page, &[("json", &spec.to_string())]).await;
    for shared in ["", "true"] {
        let fields = [("template.name", "Hidden"), ("template.shared", shared), ("action", "save-template")];
        browser.send_launch_form(&page, &fields).await;
    }
    let database = app.database.connect().await;
    let id: String =
        sqlx::query_scalar("SELECT id FROM launch_template WHERE shared = 1").fetch_one(&database).await.unwrap();
    let (update, delete) = (format!("update-template:{id}"), format!("confirm-delete:{id}"));
    let fields = [("template.name", "Hidden"), ("template.shared", "true"), ("action", &update)];
    browser.send_launch_form(&page, &fields).await;
    browser.send_launch_form(&page, &[("action", &delete)]).await;
    let all = entries(&app, &mut browser).await;
    assert_eq!(actions(&all), ["delete_shared_template", "change_shared_template", "share_template", "sign_in"]);
    assert!(all[..3].iter().all(|entry| entry["target"] == id.as_str()), "{all:?}");
    assert!(!serde_json::to_string(&all).unwrap().contains("idden"));
}
