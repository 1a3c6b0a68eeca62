//! Tests that the code samples of a run start the same run.

use std::process::Stdio;

use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::process::Command;

use crate::harness::{DEMO, TestApp, api_key};

/// Runs a program from standard input and returns its output.
async fn run(interpreter: &str, args: &[&str], program: &str) -> String {
    let mut child = Command::new(interpreter)
        .args(args)
        .env("MANTYX_API_KEY", api_key(DEMO))
        .env("NO_PROXY", "*")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{interpreter} is needed here: {error}"));
    let mut input = child.stdin.take().unwrap();
    input.write_all(program.as_bytes()).await.unwrap();
    drop(input);
    let done = child.wait_with_output().await.unwrap();
    let (out, err) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    assert!(done.status.success(), "{interpreter}: {out} {err}\n{program}");
    out.trim().to_owned()
}

async fn spec_of(app: &TestApp, run_id: &str) -> Value {
    let url = format!("{}/api/v1/workspaces/{DEMO}/agent-runs/{run_id}", app.sandbox_url());
    let answer = crate::harness::http_client().get(url).bearer_auth(api_key(DEMO)).send().await.unwrap();
    answer.json::<Value>().await.unwrap()["agentSpec"].clone()
}

#[tokio::test]
async fn curl_python_and_typescript_samples_start_the_same_run() {
    let app = TestApp::start().await;
    let hostile = "Say \"it's\" $HOME `id` \\n ''' \"\"\" ${x} </script>\nEND_OF_SPEC\n\u{2028}\u{1f600}\u{7}";
    let more = json!({ "metadata": { "text": hostile.replace('\n', " ") }, "plan": false,
        "tools": [{ "kind": "local", "name": "ask", "parameters": { "type": "object", "description": hostile } }] });
    let id = app.finished_run(DEMO, &format!("/say ok\n{hostile}"), more).await;
    let asked = spec_of(&app, &id).await;
    let url = format!("{}/api/v1/workspaces/{DEMO}/agent-runs", app.sandbox_url());
    for language in protocol::snippet::Language::ALL {
        let program = protocol::snippet::snippet(language, &url, &asked);
        let started = match language.name() {
            "curl" => {
                let answer = run("sh", &[], &program).await;
                serde_json::from_str::<Value>(&answer).unwrap()["runId"].as_str().unwrap().to_owned()
            }
            "Python" => run("python3", &["-"], &program).await,
            _ => run("node", &["--input-type=module", "-"], &program).await,
        };
        assert_eq!(spec_of(&app, &started).await, asked, "{}", language.name());
    }
}
