//! Tests of many readers of one run: late, slow and stalled.

use futures::future::join_all;
use protocol::Event;
use serde_json::json;

use crate::process::Process;
use crate::support::*;

const READERS: usize = 40;

#[tokio::test]
async fn late_and_slow_readers_see_each_event_once() {
    let harness = Harness::start().await;
    let text = "Every word of this is a piece of its own. ".repeat(60);
    let id = harness
        .launch(&format!("/say {text}\n/call approve {{}}\n/say {text}"), json!({ "tools": [local("approve")] }))
        .await;
    let mut first = harness.follow(&id, 0).await;
    let mut early = Vec::new();
    // Each joins a little later, and resumes from an earlier position.
    for reader in 0..READERS as u64 {
        for _ in 0..=reader % 7 {
            first.next().await;
        }
        let after = reader * 13 % 40;
        early.push(tokio::spawn(read_slowly(harness.follow(&id, after).await, reader)));
    }
    let call = first.wait_for("local_tool_call").await;
    let late = (0..READERS as u64).map(|reader| harness.follow(&id, call.seq - reader % 3));
    let late: Vec<_> =
        join_all(late).await.into_iter().map(|follower| tokio::spawn(read_slowly(follower, 1))).collect();
    let body = json!({ "toolUseId": call.data["toolUseId"], "result": "yes" });
    assert_eq!(harness.post(&format!("/agent-runs/{id}/tool-results"), body).await.status, 204);

    let log = harness.log(&id).await;
    for reader in early.into_iter().chain(late) {
        let seen = reader.await.expect("a reader");
        let from = seen.first().expect("an event").seq as usize - 1;
        assert_eq!(seen, log[from..]);
    }
}

/// Yields to other tasks after every few events.
async fn read_slowly(mut follower: Follower, every: u64) -> Vec<Event> {
    let mut seen = Vec::new();
    while let Some(event) = follower.next().await {
        if event.seq % (every + 1) == 0 {
            tokio::task::yield_now().await;
        }
        seen.push(event);
    }
    seen
}

/// With a copy of the log for each reader, this would need `READERS` × 20 MB.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn stalled_readers_delay_nothing_and_use_little_memory() {
    const CALLS: usize = 200;
    const RESULT_BYTES: usize = 100 * 1024;
    let folder = tempfile::tempdir().expect("a folder");
    let process = Process::start(folder.path(), 0);
    let prompt = "/call fetch {}\n".repeat(CALLS);
    let id = process.launch(&prompt, json!({ "tools": [local("fetch")], "toolBudgets": {} })).await;
    let mut stalled = join_all((0..READERS / 2).map(|_| process.follow(&id, 0))).await;

    let mut calls = process.follow(&id, 0).await;
    let result = "x".repeat(RESULT_BYTES);
    for _ in 0..CALLS {
        let call = calls.wait_for("local_tool_call").await.data;
        let body = json!({ "toolUseId": call["toolUseId"], "result": result });
        assert_eq!(process.post(&format!("/agent-runs/{id}/tool-results"), body).await.status, 204);
    }
    // The run ends although the other readers are stalled: the results exceed the context window.
    let log = process.log(&id).await;
    assert_eq!(last(&log).data["errorClass"], "context_window");
    stalled.extend(join_all((0..READERS / 2).map(|_| process.follow(&id, 0))).await);
    // An early and a late reader continue; each gets the whole log.
    for reader in [0, READERS - 1] {
        for event in &log {
            assert_eq!(stalled[reader].next().await.as_ref(), Some(event));
        }
        assert_eq!(stalled[reader].next().await, None);
    }
    let copies = (READERS * CALLS * RESULT_BYTES) as u64;
    let peak = process.peak_resident_bytes();
    assert!(peak < copies / 8, "{peak} bytes for what would be {copies} if each reader had its own copy");
}
