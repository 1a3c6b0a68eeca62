//! Tests of sign-in with OAuth.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use chrono::Utc;
use reqwest::Method;
use sandbox::{CLIENT_ID, CLIENT_SECRET, Clock};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::support::*;

pub const SCOPE: &str = "mantyx.identity:read models:read runs:read runs:write sessions:read sessions:write";

/// Returns the parameters of a valid request with `changes`; an empty value removes a parameter.
fn authorize_query(scope: &str, changes: &[(&str, &str)]) -> String {
    let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(VERIFIER.as_bytes()));
    let good = [
        ("client_id", CLIENT_ID),
        ("redirect_uri", REDIRECT),
        ("response_type", "code"),
        ("scope", scope),
        ("state", "some state"),
        ("code_challenge", &challenge),
        ("code_challenge_method", "S256"),
    ];
    let mut query = url::form_urlencoded::Serializer::new(String::new());
    for (name, value) in good {
        let value = changes.iter().find(|(changed, _)| *changed == name).map_or(value, |(_, value)| *value);
        if !value.is_empty() {
            query.append_pair(name, value);
        }
    }
    query.finish()
}

async fn consent_request_id(harness: &Harness, scope: &str) -> String {
    let page = harness.oauth_get(&format!("authorize?{}", authorize_query(scope, &[]))).await;
    assert_eq!(page.status, 200, "{page:?}");
    let (_, rest) = page.text.split_once("name=\"request\" value=\"").expect("a request id");
    rest.split('"').next().expect("a value").to_owned()
}

async fn decide(harness: &Harness, request: &str, account: &str, decision: &str) -> TestResponse {
    let fields = [("request", request), ("account", account), ("decision", decision)];
    harness.oauth_form("authorize/decide", &fields).await
}

fn parameter(location: &str, name: &str) -> Option<String> {
    let url = url::Url::parse(location).expect("a URL");
    url.query_pairs().find(|(key, _)| key == name).map(|(_, value)| value.into_owned())
}

async fn code(harness: &Harness, account: &str, scope: &str) -> String {
    let request = consent_request_id(harness, scope).await;
    let answer = decide(harness, &request, account, "approve").await;
    assert_eq!(answer.status, 303, "{answer:?}");
    let location = answer.header("location");
    assert!(location.starts_with(REDIRECT));
    assert_eq!(parameter(location, "state").as_deref(), Some("some state"));
    parameter(location, "code").expect("a code")
}

async fn exchange(harness: &Harness, code: &str, changes: &[(&str, &str)]) -> TestResponse {
    let good = [
        ("grant_type", "authorization_code"),
        ("code", code),
        ("redirect_uri", REDIRECT),
        ("client_id", CLIENT_ID),
        ("client_secret", CLIENT_SECRET),
        ("code_verifier", VERIFIER),
    ];
    let changed = |name: &str, value| changes.iter().find(|(key, _)| *key == name).map_or(value, |(_, value)| *value);
    harness.oauth_form("token", &good.map(|(name, value)| (name, changed(name, value)))).await
}

#[tokio::test]
async fn a_scope_that_was_unticked_is_not_granted() {
    let harness = Harness::start().await;
    let request = consent_request_id(&harness, "mantyx.identity:read runs:read runs:write").await;
    let fields = [
        ("request", request.as_str()),
        ("account", "owner@demo.test"),
        ("decision", "approve"),
        ("grants", "listed"),
        ("grant:runs:read", "yes"),
        // Not requested, so not granted.
        ("grant:sessions:write", "yes"),
    ];
    let answer = harness.oauth_form("authorize/decide", &fields).await;
    let code = parameter(answer.header("location"), "code").expect("a code");
    let tokens = exchange(&harness, &code, &[]).await.json();
    assert_eq!(tokens["scope"], "mantyx.identity:read runs:read");
}

/// Signs in and returns the token response.
pub async fn sign_in(harness: &Harness, account: &str, scope: &str) -> Value {
    let code = code(harness, account, scope).await;
    let answer = exchange(harness, &code, &[]).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    answer.json()
}

fn text<'a>(tokens: &'a Value, name: &str) -> &'a str {
    tokens[name].as_str().expect("a text")
}

async fn userinfo(harness: &Harness, credential: &str) -> TestResponse {
    harness
        .send(harness.http.get(format!("{}/api/oauth/userinfo", harness.sandbox.url())).bearer_auth(credential))
        .await
}

