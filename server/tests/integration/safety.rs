//! Security headers, origin checks, body limits and health checks.

use reqwest::Method;
use reqwest::header::ORIGIN;
use serde_json::json;

use crate::harness::{DEMO, FakeMantyx, TestApp};
use crate::sessions::{say, session};

#[tokio::test]
async fn every_response_has_the_security_headers() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    for path in ["/runs", "/sign-in", "/runs/unknown", "/nowhere", "/healthz", "/api/runs", "/auth/callback"] {
        let answer = browser.request(Method::GET, app.url(path), &[]).await;
        let header = |name: &str| answer.headers.get(name).map_or("", |value| value.to_str().unwrap());
        let policy = header("content-security-policy");
        assert!(policy.contains("frame-ancestors 'none'") && policy.contains("default-src 'none'"), "{path}: {policy}");
        assert!(!policy.contains("unsafe-inline") && !policy.contains("'unsafe-eval'"), "{path}: {policy}");
        assert_eq!(header("x-content-type-options"), "nosniff", "{path}");
        assert_eq!(header("referrer-policy"), "same-origin", "{path}");
        assert!(!header("x-request-id").is_empty(), "{path}");
        assert_eq!(header("cache-control"), "no-store", "{path}");
    }
}

#[tokio::test]
async fn every_inline_script_has_the_nonce_of_its_response() {
    let app = TestApp::start().await;
    let page = app.signed_in(DEMO).await.open("/runs").await;
    let policy = page.headers["content-security-policy"].to_str().unwrap();
    let nonce = policy.split("'nonce-").nth(1).unwrap().split('\'').next().unwrap();
    let scripts: Vec<&str> = page.body.split("<script").skip(1).collect();
    assert!(!scripts.is_empty());
    for script in scripts {
        assert!(script.split('>').next().unwrap().contains(&format!("nonce=\"{nonce}\"")), "<script{script}");
    }
}

#[tokio::test]
async fn a_post_from_another_site_is_rejected() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    for (name, value) in [(ORIGIN.as_str(), "https://evil.test"), ("sec-fetch-site", "cross-site")] {
        let url = app.url("/auth/sign-out");
        let request = app.http.post(url.clone()).header(name, value);
        assert_eq!(browser.send(request, url).await.status, 403);
        let url = app.url("/api/sync");
        let answer = browser.send(app.http.post(url.clone()).header(name, value), url).await;
        assert_eq!(answer.status, 403);
        assert!(answer.body.contains("\"error\":\"forbidden\""), "the API answers with JSON: {}", answer.body);
    }
    assert_eq!(browser.open("/runs").await.url.path(), "/runs");
}

#[tokio::test]
async fn what_looks_like_a_secret_is_masked_on_every_page() {
    const SECRETS: [&str; 2] = ["sk-proj-abcdefghijklmnopqrstuvwxyz123456", "hunter2secret"];
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let text = format!("api_key: {} password={}", SECRETS[0], SECRETS[1]);
    let script = format!("/think {text}\n/say {text}");
    let id = app.finished_run(DEMO, &script, json!({ "reasoningLevel": "low" })).await;
    let session = session(&app).await;
    say(&app, &session, json!({ "prompt": script })).await;
    let failed = app.finished_run(DEMO, &format!("/say {text}\n/fail {text}"), json!({})).await;
    let mut paths = vec!["/runs".to_owned(), "/sessions".to_owned(), format!("/sessions/{session}")];
    paths.extend(["/failures".to_owned(), format!("/compare?left={id}&right={failed}")]);
    for id in [&id, &failed] {
        let views = [
            "",
            "?tab=output",
            "?tab=spec",
            "?density=events",
            "?density=conversation",
            "?density=waterfall",
            "?raw=1",
        ];
        paths.extend(views.map(|view| format!("/runs/{id}{view}")));
        paths.extend([
            format!("/runs?preview={id}"),
            format!("/rpc/run-preview?id={id}"),
            format!("/runs/{id}/delete"),
        ]);
    }
    for path in paths {
        let page = browser.open(&path).await;
        assert_eq!(page.status, 200, "{path}: {}", page.body);
        for secret in SECRETS {
            let found = page.body.find(secret).map(|at| &page.body[at.saturating_sub(200)..at]);
            assert_eq!(found, None, "{path} shows {secret}");
        }
    }
}

