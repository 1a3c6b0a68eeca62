//! Consents that end: withdrawn at MANTYX, or by a sign-out, while pages and streams are open and answers are due.

use std::time::Duration;

use reqwest::Method;
use serde_json::json;

use crate::harness::{Browser, DEMO, TestApp, eventually};

async fn withdraw_all(app: &TestApp) {
    let sandbox = app.sandbox_database().await;
    for table in ["access_tokens", "refresh_tokens"] {
        let delete = sqlx::AssertSqlSafe(format!("DELETE FROM {table}"));
        sqlx::query(delete).execute(&sandbox).await.unwrap();
    }
}

async fn count(app: &TestApp, table: &str) -> i64 {
    let count = sqlx::AssertSqlSafe(format!("SELECT COUNT(*) FROM {table}"));
    sqlx::query_scalar(count).fetch_one(&app.database.connect().await).await.unwrap()
}

/// Opens the stream of a run and waits for its first bytes.
async fn watch(app: &TestApp, browser: &Browser, id: &str) -> reqwest::Response {
    let session = format!("runlens_session={}", browser.cookies["runlens_session"]);
    let request = app.http.get(app.url(&format!("/runs/{id}/live"))).header("cookie", session);
    let mut response = request.send().await.unwrap();
    assert_eq!(response.status(), 200);
    response.chunk().await.unwrap().expect("what is in the log");
    response
}

/// Reads a stream to its end.
async fn read_to_end(response: &mut reqwest::Response) -> String {
    let mut text = String::new();
    let read = async {
        while let Some(bytes) = response.chunk().await.unwrap() {
            text += &String::from_utf8_lossy(&bytes);
        }
    };
    tokio::time::timeout(Duration::from_secs(60), read).await.expect("the stream ends within a minute");
    text
}

const WAITING: &str = "/say One moment.\n/call approve {}\n/say And the rest.";

async fn waiting_run(app: &TestApp) -> (String, String) {
    let id = app.start_run(DEMO, WAITING, json!({ "tools": [{ "kind": "local", "name": "approve" }] })).await;
    let call = app.pending_call(DEMO, &id).await;
    (id, call)
}

#[tokio::test]
async fn a_withdrawn_consent_ends_its_sessions_without_a_request_to_mantyx_by_the_page() {
    let app = TestApp::start_with(|config| config.limits.recheck_after = Duration::ZERO).await;
    let id = app.finished_run(DEMO, "/say hello", json!({})).await;
    let mut browser = app.signed_in(DEMO).await;
    assert_eq!(browser.open(&format!("/runs/{id}")).await.status, 200);
    withdraw_all(&app).await;
    // An ended run is shown from the store: MANTYX is not asked for it.
    assert_eq!(browser.open(&format!("/runs/{id}")).await.url.path(), "/sign-in");
    assert_eq!(browser.open("/api/facets").await.status, 401);
    assert_eq!((count(&app, "oauth_grant").await, count(&app, "web_session").await), (0, 0));
}

#[tokio::test]
async fn a_consent_whose_new_token_is_rejected_ends() {
    let app = TestApp::start_with(|config| config.limits.recheck_after = Duration::ZERO).await;
    let mut browser = app.signed_in(DEMO).await;
    let sandbox = app.sandbox_database().await;
    // A refresh succeeds, and its token is not accepted.
    let reject = "CREATE TRIGGER reject AFTER INSERT ON access_tokens BEGIN DELETE FROM access_tokens; END";
    sqlx::query(reject).execute(&sandbox).await.unwrap();
    sqlx::query("DELETE FROM access_tokens").execute(&sandbox).await.unwrap();
    assert_eq!(browser.open("/api/facets").await.status, 401);
    assert_eq!((count(&app, "oauth_grant").await, count(&app, "web_session").await), (0, 0));
}

#[tokio::test]
async fn a_consent_is_rechecked_once_for_many_requests() {
    let app = TestApp::start().await;
    // The sign-in was a moment ago, so facets are read without asking MANTYX. A round of the background sync may come
    // between and find out by itself.
    eventually("three answers after the consent was withdrawn", async || {
        let mut browser = app.signed_in(DEMO).await;
        withdraw_all(&app).await;
        for _ in 0..3 {
            if browser.open("/api/facets").await.status != 200 {
                return None;
            }
        }
        Some(())
    })
    .await;
}

#[tokio::test]
async fn stored_runs_are_shown_while_mantyx_cannot_be_reached() {
    let mut app = TestApp::start_apart(|config| config.limits.recheck_after = Duration::ZERO).await;
    let id = app.finished_run(DEMO, "/say hello", json!({})).await;
    let mut browser = app.signed_in(DEMO).await;
    assert_eq!(browser.open(&format!("/runs/{id}")).await.status, 200);
    app.sandbox.take().unwrap().shutdown().await;
    assert_eq!(browser.open(&format!("/runs/{id}")).await.status, 200);
    assert_eq!(count(&app, "oauth_grant").await, 1);
}

#[tokio::test]
async fn a_stream_ends_with_its_session() {
    let app = TestApp::start().await;
    let (id, _) = waiting_run(&app).await;
    // The server continues to follow the run with another user's consent.
    app.signed_in(DEMO).await;
    let mut browser = app.signed_in(DEMO).await;
    let mut stream = watch(&app, &browser, &id).await;
    browser.request(Method::POST, app.url("/auth/sign-out"), &[]).await;
    assert!(read_to_end(&mut stream).await.contains("event: end"));
}