async fn refresh(harness: &Harness, token: &str, scope: Option<&str>) -> TestResponse {
    let mut fields = vec![
        ("grant_type", "refresh_token"),
        ("refresh_token", token),
        ("client_id", CLIENT_ID),
        ("client_secret", CLIENT_SECRET),
    ];
    fields.extend(scope.map(|scope| ("scope", scope)));
    harness.oauth_form("token", &fields).await
}

async fn revoke(harness: &Harness, token: &str) -> u16 {
    let fields = [("token", token), ("client_id", CLIENT_ID), ("client_secret", CLIENT_SECRET)];
    harness.oauth_form("revoke", &fields).await.status
}

#[tokio::test]
async fn a_sign_in_leads_from_consent_to_a_run_list() {
    let harness = Harness::start().await;
    let tokens = sign_in(&harness, "owner@other.test", SCOPE).await;
    assert!(text(&tokens, "access_token").starts_with("mantyx_at_"));
    assert!(text(&tokens, "refresh_token").starts_with("mantyx_rt_"));
    assert_eq!((&tokens["token_type"], &tokens["expires_in"]), (&json!("Bearer"), &json!(3600)));
    assert_eq!(tokens["scope"], SCOPE);
    let me = userinfo(&harness, text(&tokens, "access_token")).await.json();
    assert_eq!((&me["email"], &me["workspace"]["slug"]), (&json!("owner@other.test"), &json!("other")));
    let runs = harness.request_as(text(&tokens, "access_token"), "other", Method::GET, "/agent-runs");
    assert_eq!(harness.send(runs).await.status, 200);
}

