//! Clients that disconnect at any moment of a request that changes something: either nothing happens, or all of it.

use std::time::Duration;

use serde_json::{Value, json};
use sqlx::Row;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::harness::{Browser, DEMO, TestApp, Unsteady, api_key};

const ROUNDS: usize = 3;
const FORM: &str = "application/x-www-form-urlencoded";
const LOG: &str = "{\"seq\":1,\"type\":\"assistant_message\",\"data\":{\"text\":\"Hi.\"}}\n\
                   {\"seq\":2,\"type\":\"result\",\"data\":{\"text\":\"Hi.\"}}\n";

/// A generator whose numbers are the same in each test run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// A tab that is closed while it sends a request.
struct Tab<'a> {
    app: &'a TestApp,
    cookies: String,
    numbers: &'a mut Numbers,
}

impl Tab<'_> {
    /// Sends a request and disconnects: in one of three rounds within the request, otherwise some milliseconds after it.
    async fn close_during(&mut self, method: &str, path: &str, content_type: &str, body: &str) {
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nOrigin: http://{}\r\nCookie: {}\r\nContent-Type: {content_type}\r\n\
             Content-Length: {}\r\n\r\n{body}",
            self.app.running.addr,
            self.app.running.addr,
            self.cookies,
            body.len()
        );
        let length = request.len() as u64;
        let sent = if self.numbers.below(3) == 0 { self.numbers.below(length) } else { length };
        let mut stream = TcpStream::connect(self.app.running.addr).await.unwrap();
        stream.write_all(&request.as_bytes()[..sent as usize]).await.unwrap();
        tokio::time::sleep(Duration::from_millis(self.numbers.below(60))).await;
    }
}

fn cookies(browser: &Browser) -> String {
    let pairs = browser.cookies.iter().map(|(name, value)| format!("{name}={value}"));
    pairs.collect::<Vec<_>>().join("; ")
}

fn form(fields: &[(&str, &str)]) -> String {
    url::form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish()
}

async fn slow_app() -> TestApp {
    // Answers of MANTYX take a while, so that clients disconnect while the server waits for them.
    TestApp::start_apart(|config| drop(Unsteady::slow(config, Duration::from_millis(50)))).await
}

async fn open_session(app: &TestApp) -> String {
    let spec = json!({ "systemPrompt": "You help.", "modelId": "sandbox/script", "name": "desk" });
    let url = format!("{}/api/v1/workspaces/{DEMO}/agent-sessions", app.sandbox_url());
    let answer = app.http.post(url).bearer_auth(api_key(DEMO)).json(&spec).send().await.unwrap();
    answer.json::<Value>().await.unwrap()["sessionId"].as_str().unwrap().to_owned()
}

/// Stops the server, which finishes what it has begun.
async fn stop(app: TestApp) -> (sqlx::AnyPool, sqlx::SqlitePool, tempfile::TempDir, sandbox::Sandbox) {
    let (database, sandbox) = (app.database.connect().await, app.sandbox_database().await);
    app.running.stop().await.unwrap();
    (database, sandbox, app.dir, app.sandbox.unwrap())
}

