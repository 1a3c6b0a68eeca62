//! Sign-in with all its failures, token refresh, and sign-out.

use reqwest::Method;
use sqlx::Row;

use crate::harness::{DEMO, TestApp, eventually, test_config};

#[tokio::test]
async fn returns_to_the_requested_page_with_a_new_session_id() {
    let app = TestApp::start().await;
    let mut browser = app.browser();
    let consent = browser.open_consent_page("/runs?q=customer:acme").await;
    // A session id that an attacker may know.
    let known = "AAAAAAAAAAAAAAAAAAAAAA".to_owned();
    browser.cookies.insert("runlens_session".to_owned(), known.clone());
    let callback = browser.decide(&consent, DEMO, "approve").await;
    let landed = browser.follow(callback).await;
    assert_eq!((landed.status, landed.url.path(), landed.url.query()), (200, "/runs", Some("q=customer:acme")));
    assert!(landed.body.contains("owner@demo.test"));
    assert_ne!(browser.cookies["runlens_session"], known);
}

#[tokio::test]
async fn cookies_are_http_only_and_lax() {
    let app = TestApp::start().await;
    let mut browser = app.browser();
    let answer = browser.request(Method::GET, app.url("/auth/start"), &[]).await;
    let cookie = answer.headers["set-cookie"].to_str().unwrap();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Lax"), "{cookie}");
    assert!(!cookie.contains("Secure"), "this dashboard is served over http: {cookie}");
}

#[tokio::test]
async fn cookies_are_secure_when_browsers_come_over_https() {
    let app = TestApp::start_with(|config| config.public_url = Some("https://runlens.test".parse().unwrap())).await;
    let answer = app.browser().request(Method::GET, app.url("/auth/start"), &[]).await;
    assert!(answer.headers["set-cookie"].to_str().unwrap().contains("Secure"));
    assert!(answer.headers.contains_key("strict-transport-security"));
    assert!(
        answer.headers["location"]
            .to_str()
            .unwrap()
            .contains("redirect_uri=https%3A%2F%2Frunlens.test%2Fauth%2Fcallback")
    );
}

#[tokio::test]
async fn a_denial_is_explained() {
    let app = TestApp::start().await;
    let mut browser = app.browser();
    let consent = browser.open_consent_page("/runs?q=customer:acme").await;
    let callback = browser.decide(&consent, DEMO, "deny").await;
    let answer = browser.follow(callback).await;
    assert_eq!(answer.status, 400);
    assert!(answer.body.contains("You denied access"), "{}", answer.body);
    // The next sign-in leads to the page that was asked for first.
    assert!(answer.body.contains("/sign-in?return_to=%2Fruns%3Fq%3Dcustomer:acme"), "{}", answer.body);
}

#[tokio::test]
async fn a_wrong_missing_or_reused_state_is_refused() {
    let app = TestApp::start().await;
    let mut browser = app.browser();
    let consent = browser.open_consent_page("/runs").await;
    let callback = browser.decide(&consent, DEMO, "approve").await;

    let mut stranger = app.browser();
    let answer = stranger.follow(callback.clone()).await;
    assert_eq!(answer.status, 400, "another browser's callback: {}", answer.body);

    let mut wrong = callback.clone();
    wrong.query_pairs_mut().clear().append_pair("code", "x").append_pair("state", "wrong");
    let answer = browser.follow(wrong).await;
    assert!(answer.status == 400 && answer.body.contains("does not belong to this browser"), "{}", answer.body);

    // A wrong state says nothing about the right one, which works once.
    assert_eq!(browser.follow(callback.clone()).await.status, 200);
    assert_eq!(browser.follow(callback).await.status, 400);
    assert_eq!(browser.open("/auth/callback").await.status, 400);
}

#[tokio::test]
async fn a_reused_code_is_explained() {
    let app = TestApp::start().await;
    let mut first = app.browser();
    let consent = first.open_consent_page("/runs").await;
    let callback = first.decide(&consent, DEMO, "approve").await;
    let code = callback.query_pairs().find(|(name, _)| name == "code").unwrap().1.into_owned();
    assert_eq!(first.follow(callback).await.status, 200);

    let mut second = app.browser();
    let consent = second.open_consent_page("/runs").await;
    let mut forged = second.decide(&consent, DEMO, "approve").await;
    let state = forged.query_pairs().find(|(name, _)| name == "state").unwrap().1.into_owned();
    forged.query_pairs_mut().clear().append_pair("code", &code).append_pair("state", &state);
    let answer = second.follow(forged).await;
    assert!(answer.status == 400 && answer.body.contains("expired or was already used"), "{}", answer.body);
}