#[tokio::test]
async fn the_consent_page_lists_the_scopes_and_needs_no_script() {
    let harness = Harness::start().await;
    let page = harness.oauth_get(&format!("authorize?{}", authorize_query("runs:read", &[]))).await;
    for wanted in ["owner@demo.test", "owner@other.test", "See runs, their logs", "Approve", "Deny"] {
        assert!(page.text.contains(wanted), "{wanted}");
    }
    assert!(!page.text.contains("<script") && !page.text.contains("style="));
    let policy = page.header("content-security-policy");
    assert!(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"));
    assert!(policy.contains("form-action 'self' http://127.0.0.1:3000;"));
    let css = harness.send(harness.http.get(format!("{}/assets/consent.css", harness.sandbox.url()))).await;
    assert_eq!((css.status, css.header("x-content-type-options")), (200, "nosniff"));
}

#[tokio::test]
async fn an_unknown_client_gets_an_error_page_and_no_redirect() {
    let harness = Harness::start().await;
    for (name, value) in [
        ("client_id", ""),
        ("client_id", "mantyx_oa_other"),
        ("redirect_uri", ""),
        ("redirect_uri", "http://127.0.0.1:3000/auth/callback/"),
        ("redirect_uri", "http://evil.example/<script>"),
    ] {
        let page = harness.oauth_get(&format!("authorize?{}", authorize_query(SCOPE, &[(name, value)]))).await;
        assert_eq!((page.status, page.header("location")), (400, ""), "{name}={value}");
        assert!(page.header("content-type").starts_with("text/html"));
        assert!(!page.text.contains("<script"));
    }
}

#[tokio::test]
async fn an_invalid_request_redirects_with_an_error() {
    let harness = Harness::start().await;
    for (name, value, error) in [
        ("response_type", "token", "unsupported_response_type"),
        ("state", "", "invalid_request"),
        ("code_challenge", "", "invalid_request"),
        ("code_challenge", "short", "invalid_request"),
        ("code_challenge_method", "plain", "invalid_request"),
        ("code_challenge_method", "", "invalid_request"),
        ("scope", "", "invalid_scope"),
        ("scope", "runs:read everything", "invalid_scope"),
    ] {
        let answer = harness.oauth_get(&format!("authorize?{}", authorize_query(SCOPE, &[(name, value)]))).await;
        let location = answer.header("location");
        assert_eq!(parameter(location, "error").as_deref(), Some(error), "{name}={value}");
        assert_eq!(parameter(location, "state").is_some(), name != "state");
    }
}

#[tokio::test]
async fn a_denial_redirects_with_an_error_and_a_decision_counts_once() {
    let harness = Harness::start().await;
    let request = consent_request_id(&harness, SCOPE).await;
    let denied = decide(&harness, &request, "owner@demo.test", "deny").await;
    assert_eq!(parameter(denied.header("location"), "error").as_deref(), Some("access_denied"));
    assert_eq!(parameter(denied.header("location"), "state").as_deref(), Some("some state"));
    let again = decide(&harness, &request, "owner@demo.test", "approve").await;
    assert_eq!((again.status, again.header("location")), (400, ""));
    let made_up = decide(&harness, "made-up", "owner@demo.test", "approve").await;
    assert_eq!((made_up.status, made_up.header("location")), (400, ""));
    let request = consent_request_id(&harness, SCOPE).await;
    let nobody = decide(&harness, &request, "nobody@demo.test", "approve").await;
    assert_eq!(parameter(nobody.header("location"), "error").as_deref(), Some("access_denied"));
}

#[tokio::test]
async fn a_decision_from_another_site_is_refused() {
    let harness = Harness::start().await;
    let request = consent_request_id(&harness, SCOPE).await;
    let fields = [("request", request.as_str()), ("account", "owner@demo.test"), ("decision", "approve")];
    let url = format!("{}/api/oauth/authorize/decide", harness.sandbox.url());
    let forged = harness.send(harness.http.post(url).header("Sec-Fetch-Site", "cross-site").form(&fields)).await;
    assert_eq!((forged.status, forged.header("location")), (400, ""));
}

#[tokio::test]
async fn a_code_needs_its_client_its_verifier_and_its_address_and_works_once() {
    let harness = Harness::start().await;
    let code = code(&harness, "owner@demo.test", SCOPE).await;
    for (name, value, status, error) in [
        ("client_id", "mantyx_oa_other", 401, "invalid_client"),
        ("client_secret", "mantyx_oas_wrong", 401, "invalid_client"),
        ("client_secret", "", 401, "invalid_client"),
        ("code", "mantyx_oc_wrong", 400, "invalid_grant"),
        ("code_verifier", "another-verifier-that-is-long-enough-for-rfc-7636", 400, "invalid_grant"),
        ("code_verifier", "", 400, "invalid_grant"),
        ("redirect_uri", "http://localhost:3000/auth/callback", 400, "invalid_grant"),
        ("grant_type", "password", 400, "unsupported_grant_type"),
        ("grant_type", "", 400, "invalid_request"),
    ] {
        let answer = exchange(&harness, &code, &[(name, value)]).await;
        assert_eq!((answer.status, &answer.json()["error"]), (status, &json!(error)), "{name}={value}");
    }
    let tokens = exchange(&harness, &code, &[]).await;
    assert_eq!((tokens.status, tokens.header("cache-control")), (200, "no-store"));
    let again = exchange(&harness, &code, &[]).await;
    assert_eq!((again.status, &again.json()["error"]), (400, &json!("invalid_grant")));
    let access = tokens.json()["access_token"].as_str().expect("a token").to_owned();
    assert_eq!(userinfo(&harness, &access).await.status, 200, "using a code twice revokes nothing");
}

#[tokio::test]
async fn the_client_may_use_basic_authentication() {
    let harness = Harness::start().await;
    let code = code(&harness, "owner@demo.test", SCOPE).await;
    let basic = |secret: &str| format!("Basic {}", STANDARD.encode(format!("{CLIENT_ID}:{secret}")));
    let fields = [
        ("grant_type", "authorization_code"),
        ("code", code.as_str()),
        ("redirect_uri", REDIRECT),
        ("code_verifier", VERIFIER),
    ];
    let url = format!("{}/api/oauth/token", harness.sandbox.url());
    let wrong = harness.http.post(&url).header("Authorization", basic("wrong")).form(&fields);
    assert_eq!(harness.send(wrong).await.status, 401);
    let right = harness.http.post(&url).header("Authorization", basic(CLIENT_SECRET)).form(&fields);
    assert_eq!(harness.send(right).await.status, 200);
}

#[tokio::test]
async fn refreshing_echoes_the_token_and_may_narrow_but_not_widen() {
    let harness = Harness::start().await;
    let tokens = sign_in(&harness, "owner@demo.test", "runs:read mantyx.identity:read").await;
    let refresh_token = text(&tokens, "refresh_token");
    let renewed = refresh(&harness, refresh_token, None).await.json();
    assert_eq!(renewed["refresh_token"], refresh_token);
    assert_eq!(renewed["scope"], "runs:read mantyx.identity:read");
    assert_ne!(renewed["access_token"], tokens["access_token"]);
    let narrower = refresh(&harness, refresh_token, Some("runs:read")).await.json();
    assert_eq!(userinfo(&harness, text(&narrower, "access_token")).await.status, 403);
    assert_eq!(userinfo(&harness, text(&tokens, "access_token")).await.status, 200, "older tokens go on");
    let wider = refresh(&harness, refresh_token, Some("runs:write")).await;
    assert_eq!((wider.status, &wider.json()["error"]), (400, &json!("invalid_scope")));
    let unknown = refresh(&harness, "mantyx_rt_unknown", None).await;
    assert_eq!((unknown.status, &unknown.json()["error"]), (400, &json!("invalid_grant")));
}

#[tokio::test]
async fn revoking_a_refresh_token_revokes_its_access_tokens() {
    let harness = Harness::start().await;
    let tokens = sign_in(&harness, "owner@demo.test", SCOPE).await;
    let second = refresh(&harness, text(&tokens, "refresh_token"), None).await.json();
    assert_eq!(revoke(&harness, text(&second, "access_token")).await, 200);
    assert_eq!(userinfo(&harness, text(&second, "access_token")).await.status, 401);
    assert_eq!(userinfo(&harness, text(&tokens, "access_token")).await.status, 200, "one access token, no more");
    assert_eq!(revoke(&harness, text(&tokens, "refresh_token")).await, 200);
    assert_eq!(userinfo(&harness, text(&tokens, "access_token")).await.status, 401);
    assert_eq!(refresh(&harness, text(&tokens, "refresh_token"), None).await.status, 400);
    assert_eq!(revoke(&harness, "mantyx_at_unknown").await, 200);
}

#[tokio::test]
async fn codes_and_access_tokens_expire_and_refresh_tokens_do_not() {
    let clock = Clock::starting_at(Utc::now());
    let folder = Arc::new(tempfile::tempdir().expect("a folder"));
    let harness = Harness::start_with(folder, |config| config.clock = clock.clone()).await;
    let seconds = Duration::from_secs;
    let late = code(&harness, "owner@demo.test", SCOPE).await;
    clock.advance(seconds(600));
    let refused = exchange(&harness, &late, &[]).await;
    assert_eq!((refused.status, &refused.json()["error"]), (400, &json!("invalid_grant")), "ten minutes");
    let request = consent_request_id(&harness, SCOPE).await;
    clock.advance(seconds(600));
    assert_eq!(decide(&harness, &request, "owner@demo.test", "approve").await.status, 400, "the page is as old");

    let in_time = code(&harness, "owner@demo.test", SCOPE).await;
    clock.advance(seconds(599));
    let tokens = exchange(&harness, &in_time, &[]).await.json();
    clock.advance(seconds(3_599));
    assert_eq!(userinfo(&harness, text(&tokens, "access_token")).await.status, 200);
    clock.advance(seconds(1));
    assert_eq!(userinfo(&harness, text(&tokens, "access_token")).await.status, 401, "an hour");
    let runs = harness.request_as(text(&tokens, "access_token"), "demo", Method::GET, "/agent-runs");
    assert_eq!(harness.send(runs).await.status, 401);
    clock.advance(seconds(365 * 24 * 3_600));
    let renewed = refresh(&harness, text(&tokens, "refresh_token"), None).await.json();
    assert_eq!(userinfo(&harness, text(&renewed, "access_token")).await.status, 200);
}

#[tokio::test]
async fn the_lifetime_of_access_tokens_is_configurable() {
    let clock = Clock::starting_at(Utc::now());
    let folder = Arc::new(tempfile::tempdir().expect("a folder"));
    let harness = Harness::start_with(folder, |config| {
        config.clock = clock.clone();
        config.access_token_lifetime = Duration::from_secs(5);
    });
    let harness = harness.await;
    let tokens = sign_in(&harness, "owner@demo.test", SCOPE).await;
    assert_eq!(tokens["expires_in"], 5);
    for (after, status) in [(4, 200), (1, 401)] {
        clock.advance(Duration::from_secs(after));
        assert_eq!(userinfo(&harness, text(&tokens, "access_token")).await.status, status);
    }
}

#[tokio::test]
async fn userinfo_knows_keys_too() {
    let harness = Harness::start().await;
    let me = userinfo(&harness, KEY).await.json();
    assert_eq!((&me["sub"], &me["email"]), (&json!("key:demo"), &Value::Null));
    assert_eq!(userinfo(&harness, "mantyx_at_wrong").await.status, 401);
}

#[tokio::test]
async fn tokens_survive_a_restart() {
    let harness = Harness::start().await;
    let tokens = sign_in(&harness, "owner@demo.test", SCOPE).await;
    let harness = harness.restart().await;
    assert_eq!(userinfo(&harness, text(&tokens, "access_token")).await.status, 200);
}
