//! Tests of SIGKILL at many points: delivered events are stored, and interrupted runs end.

use std::time::Duration;

use futures::future::join_all;
use protocol::Event;
use serde_json::{Value, json};

use crate::process::Process;
use crate::support::*;

const WORDS: &str = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen \
                     seventeen eighteen nineteen twenty twenty-one twenty-two twenty-three twenty-four twenty-five";

/// An interrupted run, with the events that its reader got.
struct InterruptedRun {
    run_id: String,
    seen: Vec<Event>,
}

#[tokio::test]
async fn after_a_kill_delivered_events_are_stored_and_interrupted_runs_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut process = Process::start(folder.path(), 1);
    let session = process.post("/agent-sessions", json!({ "systemPrompt": "You help." })).await.json();
    let session = session["sessionId"].as_str().expect("an id").to_owned();
    let mut logs: Vec<(String, Vec<Event>)> = Vec::new();
    let mut interrupted = 0;
    for kill_after in 1..=24 {
        let interrupted_runs = run_and_kill(process, &session, kill_after).await;
        process = Process::start(folder.path(), 1);
        for InterruptedRun { run_id, seen } in interrupted_runs {
            let log = process.log(&run_id).await;
            assert_eq!(log[..seen.len()], seen, "what was seen is the log's beginning");
            let mut rest = process.follow(&run_id, seen.len() as u64).await;
            for event in &log[seen.len()..] {
                assert_eq!(rest.next().await.as_ref(), Some(event), "a reader goes on where it was cut off");
            }
            assert_eq!(rest.next().await, None);
            interrupted += usize::from(last(&log).kind == "error");
            check_ending(&process.snapshot(&run_id).await, last(&log));
            logs.push((run_id, log));
        }
        check_session(&process, &session).await;
    }
    // One run of each round waits for a client that never answers, so at least those were interrupted.
    assert!(interrupted >= 24, "{interrupted}");
    for (run_id, log) in logs {
        assert_eq!(process.log(&run_id).await, log, "later crashes leave it alone");
    }
    let messages = format!("/agent-sessions/{session}/messages");
    let spoken = process.post(&messages, json!({ "prompt": "/say Still here." })).await;
    let run_id = spoken.json()["runId"].as_str().expect("an id").to_owned();
    assert_eq!(last(&process.log(&run_id).await).data["text"], "Still here.");
}

/// At full speed, a batch has hundreds of events of many runs, and the end of some.
#[tokio::test]
async fn after_a_kill_within_a_large_batch_delivered_events_are_stored() {
    const RUNS: usize = 24;
    let folder = tempfile::tempdir().expect("a folder");
    let mut process = Process::start(folder.path(), 0);
    let mut interrupted = 0;
    // The position within a batch is random.
    for kill_after_ms in [0, 10, 25, 50, 80, 120, 180, 250, 350] {
        // Of different lengths, so that some end earlier.
        let texts: Vec<String> = (0..RUNS).map(|i| format!("/say {}", "x".repeat(16 * (20 + i * 450)))).collect();
        let runs = join_all(texts.iter().map(|text| process.launch(text, json!({})))).await;
        let api: &Api = &process;
        let readers: Vec<_> =
            runs.iter().map(|run_id| tokio::spawn(read_until_the_end(api.clone(), run_id.clone()))).collect();
        tokio::time::sleep(Duration::from_millis(kill_after_ms)).await;
        process.kill();
        process = Process::start(folder.path(), 0);
        for (run_id, reader) in runs.into_iter().zip(readers) {
            let seen = reader.await.expect("a reader");
            let log = process.log(&run_id).await;
            assert_eq!(log[..seen.len()], seen, "what was seen is the log's beginning");
            interrupted += usize::from(last(&log).kind == "error");
            check_ending(&process.snapshot(&run_id).await, last(&log));
        }
    }
    assert!(interrupted > RUNS, "{interrupted} were in flight");
}

/// Starts runs of several kinds and kills the process after `kill_after` events of the first one.
async fn run_and_kill(process: Process, session: &str, kill_after: usize) -> Vec<InterruptedRun> {
    let tools = json!({ "tools": [builtin("clock"), builtin("recall"), local("approve")] });
    let mut runs = vec![
        process.launch(&format!("/say {WORDS}"), json!({})).await,
        process
            .launch(&format!("/call clock {{}}\n/say a\n/call recall {{\"query\":\"x\"}}\n/say {WORDS}"), tools.clone())
            .await,
        process.launch("/say Asking.\n/call approve {}", tools).await,
        process.launch("/say Short.", json!({})).await,
    ];
    let message = json!({ "prompt": format!("/say {WORDS}") });
    let spoken = process.post(&format!("/agent-sessions/{session}/messages"), message).await.json();
    runs.push(spoken["runId"].as_str().expect("an id").to_owned());

    let readers: Vec<_> =
        runs.iter().map(|run_id| tokio::spawn(read_until_the_end(process.clone(), run_id.clone()))).collect();
    let mut first = process.follow(&runs[0], 0).await;
    for _ in 0..kill_after {
        first.next().await;
    }
    process.kill();
    let mut interrupted_runs = Vec::new();
    for (run_id, reader) in runs.into_iter().zip(readers) {
        interrupted_runs.push(InterruptedRun { run_id, seen: reader.await.expect("a reader") });
    }
    interrupted_runs
}

/// Reads events until the log ends or the connection breaks.
async fn read_until_the_end(api: Api, run_id: String) -> Vec<Event> {
    let mut seen = Vec::new();
    let Some(mut follower) = api.try_follow(&run_id, 0).await else { return seen };
    while let Ok(Some(event)) = follower.try_next().await {
        seen.push(event);
    }
    seen
}

fn check_ending(snapshot: &Value, end: &Event) {
    match end.kind.as_str() {
        "result" => {
            assert_eq!((&snapshot["status"], &snapshot["finalText"]), (&json!("succeeded"), &end.data["text"]));
        }
        "error" => {
            assert_eq!((&end.data["errorClass"], &snapshot["status"]), (&json!("server"), &json!("failed")));
            assert_eq!(snapshot["failureReason"]["errorClass"], "server");
        }
        kind => panic!("unexpected end: {kind}"),
    }
    assert!(snapshot["completedAt"].is_string());
}

/// Checks that the transcript has both messages of each successful run, and no others.
async fn check_session(api: &Api, session: &str) {
    let detail = api.get(&format!("/agent-sessions/{session}")).await.json();
    assert_eq!(detail["status"], "active");
    let succeeded: Vec<&Value> = list(&detail["runs"]).filter(|run| run["status"] == "succeeded").collect();
    let said: Vec<(&Value, &Value)> = list(&detail["messages"]).map(|said| (&said["role"], &said["runId"])).collect();
    let expected = succeeded.iter().flat_map(|run| ["user", "assistant"].map(|role| (json!(role), &run["id"])));
    assert!(said.iter().copied().eq(expected.collect::<Vec<_>>().iter().map(|(role, run)| (role, *run))), "{detail}");
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().expect("a list").iter()
}
