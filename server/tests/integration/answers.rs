//! Local tools of launched runs, answered by this server.

use std::time::Duration;

use runlens::config::Workspaces;
use serde_json::{Value, json};

use crate::harness::{
    Browser, DEMO, OTHER, Peer, TestApp, Trouble, Unsteady, allow_loopback, eventually, stdio_command,
};

/// Launches a script whose one local tool is `tool`, answered as said, and gives the run's id.
async fn launch(browser: &mut Browser, script: &str, tool: &str, answerer: Value) -> String {
    let spec = json!({
        "name": "test", "systemPrompt": "You help.", "modelId": "sandbox/script", "prompt": script,
        "tools": [{ "kind": "local", "name": tool }],
    });
    browser.launch_answered(&spec, &json!({ tool: answerer })).await
}

/// What the tool answered, from the run's whole log.
async fn result(app: &TestApp, run_id: &str) -> Value {
    let log = app.sandbox_stream(DEMO, run_id).await;
    let events = log.lines().filter_map(|line| line.strip_prefix("data: "));
    let mut events = events.filter_map(|json| serde_json::from_str::<Value>(json).ok());
    events.find(|event| event["type"] == "local_tool_result_in").unwrap_or_else(|| panic!("{log}"))["data"].clone()
}

/// Returns the page's text about the answer to each local call: its answerer, or why there is none.
async fn answers(browser: &mut Browser, run_id: &str) -> Vec<String> {
    let page = browser.open(&format!("/runs/{run_id}")).await;
    assert_eq!(page.status, 200, "{}", page.body);
    let spans = page.body.split("call-by\">").skip(1);
    spans.map(|span| span.split('<').next().unwrap().to_owned()).collect()
}

/// Waits until a call is being answered.
async fn wait_for_answer(browser: &mut Browser, run_id: &str) {
    eventually("an answer", async || (!answers(browser, run_id).await.is_empty()).then_some(())).await;
}

/// What the run's page says of the one answer, once it is given or given up.
async fn settled(browser: &mut Browser, run_id: &str) -> String {
    eventually("the end of an answer", async || {
        let answers = answers(browser, run_id).await;
        assert!(answers.len() <= 1, "{answers:?}");
        answers.into_iter().next().filter(|answer| !answer.starts_with("being answered"))
    })
    .await
}

async fn wait_for_call(browser: &mut Browser, run_id: &str) -> String {
    eventually("a local call", async || {
        let log = browser.open(&format!("/api/runs/{run_id}/events")).await.body;
        let mut events = log.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let call = events.find(|event| event["type"] == "local_tool_call")?;
        Some(call["data"]["toolUseId"].as_str().unwrap().to_owned())
    })
    .await
}

#[tokio::test]
async fn a_canned_reply_is_given_without_a_browser() {
    let (app, mut browser) = TestApp::start().await.with_browser().await;
    let reply = json!({ "by": "canned", "text": "{\"city\":\"{{args.city}}\",\"days\":\"{{args.days}}\"}" });
    let id =
        launch(&mut browser, "/call weather {\"city\":\"Bern \\\"B\\\"\",\"days\":2}\n/say ok", "weather", reply).await;
    let given: Value = serde_json::from_str(result(&app, &id).await["output"].as_str().unwrap()).unwrap();
    assert_eq!(given, json!({ "city": "Bern \"B\"", "days": 2 }));
    assert_eq!(settled(&mut browser, &id).await, "by a canned reply");
}

#[tokio::test]
async fn a_failure_is_rehearsed() {
    let (app, mut browser) = TestApp::start().await.with_browser().await;
    let reply = json!({ "by": "canned", "text": "No {{args.what}} today.", "failed": true, "delayMs": 20 });
    let id = launch(&mut browser, "/call order {\"what\":\"cake\"}\n/say ok", "order", reply).await;
    assert_eq!(result(&app, &id).await["error"], "No cake today.");
}