#[tokio::test]
async fn a_closed_tab_leaves_no_change_of_a_run_or_a_session_half_done() {
    let app = slow_app().await;
    let mut browser = app.signed_in(DEMO).await;
    let mut numbers = Numbers(7);
    let mut tab = Tab { app: &app, cookies: cookies(&browser), numbers: &mut numbers };
    for _ in 0..ROUNDS {
        let run = app.finished_run(DEMO, "/say hi", json!({})).await;
        assert_eq!(browser.open(&format!("/runs/{run}")).await.status, 200);
        tab.close_during("POST", "/rpc/give-feedback", FORM, &form(&[("id", &run), ("thumb", "UP")])).await;
        let session = open_session(&app).await;
        let message = form(&[("id", &session), ("text", "/say hello")]);
        tab.close_during("POST", "/rpc/send-message", FORM, &message).await;
        let session = open_session(&app).await;
        tab.close_during("POST", "/rpc/end-session", FORM, &form(&[("id", &session)])).await;
        let run = app.start_run(DEMO, "/sleep 60000", json!({})).await;
        tab.close_during("POST", "/rpc/cancel-run", FORM, &form(&[("id", &run)])).await;
        tab.close_during("POST", "/api/import?name=a.ndjson", "application/x-ndjson", LOG).await;
        let multipart = format!(
            "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.ndjson\"\r\n\r\n{LOG}\r\n--b--\r\n"
        );
        tab.close_during("POST", "/import", "multipart/form-data; boundary=b", &multipart).await;
        tab.close_during("POST", "/api/import/batch", "multipart/form-data; boundary=b", &multipart).await;
        for path in ["/api/runs", "/runs"] {
            let run = app.finished_run(DEMO, "/say hi", json!({})).await;
            assert_eq!(browser.open(&format!("/runs/{run}")).await.status, 200);
            let session = open_session(&app).await;
            assert_eq!(browser.open(&format!("/sessions/{session}")).await.status, 200);
            let (method, run_path, session_path) = match path {
                "/runs" => ("POST", format!("/runs/{run}/delete"), format!("/sessions/{session}/delete")),
                _ => ("DELETE", format!("/api/runs/{run}"), format!("/api/sessions/{session}")),
            };
            tab.close_during(method, &run_path, FORM, "").await;
            tab.close_during(method, &session_path, FORM, "").await;
        }
    }
    let (database, sandbox, _dir, _mantyx) = stop(app).await;
    // Feedback that MANTYX has is stored here.
    for row in sqlx::query("SELECT run_id FROM feedback").fetch_all(&sandbox).await.unwrap() {
        let run: String = row.get(0);
        let query = "SELECT COUNT(*) FROM run_feedback WHERE sent = 1 AND run_id = $1";
        let stored: i64 = sqlx::query_scalar(query).bind(&run).fetch_one(&database).await.unwrap();
        assert_eq!(stored, 1, "feedback on {run}");
    }
    // A message that MANTYX has is known here as launched by its sender, and its run is stored.
    for row in sqlx::query("SELECT id FROM runs WHERE session_id IS NOT NULL").fetch_all(&sandbox).await.unwrap() {
        let run: String = row.get(0);
        for query in ["SELECT COUNT(*) FROM launch WHERE run_id = $1", "SELECT COUNT(*) FROM run WHERE id = $1"] {
            let stored: i64 = sqlx::query_scalar(query).bind(&run).fetch_one(&database).await.unwrap();
            assert_eq!(stored, 1, "{query}: {run}");
        }
    }
    // An imported run has an end, a report and whatever came of its file.
    let query = "SELECT COUNT(*) FROM run WHERE id IN (SELECT run_id FROM run_import) AND status = 'running'";
    let unfinished: i64 = sqlx::query_scalar(query).fetch_one(&database).await.unwrap();
    assert_eq!(unfinished, 0, "imports without an end");
    // What was deleted according to the audit log is gone as a whole.
    for (table, action) in [("run", "delete_run"), ("session", "delete_session")] {
        let query = format!(
            "SELECT COUNT(*) FROM {table} WHERE id IN (SELECT target FROM audit_entry WHERE action = '{action}')"
        );
        let left: i64 = sqlx::query_scalar(sqlx::AssertSqlSafe(query)).fetch_one(&database).await.unwrap();
        assert_eq!(left, 0, "{action}");
    }
    let pending: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM pending_erasure").fetch_one(&database).await.unwrap();
    assert_eq!(pending, 0, "erasures without an end");
}

