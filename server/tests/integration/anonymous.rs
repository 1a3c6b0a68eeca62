//! Clients that are not signed in: nothing but one small form is stored for them, and not often.

use reqwest::Method;

use crate::harness::{Answer, Browser, DEMO, TestApp};

async fn stored(app: &TestApp) -> (i64, i64) {
    let database = app.database.connect().await;
    let query = "SELECT COUNT(*), CAST(COALESCE(SUM(LENGTH(record)), 0) AS BIGINT) FROM web_session";
    sqlx::query_as(query).fetch_one(&database).await.unwrap()
}

/// Sends a plain form to a server function.
async fn send_plain(app: &TestApp, browser: &mut Browser, function: &str, body: String) -> Answer {
    let url = app.url(&format!("/rpc/{function}"));
    let request = app.http.post(url.clone()).header("origin", url.origin().ascii_serialization());
    let request = request.header("referer", app.url("/runs").as_str());
    let request = request.header("content-type", "application/x-www-form-urlencoded").header("accept", "text/html");
    browser.send(request.body(body), url).await
}

async fn stash(browser: &mut Browser, bytes: usize) -> Answer {
    browser.send_parts("/launch", &[("json", &"x".repeat(bytes))], &[], "text/html").await
}

#[tokio::test]
async fn a_refused_form_is_not_stored_before_the_sign_in() {
    let app = TestApp::start().await;
    let texts = format!("text={}", "x".repeat(90_000));
    let form = [texts.as_str(); 30].join("&");
    for function in ["create-view", "sign-in-info", "no-such-function", "send-message"] {
        let mut browser = app.browser();
        let answer = send_plain(&app, &mut browser, function, form.clone()).await;
        assert!(!answer.headers.contains_key("set-cookie"), "{function}: {:?}", answer.headers);
    }
    assert_eq!(stored(&app).await, (0, 0));
}

#[tokio::test]
async fn a_refused_form_of_a_signed_in_user_is_limited_as_a_whole() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let text = "x".repeat(90_000);
    let form = format!("list=nowhere&{}", [format!("text={text}").as_str(); 20].join("&"));
    assert_eq!(send_plain(&app, &mut browser, "create-view", form).await.status, 303);
    let (_, bytes) = stored(&app).await;
    assert!((90_000..200_000).contains(&bytes), "{bytes}");
}

#[tokio::test]
async fn pages_and_the_start_of_a_sign_in_store_nothing() {
    let app = TestApp::start().await;
    let mut browser = app.browser();
    browser.open_consent_page("/runs?q=a").await;
    assert!(!browser.cookies.contains_key("runlens_session"), "{:?}", browser.cookies);
    assert_eq!(stored(&app).await, (0, 0));
}

#[tokio::test]
async fn a_launch_form_is_kept_for_half_an_hour_if_it_is_small() {
    let app = TestApp::start().await;
    let mut browser = app.browser();
    assert_eq!(stash(&mut browser, 65 * 1024).await.status, 409);
    assert_eq!(stored(&app).await, (0, 0));
    for _ in 0..3 {
        assert_eq!(stash(&mut browser, 60 * 1024).await.status, 303);
    }
    let (sessions, bytes) = stored(&app).await;
    assert!(sessions == 1 && bytes < 70_000, "{sessions} {bytes}");
    let database = app.database.connect().await;
    let expires: i64 = sqlx::query_scalar("SELECT expires_at FROM web_session").fetch_one(&database).await.unwrap();
    assert!(expires <= chrono::Utc::now().timestamp_millis() + 30 * 60_000, "{expires}");
}

#[tokio::test]
async fn all_anonymous_clients_together_are_limited() {
    let app = TestApp::start_with(|config| config.limits.anonymous_bytes = 150_000).await;
    let mut statuses = Vec::new();
    for _ in 0..4 {
        statuses.push(stash(&mut app.browser(), 60 * 1024).await.status);
    }
    assert_eq!(statuses, [303, 303, 409, 409]);
    // A sign-in does not need this room.
    app.signed_in(DEMO).await;
}

#[tokio::test]
async fn too_many_forms_without_a_sign_in_are_refused_with_the_time_to_wait() {
    let app = TestApp::start_with(|config| config.limits.anonymous_writes_per_minute = 3).await;
    // Sign-ins do not count.
    let mut browser = app.signed_in(DEMO).await;
    for _ in 0..3 {
        assert_eq!(stash(&mut app.browser(), 10).await.status, 303);
    }
    let refused = stash(&mut app.browser(), 10).await;
    assert_eq!(refused.status, 429);
    let wait: u64 = refused.headers["retry-after"].to_str().unwrap().parse().unwrap();
    assert!((1..=61).contains(&wait), "{wait}");
    // Those who are signed in do not count.
    for _ in 0..5 {
        let answer = browser.request(Method::POST, app.url("/preferences"), &[("theme", "dark")]).await;
        assert_eq!(answer.status, 303);
    }
}