#[tokio::test]
async fn an_mcp_server_answers_over_http_with_the_given_credentials() {
    let peer = Peer::mcp().await;
    let (app, mut browser) = TestApp::start_with(allow_loopback).await.with_browser().await;
    let server =
        json!({ "over": "http", "url": peer.url("/mcp"), "headers": { "Authorization": "Bearer s3cret-of-mine" } });
    let by = |tool: &str| json!({ "by": "mcp", "server": server, "tool": tool });
    let id = launch(&mut browser, "/call sum {\"a\":2,\"b\":40}\n/say ok", "sum", by("add")).await;
    assert_eq!(result(&app, &id).await["output"], "42");
    assert_eq!(settled(&mut browser, &id).await, "by the MCP server 127.0.0.1");
    let id = launch(&mut browser, "/call whoami {}\n/say ok", "whoami", by("whoami")).await;
    assert_eq!(result(&app, &id).await["output"], "Bearer s3cret-of-mine");
    let id = launch(&mut browser, "/call fail {\"why\":\"on purpose\"}\n/say ok", "fail", by("fail")).await;
    let failed = result(&app, &id).await;
    assert!(failed["error"].as_str().unwrap().contains("on purpose"), "{failed}");
    // The credential is nowhere to be read: not in the database, not on the way back to the page.
    let pool = app.database.connect().await;
    let kept: Vec<Vec<u8>> = sqlx::query_scalar("SELECT answers FROM run_answerer").fetch_all(&pool).await.unwrap();
    assert!(!kept.is_empty() && kept.iter().all(|kept| !kept.windows(6).any(|part| part == b"s3cret")));
    let page = browser.launch_page(&format!("?like={id}")).await;
    let like: Value = serde_json::from_str(&page.draft).unwrap();
    assert_eq!(like["answers"]["fail"]["server"]["headers"]["Authorization"], "", "{like}");
    assert_eq!(like["spec"]["tools"][0]["name"], "fail");
    // Without its value it is not sent as if it were one.
    let refused = browser.change_launch_form(&page, &[("action", "launch")]).await;
    assert_eq!(refused.problems[0].place, "Responder of fail", "{:?}", refused.problems);
}

#[tokio::test]
async fn an_mcp_server_answers_over_stdio_without_this_servers_environment() {
    let command = stdio_command().await;
    let (app, mut browser) =
        TestApp::start_with(|config| config.mcp_commands = command.parse().unwrap()).await.with_browser().await;
    let by = json!({ "by": "mcp", "server": { "over": "stdio", "command": command } });
    let id = launch(&mut browser, "/call environment {}\n/say ok", "environment", by).await;
    let names = result(&app, &id).await["output"].as_str().unwrap().to_owned();
    assert!(names.contains("PATH") && !names.contains("CARGO"), "{names}");
}

#[tokio::test]
async fn an_agent_answers_in_both_versions_of_a2a() {
    let (new, old) = (Peer::a2a().await, Peer::old_a2a().await);
    let (app, mut browser) = TestApp::start_with(allow_loopback).await.with_browser().await;
    for peer in [&new, &old] {
        let by = json!({ "by": "a2a", "cardUrl": peer.url("") });
        for (message, words) in [("Bern", "Sunny: Bern"), ("slowly", "Cloudy: slowly")] {
            let script = format!("/call ask {{\"message\":\"{message}\"}}\n/say ok");
            let id = launch(&mut browser, &script, "ask", by.clone()).await;
            assert_eq!(result(&app, &id).await["output"], words, "{}", peer.url(""));
        }
        let id = launch(&mut browser, "/call ask {\"message\":\"fail\"}\n/say ok", "ask", by.clone()).await;
        let failed = result(&app, &id).await;
        assert!(failed["error"].as_str().unwrap_or_default().contains("No satellite."), "{failed}");
    }
}

#[tokio::test]
async fn a_peer_that_cannot_be_reached_any_more_is_told_to_the_model() {
    let peer = Peer::mcp().await;
    let (mut app, mut browser) = TestApp::start_apart(allow_loopback).await.with_browser().await;
    let by = json!({ "by": "mcp", "server": { "over": "http", "url": peer.url("/mcp") }, "tool": "add" });
    let id = launch(&mut browser, "/sleep 4000\n/call sum {}\n/say ok", "sum", by).await;
    // The operator does not allow the address any more.
    app.restart(|_| {}).await;
    let error = result(&app, &id).await["error"].as_str().unwrap().to_owned();
    assert!(error.contains("could not be used") && error.contains("public addresses"), "{error}");
}

#[tokio::test]
async fn a_persons_answer_comes_first_and_is_remembered_as_theirs() {
    let (app, mut browser) = TestApp::start().await.with_browser().await;
    let slow = json!({ "by": "canned", "text": "canned", "delayMs": 600_000 });
    for (answerer, expected) in [(json!({ "by": "hand" }), "Waiting for your answer"), (slow, "comes in about ")] {
        let id = launch(&mut browser, "/call approve {}\n/say ok", "approve", answerer).await;
        let call = wait_for_call(&mut browser, &id).await;
        let page = browser.open(&format!("/runs/{id}")).await.body;
        assert!(page.contains(expected) && !page.contains("The program that started this run owes"), "{page}");
        let form = [("id", id.as_str()), ("tool_use_id", call.as_str()), ("text", "by hand")];
        assert_eq!(browser.answer(&form).await.status, 200);
        assert_eq!(result(&app, &id).await["output"], "by hand");
        assert_eq!(settled(&mut browser, &id).await, "by owner@demo.test");
    }
}

