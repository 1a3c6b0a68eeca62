//! Tests of local tools.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::*;

async fn answer(harness: &Harness, run_id: &str, body: Value) -> TestResponse {
    harness.post(&format!("/agent-runs/{run_id}/tool-results"), body).await
}

#[tokio::test]
async fn a_run_waits_for_its_answer_and_continues_with_it() {
    let harness = Harness::start().await;
    let id =
        harness.launch("/call read_file {\"path\":\"/etc/hosts\"}", json!({ "tools": [local("read_file")] })).await;
    let mut follower = harness.follow(&id, 0).await;
    let call = follower.wait_for("local_tool_call").await.data;
    assert_eq!(
        (&call["name"], &call["args"], &call["kind"]),
        (&json!("read_file"), &json!({ "path": "/etc/hosts" }), &json!("local"))
    );
    assert_eq!(harness.snapshot(&id).await["status"], "running");
    let body = json!({ "toolUseId": call["toolUseId"], "result": "127.0.0.1 localhost",
        "files": [{ "filename": "hosts.txt", "mimeType": "text/plain", "data": "MTI3LjAuMC4x" }] });
    let accepted = answer(&harness, &id, body.clone()).await;
    assert_eq!((accepted.status, accepted.text.as_str()), (204, ""));
    let echo = follower.wait_for("local_tool_result_in").await.data;
    assert_eq!(echo["output"], "127.0.0.1 localhost");
    assert_eq!(echo["files"], json!([{ "filename": "hosts.txt", "mimeType": "text/plain", "sizeBytes": 9 }]));
    let result = follower.wait_for("result").await.data;
    assert!(result["text"].as_str().is_some_and(|text| text.contains("127.0.0.1 localhost")));
    let late = answer(&harness, &id, body).await;
    assert_eq!((late.status, &late.json()["error"]), (409, &json!("run_terminal")));
}

#[tokio::test]
async fn all_three_kinds_are_announced_one_after_another() {
    let harness = Harness::start().await;
    let card = json!({ "name": "Acme HR", "url": "https://hr.example.com/a2a", "skills": [] });
    let tools = json!([local("read_file"),
        { "kind": "a2a_local", "name": "hr_agent", "agentCard": card },
        { "kind": "mcp_local", "name": "fs", "serverInfo": { "name": "files" },
            "tools": [{ "name": "fs_list", "annotations": { "readOnlyHint": true } }] }]);
    let prompt = "/call read_file {}\n/call hr_agent {\"message\":\"When?\"}\n/call fs_list {}\n/say Done.";
    let id = harness.launch(prompt, json!({ "tools": tools })).await;
    let mut follower = harness.follow(&id, 0).await;
    let mut calls = Vec::new();
    for _ in 0..3 {
        let call = follower.wait_for("local_tool_call").await.data;
        let body = json!({ "toolUseId": call["toolUseId"], "error": "not today" });
        assert_eq!(answer(&harness, &id, body.clone()).await.status, 204);
        let again = answer(&harness, &id, body).await;
        assert!(
            [(404, json!("unknown_tool_use")), (409, json!("run_terminal"))]
                .contains(&(again.status, again.json()["error"].clone()))
        );
        calls.push(call);
    }
    assert_eq!((&calls[1]["kind"], &calls[1]["agentCard"]), (&json!("a2a_local"), &card));
    assert_eq!((&calls[2]["kind"], &calls[2]["mcpServer"]), (&json!("mcp_local"), &json!("fs")));
    assert_eq!(
        (&calls[2]["mcpToolName"], &calls[2]["mcpServerInfo"], &calls[2]["annotations"]),
        (&json!("fs_list"), &json!({ "name": "files" }), &json!({ "readOnlyHint": true }))
    );
    let events = harness.log(&id).await;
    let around: Vec<&str> =
        events.iter().map(|event| event.kind.as_str()).filter(|kind| kind.starts_with("local")).collect();
    assert_eq!(around, ["local_tool_call", "local_tool_result_in"].repeat(3), "each waits for the one before");
    assert_eq!(last(&events).data["text"], "Done.");
}

#[tokio::test]
async fn neighbouring_reads_are_announced_together_and_writes_wait_for_them() {
    let harness = Harness::start().await;
    let read = |name: &str| json!({ "kind": "local", "name": name, "readOnly": true });
    let tools = json!([read("read_a"), read("read_b"), read("read_c"), local("write")]);
    let prompt = "/call read_a {}\n/call read_b {}\n/call write {}\n/call read_c {}\n/say Done.";
    let id = harness.launch(prompt, json!({ "tools": tools })).await;
    let mut follower = harness.follow(&id, 0).await;
    let mut reads =
        vec![follower.wait_for("local_tool_call").await.data, follower.wait_for("local_tool_call").await.data];
    assert_eq!((&reads[0]["name"], &reads[1]["name"]), (&json!("read_a"), &json!("read_b")));
    for call in reads.drain(..).rev() {
        let body = json!({ "toolUseId": call["toolUseId"], "result": call["name"] });
        assert_eq!(answer(&harness, &id, body).await.status, 204);
    }
    for name in ["write", "read_c"] {
        let call = follower.wait_for("local_tool_call").await.data;
        assert_eq!(call["name"], name);
        answer(&harness, &id, json!({ "toolUseId": call["toolUseId"], "result": "ok" })).await;
    }
    let events = harness.log(&id).await;
    let kinds: Vec<&str> =
        events.iter().map(|event| event.kind.as_str()).filter(|kind| kind.starts_with("local")).collect();
    let (call, result) = ("local_tool_call", "local_tool_result_in");
    assert_eq!(kinds, [call, call, result, result, call, result, call, result]);
    assert_eq!(last(&events).data["text"], "Done.");
}

