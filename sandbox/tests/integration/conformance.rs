//! Tests of the conformance suite, against the sandbox and against servers that break the protocol.

use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::routing::any;
use sandbox::RateLimits;
use sandbox::conformance::{self, Target, Verdict};

use crate::oauth::sign_in;
use crate::support::*;

const SCOPES: &str = "a scope that is missing is named with 403";

fn target(url: String) -> Target {
    Target { url, key: KEY.to_owned(), workspace: "demo".to_owned() }
}

#[tokio::test]
async fn the_sandbox_passes_every_check() {
    let folder = Arc::new(tempfile::tempdir().expect("a folder"));
    let harness = Harness::start_with(folder, |config| {
        config.heartbeat = Duration::from_millis(200);
        config.rate_limits = RateLimits::DOCUMENTED;
    });
    let harness = harness.await;
    let report = conformance::run(target(harness.sandbox.url())).await.expect("a report");
    for outcome in &report.outcomes {
        match &outcome.verdict {
            Verdict::Holds(_) => {}
            // A key has every scope.
            Verdict::Skipped(_) if outcome.check == SCOPES => {}
            _ => panic!("{}", report.table()),
        }
    }
    assert!(report.outcomes.len() >= 50, "{}", report.outcomes.len());
    let running = harness.get("/agent-runs?status=running").await.json();
    assert_eq!(running["runs"], serde_json::json!([]), "it ends what it starts");
    let active = harness.get("/agent-sessions?status=active").await.json();
    assert_eq!(active["sessions"], serde_json::json!([]));
}

#[tokio::test]
async fn a_token_with_few_scopes_gets_the_missing_ones_named() {
    let harness = Harness::start().await;
    let tokens = sign_in(&harness, "owner@demo.test", "models:read").await;
    let key = tokens["access_token"].as_str().expect("a token").to_owned();
    let report = conformance::run(Target { key, ..target(harness.sandbox.url()) }).await.expect("a report");
    let scopes = report.outcomes.iter().find(|outcome| outcome.check == SCOPES).expect("the check");
    let named = "agents:read, tools:read, plugins:read, runs:read, sessions:read";
    assert_eq!(scopes.verdict, Verdict::Holds(named.to_owned()));
}

#[tokio::test]
async fn a_server_that_accepts_everything_fails_and_script_checks_are_skipped() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let yes = Router::new().fallback(any(async || {
        axum::Json(serde_json::json!({ "models": [], "defaultModelId": "none", "runId": "run_x" }))
    }));
    tokio::spawn(async { axum::serve(listener, yes).await });
    let report = conformance::run(target(url.clone())).await.expect("a report");
    for outcome in &report.outcomes {
        match &outcome.verdict {
            Verdict::Fails(_) => {}
            // Skipped for servers without scopes and limits.
            Verdict::Skipped(why) => {
                let known = ["sandbox/script", "lacks no scope", "X-RateLimit"];
                assert!(known.iter().any(|part| why.contains(part)), "{}: {why}", outcome.check);
            }
            // Any response passes.
            Verdict::Holds(_) => assert_eq!(outcome.check, "X-API-Key is as good as a bearer"),
        }
    }
    let mut program = Command::new(env!("CARGO_BIN_EXE_mantyx-conformance"));
    program.args(["--url", &url, "--workspace", "demo"]).env("MANTYX_API_KEY", KEY);
    let output = tokio::task::spawn_blocking(move || program.output());
    let output = output.await.expect("a thread").expect("the program runs");
    assert!(!output.status.success());
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(text.contains("FAILS") && text.lines().last().is_some_and(|line| line.contains("fail")), "{text}");
    assert!(!text.contains(KEY), "the key is not told");
}

#[tokio::test]
async fn an_unreachable_server_is_an_error() {
    let error = conformance::run(target("http://127.0.0.1:1".to_owned())).await.err().expect("an error");
    assert!(format!("{error:#}").contains("http://127.0.0.1:1"), "{error:#}");
}