#[tokio::test]
async fn a_cancelled_run_is_not_answered_any_more() {
    let (app, mut browser) = TestApp::start().await.with_browser().await;
    let slow = json!({ "by": "canned", "text": "late", "delayMs": 600_000 });
    let id = launch(&mut browser, "/call approve {}\n/say ok", "approve", slow).await;
    wait_for_call(&mut browser, &id).await;
    wait_for_answer(&mut browser, &id).await;
    assert_eq!(browser.call("cancel-run", &[("id", &id)]).await.0, 200);
    assert_eq!(settled(&mut browser, &id).await, "a canned reply answered too late");
    assert!(!app.sandbox_stream(DEMO, &id).await.contains("late"));
}

#[tokio::test]
async fn answering_goes_on_after_a_restart() {
    let (mut app, mut browser) = TestApp::start_apart(|_| {}).await.with_browser().await;
    let script = "/call one {}\n/sleep 200\n/call one {}\n/say ok";
    // Long enough to be under way when the server stops; asked again from the start after it.
    let reply = json!({ "by": "canned", "text": "answered", "delayMs": 500 });
    let id = launch(&mut browser, script, "one", reply).await;
    wait_for_answer(&mut browser, &id).await;
    app.restart(|_| {}).await;
    let log = app.sandbox_stream(DEMO, &id).await;
    assert_eq!(log.matches("local_tool_result_in").count() / 2, 2, "{log}");
    let pool = app.database.connect().await;
    let answers: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM run_answer").fetch_one(&pool).await.unwrap();
    assert_eq!(answers, 2);
}

/// A run whose one call is answered at once, while results meet some trouble on their way.
async fn answered_despite(troubles: &[Trouble]) -> (TestApp, Browser, Unsteady, String) {
    let mut way = None;
    let (app, mut browser) =
        TestApp::start_apart(|config| way = Some(Unsteady::before(config, troubles))).await.with_browser().await;
    let reply = json!({ "by": "canned", "text": "answered" });
    let id = launch(&mut browser, "/call one {}\n/say ok", "one", reply).await;
    (app, browser, way.unwrap(), id)
}

#[tokio::test]
async fn an_answer_that_did_not_arrive_is_sent_again() {
    let troubles = [(500, "internal"), (503, "unavailable"), (429, "rate_limit_exceeded")];
    let troubles = troubles.map(|(status, code)| Trouble::Refused(status, code));
    let (app, mut browser, way, id) = answered_despite(&troubles).await;
    assert_eq!(result(&app, &id).await["output"], "answered");
    assert_eq!(settled(&mut browser, &id).await, "by a canned reply");
    assert_eq!(way.posted(), troubles.len() + 1);
}

#[tokio::test]
async fn an_answer_whose_receipt_was_lost_counts_once() {
    let (app, mut browser, _, id) = answered_despite(&[Trouble::AnswerLost]).await;
    let log = app.sandbox_stream(DEMO, &id).await;
    assert_eq!(log.matches("\"local_tool_result_in\"").count(), 1, "{log}");
    assert_eq!(result(&app, &id).await["output"], "answered");
    let answer = settled(&mut browser, &id).await;
    assert!(matches!(answer.as_str(), "by a canned reply" | "a canned reply answered too late"), "{answer}");
}

#[tokio::test]
async fn an_answer_that_is_not_wanted_any_more_is_not_sent_again() {
    for (status, code) in [(409, "run_terminal"), (404, "unknown_tool_use")] {
        let (_app, mut browser, way, id) = answered_despite(&[Trouble::Refused(status, code)]).await;
        eventually("the refusal", async || (way.posted() > 0).then_some(())).await;
        let late = "a canned reply answered too late";
        eventually(late, async || (settled(&mut browser, &id).await == late).then_some(())).await;
        assert_eq!(way.posted(), 1, "{code}");
    }
}

#[tokio::test]
async fn an_answer_that_mantyx_refuses_is_told_with_its_reason() {
    let (_app, mut browser, way, id) = answered_despite(&[Trouble::Refused(400, "invalid_request")]).await;
    let failed = "a canned reply could not answer: ";
    let answer =
        eventually(failed, async || Some(settled(&mut browser, &id).await).filter(|answer| answer.starts_with(failed)))
            .await;
    assert!(answer.contains("Not now."), "{answer}");
    assert_eq!(way.posted(), 1);
}