#[tokio::test]
async fn a_closed_tab_leaves_no_view_and_no_setting_half_changed() {
    let app = slow_app().await;
    let mut browser = app.signed_in(DEMO).await;
    let mut numbers = Numbers(11);
    let mut tab = Tab { app: &app, cookies: cookies(&browser), numbers: &mut numbers };
    const JSON: &str = "application/json";
    for round in 0..ROUNDS {
        let name = |what: &str| format!("{what} {round}");
        let create = [("list", "runs"), ("name", &name("kept")), ("query", "status:failed"), ("shared", "true")];
        assert_eq!(browser.call("create-view", &create).await.0, 200);
        let views: Value = serde_json::from_str(&browser.open("/api/views").await.body).unwrap();
        let id =
            views.as_array().unwrap().iter().find(|view| view["name"] == name("kept").as_str()).unwrap()["id"].clone();
        let id = id.as_str().unwrap();
        let change = json!({ "list": "runs", "name": name("changed"), "query": "env:prod" }).to_string();
        tab.close_during("PATCH", &format!("/api/views/{id}"), JSON, &change).await;
        let choice = json!({ "id": id, "list": "runs" }).to_string();
        tab.close_during("PUT", "/api/default-view", JSON, &choice).await;
        tab.close_during("POST", "/rpc/set-default-view", FORM, &form(&[("list", "runs"), ("id", id)])).await;
        let new = json!({ "list": "runs", "name": name("new"), "query": "env:prod" }).to_string();
        tab.close_during("POST", "/api/views", JSON, &new).await;
        let new = form(&[("list", "runs"), ("name", &name("newer")), ("query", "env:prod")]);
        tab.close_during("POST", "/rpc/create-view", FORM, &new).await;
        let change = form(&[("list", "runs"), ("id", id), ("name", &name("changed")), ("query", "env:prod")]);
        tab.close_during("POST", "/rpc/change-view", FORM, &change).await;
        tab.close_during("POST", "/rpc/pause-sync", FORM, "paused=true").await;
        tab.close_during("POST", "/api/sync", JSON, "{\"paused\":false}").await;
        tab.close_during("POST", "/preferences", FORM, "theme=dark").await;
        tab.close_during("DELETE", &format!("/api/views/{id}"), JSON, "").await;
        tab.close_during("POST", "/rpc/delete-view", FORM, &form(&[("id", id)])).await;
    }
    let (database, _, _dir, _mantyx) = stop(app).await;
    let views = sqlx::query("SELECT name, query FROM saved_view").fetch_all(&database).await.unwrap();
    for row in views {
        let (name, query): (String, String) = (row.get(0), row.get(1));
        let expected = if name.starts_with("kept") { "status:failed" } else { "env:prod" };
        assert_eq!(query, expected, "{name}");
    }
}

#[tokio::test]
async fn a_closed_tab_leaves_no_sign_in_and_no_sign_out_half_done() {
    let app = slow_app().await;
    let mut numbers = Numbers(13);
    for _ in 0..2 * ROUNDS {
        let mut browser = app.browser();
        let consent = browser.open_consent_page("/runs").await;
        let callback = browser.decide(&consent, DEMO, "approve").await;
        let path = format!("{}?{}", callback.path(), callback.query().unwrap());
        let mut tab = Tab { app: &app, cookies: cookies(&browser), numbers: &mut numbers };
        tab.close_during("GET", &path, FORM, "").await;
        let browser = app.signed_in(DEMO).await;
        let mut tab = Tab { app: &app, cookies: cookies(&browser), numbers: &mut numbers };
        tab.close_during("POST", "/auth/sign-out", FORM, "").await;
    }
    let browser = app.signed_in(DEMO).await;
    let mut tab = Tab { app: &app, cookies: cookies(&browser), numbers: &mut numbers };
    tab.close_during("POST", "/auth/sign-out-everywhere", FORM, "").await;
    let (database, sandbox, _dir, _mantyx) = stop(app).await;
    // Each consent that MANTYX has belongs to a session here, or is about to be revoked.
    let count = async |query: &'static str| -> i64 { sqlx::query_scalar(query).fetch_one(&database).await.unwrap() };
    let granted: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM refresh_tokens").fetch_one(&sandbox).await.unwrap();
    let (kept, revoked) =
        (count("SELECT COUNT(*) FROM oauth_grant").await, count("SELECT COUNT(*) FROM token_revocation").await);
    assert_eq!(granted, kept + revoked, "{kept} kept, {revoked} to be revoked");
    assert_eq!(count("SELECT COUNT(*) FROM web_session WHERE grant_id IN (SELECT id FROM oauth_grant)").await, kept);
    assert_eq!(count("SELECT COUNT(*) FROM web_session").await, kept);
}