#[tokio::test]
async fn an_unreachable_mantyx_is_explained() {
    let app = TestApp::start().await;
    let mut browser = app.browser();
    let consent = browser.open_consent_page("/runs").await;
    let mut callback = browser.decide(&consent, DEMO, "approve").await;
    // The server restarts with an unreachable MANTYX.
    let config = {
        let mut config = test_config(app.dir.path().to_owned(), app.database.url.clone());
        config.mantyx = runlens::config::MantyxConfig::Remote {
            url: "http://127.0.0.1:1".parse().unwrap(),
            client_id: "mantyx_oa_x".to_owned(),
            client_secret: "mantyx_oas_x".to_owned(),
        };
        config
    };
    app.running.stop().await.unwrap();
    let again = runlens::serve::start(config).await.unwrap();
    callback.set_port(Some(again.addr.port())).unwrap();
    let request = app.http.get(callback.clone());
    let mut moved = crate::harness::Browser::new(app.http.clone(), callback.join("/").unwrap());
    moved.cookies = browser.cookies;
    let answer = moved.send(request, callback).await;
    assert!(answer.status == 503 && answer.body.contains("MANTYX cannot be reached"), "{}", answer.body);
}

#[tokio::test]
async fn tokens_are_not_readable_in_the_database() {
    let app = TestApp::start().await;
    app.signed_in(DEMO).await;
    let database = app.database.connect().await;
    let grant = sqlx::query("SELECT access_token, refresh_token FROM oauth_grant").fetch_one(&database).await.unwrap();
    let session = sqlx::query("SELECT record FROM web_session").fetch_one(&database).await.unwrap();
    for sealed in [grant.get::<Vec<u8>, _>(0), grant.get(1), session.get(0)] {
        let text = String::from_utf8_lossy(&sealed).into_owned();
        assert!(!sealed.is_empty() && !text.contains("mantyx") && !text.contains("owner@"), "{text}");
    }
}

#[tokio::test]
async fn a_token_that_expires_soon_is_refreshed_before_use() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let database = app.database.connect().await;
    sqlx::query("UPDATE oauth_grant SET access_expires_at = 0").execute(&database).await.unwrap();
    let id = app.finished_run(DEMO, "/say hello", serde_json::json!({})).await;
    assert_eq!(browser.open(&format!("/runs/{id}")).await.status, 200);
    let expires: i64 =
        sqlx::query_scalar("SELECT access_expires_at FROM oauth_grant").fetch_one(&database).await.unwrap();
    assert!(expires > 0);
}

#[tokio::test]
async fn a_rejected_token_is_refreshed_once_for_concurrent_requests() {
    let app = TestApp::start().await;
    let browser = app.signed_in(DEMO).await;
    let sandbox = app.sandbox_database().await;
    sqlx::query("DELETE FROM access_tokens").execute(&sandbox).await.unwrap();
    let ids = [1, 2, 3, 4].map(|i| format!("/say {i}"));
    let mut opened = tokio::task::JoinSet::new();
    for script in ids {
        let id = app.finished_run(DEMO, &script, serde_json::json!({})).await;
        let mut tab = app.browser();
        tab.cookies = browser.cookies.clone();
        opened.spawn(async move { tab.open(&format!("/runs/{id}")).await.status });
    }
    assert_eq!(opened.join_all().await, [200; 4]);
    let tokens: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM access_tokens").fetch_one(&sandbox).await.unwrap();
    assert_eq!(tokens, 1, "one refresh served all four");
}

#[tokio::test]
async fn a_grant_revoked_at_mantyx_leads_to_the_sign_in() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let sandbox = app.sandbox_database().await;
    sqlx::query("DELETE FROM access_tokens").execute(&sandbox).await.unwrap();
    sqlx::query("DELETE FROM refresh_tokens").execute(&sandbox).await.unwrap();
    let answer = browser.open("/runs/run_unknown").await;
    // If the sync has already noticed it, the session has ended and the page redirects.
    if answer.url.path() != "/sign-in" {
        assert_eq!(answer.status, 401);
        assert!(answer.body.contains("You are signed out") && answer.body.contains("/sign-in"), "{}", answer.body);
    }
}