#[tokio::test]
async fn a_timeout_of_a_local_tool_ends_the_run() {
    let harness = Harness::start().await;
    let spec = json!({ "tools": [local("approve")], "budgets": { "localToolTimeoutMs": 30 } });
    let id = harness.launch("/call approve {}\n/say Approved.", spec).await;
    let events = harness.log(&id).await;
    assert_eq!(last(&events).data["errorClass"], "local_timeout");
    let call = of_kind(&events, "local_tool_call")[0];
    let late = answer(&harness, &id, json!({ "toolUseId": call["toolUseId"], "result": "yes" })).await;
    assert_eq!((late.status, &late.json()["error"]), (409, &json!("run_terminal")));
}

#[tokio::test]
async fn arguments_are_validated_before_the_client_gets_the_call() {
    let harness = Harness::start().await;
    let tool = json!({ "kind": "local", "name": "pay", "parameters": { "type": "object",
        "properties": { "amount": { "type": "number" } }, "required": ["amount"] } });
    let events = harness.run("/call pay {\"amount\":\"much\"}\n/say No.", json!({ "tools": [tool] })).await;
    assert!(of_kind(&events, "local_tool_call").is_empty());
    assert!(
        of_kind(&events, "tool_result")[0]["result"].as_str().is_some_and(|text| text.contains("tool_input_invalid"))
    );
}

#[tokio::test]
async fn results_that_are_malformed_or_too_large_are_refused_and_the_run_still_waits() {
    let harness = Harness::start().await;
    let id = harness.launch("/call approve {}\n/say Done.", json!({ "tools": [local("approve")] })).await;
    let mut follower = harness.follow(&id, 0).await;
    let tool_use_id = follower.wait_for("local_tool_call").await.data["toolUseId"].clone();
    let with = |fields: Value| {
        let mut body = json!({ "toolUseId": tool_use_id });
        body.as_object_mut().expect("an object").extend(fields.as_object().expect("an object").clone());
        body
    };
    let cases = [
        (json!([]), 400, ""),
        (json!({ "result": "x" }), 400, "/toolUseId"),
        (with(json!({})), 400, "/result"),
        (with(json!({ "result": "x", "error": "y" })), 400, "/error"),
        (with(json!({ "result": { "a": 1 } })), 400, "/result"),
        (
            with(json!({ "result": "x", "files": [{ "filename": "f", "mimeType": "t", "data": "%" }] })),
            400,
            "/files/0/data",
        ),
    ];
    for (body, status, path) in cases {
        let refused = answer(&harness, &id, body.clone()).await;
        assert_eq!((refused.status, &refused.json()["details"][0]["path"]), (status, &json!(path)), "{body}");
    }
    let too_large = [
        with(json!({ "result": "x".repeat(2 * 1024 * 1024 + 1) })),
        with(json!({ "error": "x".repeat(8 * 1024 + 1) })),
    ];
    for body in too_large {
        assert_eq!(answer(&harness, &id, body).await.status, 413);
    }
    assert_eq!(
        answer(&harness, &id, json!({ "toolUseId": "tu_none", "result": "x" })).await.json()["error"],
        "unknown_tool_use"
    );
    let largest = "x".repeat(2 * 1024 * 1024);
    assert_eq!(answer(&harness, &id, with(json!({ "result": largest }))).await.status, 204);
    assert_eq!(
        follower.wait_for("local_tool_result_in").await.data["output"].as_str().map(str::len),
        Some(largest.len())
    );
    let end = follower.wait_for("error").await.data;
    assert_eq!(end["errorClass"], "context_window", "it was taken, but no model reads that much");
    let unknown =
        harness.request(Method::POST, "/agent-runs/run_none/tool-results").json(&with(json!({ "result": "x" })));
    assert_eq!(harness.send(unknown).await.status, 404);
}

#[tokio::test]
async fn the_timeout_of_the_client_excludes_the_time_of_the_sandbox() {
    let harness = Harness::start().await;
    let spec = json!({ "tools": [builtin("document_search")], "budgets": { "localToolTimeoutMs": 1 } });
    let events = harness.run("/call document_search {\"query\":\"refund\"}\n/say Done.", spec).await;
    assert_eq!(last(&events).data["text"], "Done.");
}
