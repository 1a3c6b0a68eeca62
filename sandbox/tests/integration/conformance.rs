//! Our own suite of protocol checks, against our own sandbox, and against servers that get it wrong.

use std::process::Command;

use axum::Router;
use axum::routing::any;
use sandbox::conformance::{self, Target, Verdict};

use crate::support::*;

fn target(url: String) -> Target {
    Target { url, key: KEY.to_owned(), workspace: "demo".to_owned() }
}

#[tokio::test]
async fn every_check_holds_of_the_sandbox() {
    let harness = Harness::start().await;
    let report = conformance::run(target(harness.sandbox.url())).await.expect("a report");
    let holds = |verdict: &Verdict| matches!(verdict, Verdict::Holds(_));
    assert!(report.outcomes.iter().all(|outcome| holds(&outcome.verdict)), "{}", report.table());
    assert!(report.outcomes.len() >= 40, "{}", report.outcomes.len());
    let running = harness.get("/agent-runs?status=running").await.json();
    assert_eq!(running["runs"], serde_json::json!([]), "it ends what it starts");
    let active = harness.get("/agent-sessions?status=active").await.json();
    assert_eq!(active["sessions"], serde_json::json!([]));
}

#[tokio::test]
async fn a_server_that_says_yes_to_everything_fails_and_is_asked_for_no_scripts() {
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
            Verdict::Skipped(why) => assert!(why.contains("sandbox/script"), "{}: {why}", outcome.check),
            // All that a server has to do here is to answer.
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
async fn a_server_that_is_not_there_is_an_error() {
    let error = conformance::run(target("http://127.0.0.1:1".to_owned())).await.err().expect("an error");
    assert!(format!("{error:#}").contains("http://127.0.0.1:1"), "{error:#}");
}