#[tokio::test]
async fn signing_out_ends_the_session_and_revokes_the_tokens() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let stolen = browser.cookies.clone();
    let answer = browser.request(Method::POST, app.url("/auth/sign-out"), &[]).await;
    assert_eq!(answer.headers["location"], "/sign-in");
    browser.cookies = stolen;
    assert_eq!(browser.open("/runs").await.url.path(), "/sign-in");
    let sandbox = app.sandbox_database().await;
    for table in ["access_tokens", "refresh_tokens"] {
        eventually("the revocation", async || {
            let live = sqlx::AssertSqlSafe(format!("SELECT COUNT(*) FROM {table}"));
            let live: i64 = sqlx::query_scalar(live).fetch_one(&sandbox).await.unwrap();
            (live == 0).then_some(())
        })
        .await;
    }
    let database = app.database.connect().await;
    let grants: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM oauth_grant").fetch_one(&database).await.unwrap();
    assert_eq!(grants, 0);
}

#[tokio::test]
async fn a_corrupt_cookie_is_no_session() {
    let app = TestApp::start().await;
    for value in ["", "x", "AAAAAAAAAAAAAAAAAAAAAA", "%00%ff", &"z".repeat(3000)] {
        let mut browser = app.browser();
        browser.cookies.insert("runlens_session".to_owned(), value.to_owned());
        let answer = browser.open("/runs").await;
        assert_eq!((answer.status, answer.url.path()), (200, "/sign-in"), "{value:?}");
    }
}

#[tokio::test]
async fn two_tabs_can_sign_in_at_once() {
    let app = TestApp::start().await;
    let mut browser = app.browser();
    let first = browser.open_consent_page("/runs?q=first").await;
    let second = browser.open_consent_page("/runs?q=second").await;
    for (consent, query) in [(second, "q=second"), (first, "q=first")] {
        let callback = browser.decide(&consent, DEMO, "approve").await;
        let landed = browser.follow(callback).await;
        assert_eq!((landed.status, landed.url.path(), landed.url.query()), (200, "/runs", Some(query)));
    }
    let database = app.database.connect().await;
    let grants: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM oauth_grant").fetch_one(&database).await.unwrap();
    assert_eq!(grants, 1, "the second sign-in replaces the first");
}

#[tokio::test]
async fn a_sign_out_is_local_first_and_the_tokens_are_revoked_when_mantyx_is_back() {
    let mut app = TestApp::start_apart(|_| {}).await;
    let mut browser = app.signed_in(DEMO).await;
    let stolen = browser.cookies.clone();
    let (addr, url) = (app.sandbox.as_ref().unwrap().addr(), app.url("/auth/callback").to_string());
    app.sandbox.take().unwrap().shutdown().await;
    assert_eq!(browser.request(Method::POST, app.url("/auth/sign-out"), &[]).await.headers["location"], "/sign-in");
    browser.cookies = stolen;
    assert_eq!(browser.open("/runs").await.url.path(), "/sign-in");
    let sandbox = app.sandbox_database().await;
    let tokens = async || -> i64 {
        sqlx::query_scalar("SELECT COUNT(*) FROM refresh_tokens").fetch_one(&sandbox).await.unwrap()
    };
    assert_eq!(tokens().await, 1);
    let mut settings = sandbox::Config::new(addr, app.dir.path().join("sandbox.db"));
    settings.redirect_uris = vec![url];
    settings.demo = false;
    app.sandbox = Some(sandbox::start(settings).await.unwrap());
    eventually("the revocation", async || (tokens().await == 0).then_some(())).await;
}

#[tokio::test]
async fn a_database_error_is_no_sign_out() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let database = app.database.connect().await;
    sqlx::query("ALTER TABLE oauth_grant RENAME TO oauth_grant_away").execute(&database).await.unwrap();
    let page = app.http.get(app.url("/runs")).header("accept", "text/html");
    let page = browser.send(page, app.url("/runs")).await;
    assert_eq!(page.status, 503);
    assert!(page.body.contains("You are still signed in"), "{}", page.body);
    let answer = browser.open("/api/runs").await;
    assert!(answer.status == 503 && answer.body.contains("\"error\":\"database\""), "{}", answer.body);
}