#[tokio::test]
async fn a_stream_ends_when_its_session_expires_or_its_consent_is_withdrawn() {
    let app = TestApp::start_with(|config| config.limits.recheck_after = Duration::ZERO).await;
    let (id, _) = waiting_run(&app).await;
    let browser = app.signed_in(DEMO).await;
    let mut stream = watch(&app, &browser, &id).await;
    let database = app.database.connect().await;
    sqlx::query("UPDATE web_session SET expires_at = 1").execute(&database).await.unwrap();
    assert!(read_to_end(&mut stream).await.contains("event: end"));
    let browser = app.signed_in(DEMO).await;
    let mut stream = watch(&app, &browser, &id).await;
    withdraw_all(&app).await;
    assert!(read_to_end(&mut stream).await.contains("event: end"));
}

#[tokio::test]
async fn a_stream_ends_at_the_limits_of_its_session() {
    let app = TestApp::start().await;
    let (id, _) = waiting_run(&app).await;
    let mut streams = Vec::new();
    for _ in 0..2 {
        let browser = app.signed_in(DEMO).await;
        streams.push(watch(&app, &browser, &id).await);
    }
    let database = app.database.connect().await;
    // Not used for 14 days, and signed in 90 days ago.
    let idle = "UPDATE web_session SET used_at = used_at - $1 WHERE id = (SELECT MIN(id) FROM web_session)";
    sqlx::query(idle).bind(14 * 86_400_000_i64).execute(&database).await.unwrap();
    let old = "UPDATE oauth_grant SET created_at = created_at - $1 WHERE id = (SELECT grant_id FROM web_session \
               WHERE id = (SELECT MAX(id) FROM web_session))";
    sqlx::query(old).bind(90 * 86_400_000_i64).execute(&database).await.unwrap();
    for mut stream in streams {
        assert!(read_to_end(&mut stream).await.contains("event: end"));
    }
}

#[tokio::test]
async fn a_stream_ends_with_a_sign_out_at_another_process() {
    let app = TestApp::start_apart(|_| {}).await;
    let second = app.second_process(|_| {}).await;
    let (id, _) = waiting_run(&app).await;
    app.signed_in(DEMO).await;
    let browser = app.signed_in(DEMO).await;
    let mut stream = watch(&app, &browser, &id).await;
    let mut elsewhere = Browser::new(app.http.clone(), format!("http://{}/", second.addr).parse().unwrap());
    elsewhere.cookies = browser.cookies.clone();
    let sign_out = elsewhere.url("/auth/sign-out");
    elsewhere.request(Method::POST, sign_out, &[]).await;
    assert!(read_to_end(&mut stream).await.contains("event: end"));
}

#[tokio::test]
async fn the_sign_out_of_one_viewer_does_not_end_the_stream_of_another() {
    let app = TestApp::start().await;
    let (id, call) = waiting_run(&app).await;
    let mut first = app.signed_in(DEMO).await;
    let second = app.signed_in(DEMO).await;
    let mut ends = watch(&app, &first, &id).await;
    let mut stays = watch(&app, &second, &id).await;
    first.request(Method::POST, app.url("/auth/sign-out"), &[]).await;
    read_to_end(&mut ends).await;
    app.answer_tool(DEMO, &id, &call, "yes").await;
    let rest = read_to_end(&mut stays).await;
    assert!(rest.contains("rest.") && rest.contains("event: end"), "{rest}");
}

/// Launches a run whose tool gets a canned reply after a while.
async fn launch_canned(browser: &mut Browser, delay_ms: u64) -> String {
    let spec = json!({
        "name": "test", "systemPrompt": "You help.", "modelId": "sandbox/script",
        "prompt": "/call approve {}\n/say ok", "tools": [{ "kind": "local", "name": "approve" }],
    });
    let answer = json!({ "by": "canned", "text": "granted", "delayMs": delay_ms });
    browser.launch_answered(&spec, &json!({ "approve": answer })).await
}

/// Signs in again in another browser, and allows only some scopes.
async fn sign_in_with(app: &TestApp, scopes: &[&str]) -> Browser {
    let mut browser = app.browser();
    let consent = browser.open_consent_page("/runs").await;
    let callback = browser.approve_only(&consent, DEMO, scopes).await;
    browser.follow(callback).await;
    browser
}

#[tokio::test]
async fn a_second_sign_in_with_fewer_scopes_does_not_stop_the_answers() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    sign_in_with(&app, &["runs:read"]).await;
    let id = launch_canned(&mut browser, 0).await;
    let log = app.sandbox_stream(DEMO, &id).await;
    assert!(log.contains("granted"), "{log}");
}

#[tokio::test]
async fn a_missing_scope_is_named_and_the_answer_is_sent_once_there_is_a_consent_for_it() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let id = launch_canned(&mut browser, 600).await;
    browser.request(Method::POST, app.url("/auth/sign-out"), &[]).await;
    let mut reader = sign_in_with(&app, &["runs:read"]).await;
    eventually("the reason why no answer comes", async || {
        let page = reader.open(&format!("/runs/{id}")).await.body;
        assert!(!page.contains("The program that started this run"), "{page}");
        page.contains("does not include runs:write, so this server cannot send the answer").then_some(())
    })
    .await;
    for path in [format!("/api/runs/{id}"), format!("/api/runs/{id}/timeline")] {
        let body = reader.open(&path).await.body;
        assert!(body.contains("does not include runs:write, so this server cannot send the answer"), "{path}: {body}");
    }
    app.signed_in(DEMO).await;
    let log = app.sandbox_stream(DEMO, &id).await;
    assert!(log.contains("granted"), "{log}");
}