#[tokio::test]
async fn health_and_readiness_need_no_sign_in() {
    let app = TestApp::start().await;
    let mut browser = app.browser();
    assert_eq!(browser.open("/healthz").await.body, "ok");
    assert_eq!(browser.open("/readyz").await.body, "ready");
}

#[tokio::test]
async fn an_oversized_body_is_rejected() {
    let app = TestApp::start().await;
    let body = "x".repeat(17 * 1024 * 1024);
    let answer = app.http.post(app.url("/preferences")).body(body).send().await.unwrap();
    assert_eq!(answer.status(), 413);
}

#[tokio::test]
async fn only_a_bearer_on_the_api_replaces_the_origin_check() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let mut send = async |path: &str, name: &str, value: &str| {
        let request = app.http.post(app.url(path)).header(ORIGIN, "https://evil.test").header(name, value);
        browser.send(request, app.url(path)).await.status
    };
    for (name, value) in [("authorization", "Basic eDp5"), ("authorization", "Bearer "), ("x-api-key", "")] {
        assert_eq!(send("/api/sync", name, value).await, 403, "{name}: {value}");
    }
    for path in ["/auth/sign-out", "/rpc/pause-sync", "/preferences", "/import"] {
        assert_eq!(send(path, "authorization", "Bearer mantyx_sandbox_demo").await, 403, "{path}");
        assert_eq!(send(path, "x-api-key", "mantyx_sandbox_demo").await, 403, "{path}");
    }
    assert_ne!(send("/api/sync", "authorization", "Bearer mantyx_sandbox_demo").await, 403);
}

#[tokio::test]
async fn an_unknown_api_path_is_a_json_404() {
    let app = TestApp::start().await;
    for mut browser in [app.browser(), app.signed_in(DEMO).await] {
        for path in ["/api/nothing", "/api/runs/a/b/c", "/api/"] {
            let answer = browser.request(Method::GET, app.url(path), &[]).await;
            assert_eq!(answer.status, 404, "{path}: {}", answer.body);
            assert!(answer.body.contains("\"error\":\"not_found\""), "{path}: {}", answer.body);
        }
    }
}

#[tokio::test]
async fn a_function_without_its_arguments_answers_400_and_says_which() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    for path in ["/rpc/run", "/rpc/session", "/rpc/batch", "/rpc/suggest"] {
        let answer = browser.request(Method::GET, app.url(path), &[]).await;
        assert_eq!(answer.status, 400, "{path}: {}", answer.body);
        assert!(answer.body.contains("The argument `"), "{path}: {}", answer.body);
    }
    let answer = browser.request(Method::GET, app.url("/rpc/run-state?id=x&view=y"), &[]).await;
    assert!(answer.status == 400 && answer.body.contains("cannot be read"), "{} {}", answer.status, answer.body);
    for function in ["cancel-run", "create-view", "pause-sync", "send-message"] {
        let (status, body) = browser.call(function, &[("nothing", "x")]).await;
        assert_eq!((status, &body["error"]), (400, &"invalid".into()), "{function}: {body}");
    }
}

#[tokio::test]
async fn an_unknown_credential_is_asked_about_once() {
    let mantyx = FakeMantyx::start(1, &[]).await;
    let app = TestApp::start_with(|config| mantyx.configure(config)).await;
    mantyx.look(|world| world.refuse_all = true);
    for _ in 0..5 {
        let answer = app.http.get(app.url("/api/runs")).bearer_auth("wrong").send().await.unwrap();
        assert_eq!(answer.status(), 401);
    }
    assert_eq!(mantyx.look(|world| world.refused), 1);
}