#[tokio::test]
async fn answering_waits_for_the_next_sign_in_after_a_sign_out() {
    let (app, mut browser) = TestApp::start().await.with_browser().await;
    let reply = json!({ "by": "canned", "text": "after all", "delayMs": 1000 });
    let id = launch(&mut browser, "/call one {}\n/say ok", "one", reply).await;
    wait_for_answer(&mut browser, &id).await;
    let sign_out = browser.url("/auth/sign-out");
    browser.request(reqwest::Method::POST, sign_out, &[]).await;
    // While signed out nothing is sent; the answer stays stored.
    let pool = app.database.connect().await;
    eventually("an answer that is ready", async || {
        let state: String = sqlx::query_scalar("SELECT state FROM run_answer").fetch_one(&pool).await.unwrap();
        match state.as_str() {
            "working" => None,
            "ready" => Some(()),
            other => panic!("{other}"),
        }
    })
    .await;
    let mut browser = app.signed_in(DEMO).await;
    assert_eq!(result(&app, &id).await["output"], "after all");
    assert!(settled(&mut browser, &id).await.starts_with("by "));
}

#[tokio::test]
async fn of_two_processes_exactly_one_asks_the_peer() {
    let peer = Peer::mcp().await;
    let app = TestApp::start_with(allow_loopback).await;
    let second = app.second_process(allow_loopback).await;
    let mut browser = app.signed_in(DEMO).await;
    let server = json!({ "over": "http", "url": peer.url("/mcp") });
    let script = "/call add {\"a\":1,\"b\":1}\n/call add {\"a\":2,\"b\":2}\n/say ok";
    for _ in 0..3 {
        let id = launch(&mut browser, script, "add", json!({ "by": "mcp", "server": server })).await;
        app.sandbox_stream(DEMO, &id).await;
    }
    let id = launch(&mut browser, "/call count {}\n/say ok", "count", json!({ "by": "mcp", "server": server })).await;
    assert_eq!(result(&app, &id).await["output"], "6", "three runs with two calls each");
    second.stop().await.unwrap();
}

#[tokio::test]
async fn a_peer_is_not_asked_twice_when_the_process_that_asked_is_gone() {
    let peer = Peer::mcp().await;
    let (mut app, mut browser) = TestApp::start_apart(allow_loopback).await.with_browser().await;
    let by = json!({ "by": "mcp", "server": { "over": "http", "url": peer.url("/mcp") } });
    let id = launch(&mut browser, "/call wait {\"seconds\":600}\n/say ok", "wait", by).await;
    wait_for_answer(&mut browser, &id).await;
    app.restart(allow_loopback).await;
    let error = result(&app, &id).await["error"].as_str().unwrap().to_owned();
    assert!(error.contains("may or may not have run"), "{error}");
}

#[tokio::test]
async fn a_run_whose_lease_was_lost_is_taken_over_and_left_alone_by_its_old_holder() {
    let peer = Peer::mcp().await;
    let (app, mut browser) = TestApp::start_with(allow_loopback).await.with_browser().await;
    let by = json!({ "by": "mcp", "server": { "over": "http", "url": peer.url("/mcp") } });
    let id = launch(&mut browser, "/call wait {\"seconds\":600}\n/say ok", "wait", by).await;
    wait_for_answer(&mut browser, &id).await;
    // As if the process had been away for longer than its lease, and another had been there meanwhile and died.
    let pool = app.database.connect().await;
    sqlx::query("UPDATE run_answerer SET owner = 'dead', lease_until = 1").execute(&pool).await.unwrap();
    let error = result(&app, &id).await["error"].as_str().unwrap().to_owned();
    assert!(error.contains("may or may not have run"), "{error}");
    assert!(settled(&mut browser, &id).await.starts_with("by "));
}

#[tokio::test]
async fn another_workspace_does_not_see_who_answered() {
    let (app, mut browser) = TestApp::start().await.with_browser().await;
    let id = launch(&mut browser, "/call a {}\n/say ok", "a", json!({ "by": "canned", "text": "x" })).await;
    settled(&mut browser, &id).await;
    let mut stranger = app.signed_in(OTHER).await;
    assert_eq!(stranger.open(&format!("/runs/{id}")).await.status, 404);
    assert_eq!(stranger.read(&format!("launch-page?entry[like]={id}")).await.0, 404);
}

#[tokio::test]
async fn a_workspace_that_may_not_use_the_server_any_more_gets_no_answers() {
    let app = TestApp::start_apart(|_| {}).await;
    let mut browser = app.signed_in(DEMO).await;
    let reply = json!({ "by": "canned", "text": "yes" });
    let id = launch(&mut browser, "/sleep 5000\n/call ask {}\n/say done", "ask", reply).await;
    let app = app.replace(|config| config.workspaces = Workspaces::new(OTHER, [])).await;
    app.pending_call(DEMO, &id).await;
    tokio::time::sleep(Duration::from_secs(3)).await;
    let sandbox = app.sandbox_database().await;
    let status: String =
        sqlx::query_scalar("SELECT status FROM runs WHERE id = $1").bind(&id).fetch_one(&sandbox).await.unwrap();
    assert_ne!(status, "succeeded");
    let app = app.replace(|_| {}).await;
    assert_eq!(result(&app, &id).await["output"], "yes");
}
