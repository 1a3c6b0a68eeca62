//! Calls that wait for an answer: which are listed, how they are answered, and how two people share them.

use reqwest::header::{ACCEPT, LOCATION, ORIGIN, REFERER};
use serde_json::{Value, json};

use crate::harness::{Answer, Browser, DEMO, OTHER, TestApp, api_key, eventually, http_client};

const SCRIPT: &str = "/say One moment.\n/call approve {\"amount\":42}\n/say Done.";
const COLLEAGUE: &str = "colleague@demo.test";

fn tools() -> Value {
    json!([{ "kind": "local", "name": "approve" }])
}

fn tools_with_schema() -> Value {
    let properties =
        json!({ "approved": { "type": "boolean" }, "note": { "type": "string" }, "level": { "enum": [1, 2] } });
    let schema = json!({ "type": "object", "required": ["approved"], "properties": properties });
    json!([{ "kind": "local", "name": "approve", "outputSchema": schema }])
}

async fn calls(browser: &mut Browser) -> Vec<Value> {
    let answer = browser.open("/api/waiting").await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    serde_json::from_str::<Value>(&answer.body).unwrap()["calls"].as_array().unwrap().clone()
}

async fn find(browser: &mut Browser, run_id: &str) -> Option<Value> {
    calls(browser).await.into_iter().find(|call| call["runId"] == run_id)
}

async fn wait_for_call(browser: &mut Browser, run_id: &str) -> Value {
    eventually("a listed call", async || find(browser, run_id).await).await
}

/// Changes the arrival times of all stored events.
async fn move_arrivals(app: &TestApp, seconds: i64) {
    let pool = app.database.connect().await;
    sqlx::query("UPDATE run_event SET seen_at = seen_at + $1").bind(seconds * 1000).execute(&pool).await.unwrap();
}

/// A run that a person launched in Runlens, whose calls they answer by hand.
async fn launched_run(browser: &mut Browser, tools: Value) -> String {
    let spec = json!({
        "name": "test", "systemPrompt": "You help.", "modelId": "sandbox/script", "prompt": SCRIPT, "tools": tools,
    });
    browser.launch_answered(&spec, &json!({ "approve": { "by": "hand" } })).await
}

/// Sends the form of the page as a script does.
async fn reply(browser: &mut Browser, call: &Value, controls: &[(&str, &str)]) -> Answer {
    let mut form = vec![("id", call["runId"].as_str().unwrap()), ("tool_use_id", call["toolUseId"].as_str().unwrap())];
    form.extend(controls);
    browser.answer(&form).await
}

/// Sends the form as a browser without scripts does, and returns the redirect.
async fn plain_reply(browser: &mut Browser, call: &Value, controls: &[(&str, &str)]) -> String {
    let mut form = vec![("id", call["runId"].as_str().unwrap()), ("tool_use_id", call["toolUseId"].as_str().unwrap())];
    form.extend(controls);
    let url = browser.url("/waiting");
    let request = http_client().post(url.clone()).form(&form);
    let request = request
        .header(ORIGIN, url.origin().ascii_serialization())
        .header(REFERER, url.as_str())
        .header(ACCEPT, "text/html");
    let answer = browser.send(request, url).await;
    assert_eq!(answer.status, 303, "{}", answer.body);
    answer.headers[LOCATION].to_str().unwrap().to_owned()
}

/// Opens a page as a browser does, so that it shows the notice about the last form.
async fn open_as_browser(browser: &mut Browser, path: &str) -> String {
    let url = browser.url(path);
    let request = http_client().get(url.clone()).header(ACCEPT, "text/html");
    browser.send(request, url).await.body
}

async fn signed_in_as(app: &TestApp, account: &str) -> Browser {
    let mut browser = app.browser();
    let landed = browser.sign_in_as("/runs", account).await;
    assert_eq!(landed.status, 200, "{}", landed.body);
    browser
}

/// Returns what the tool answered, from the run's whole log.
async fn result(app: &TestApp, run_id: &str) -> Value {
    let log = app.sandbox_stream(DEMO, run_id).await;
    let events = log.lines().filter_map(|line| line.strip_prefix("data: "));
    let mut events = events.filter_map(|json| serde_json::from_str::<Value>(json).ok());
    events.find(|event| event["type"] == "local_tool_result_in").unwrap_or_else(|| panic!("{log}"))["data"].clone()
}

#[tokio::test]
async fn a_call_of_another_program_is_listed_after_a_while_and_not_after_its_answer() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let budgets = json!({ "localToolTimeoutMs": 1_200_000 });
    let id = app.start_run(DEMO, SCRIPT, json!({ "tools": tools(), "budgets": budgets, "name": "refund" })).await;
    let call = wait_for_call(&mut browser, &id).await;
    assert_eq!((&call["tool"], &call["args"]), (&json!("approve"), &json!({ "amount": 42 })));
    assert_eq!((&call["runName"], &call["responder"]), (&json!("refund"), &json!("the program that started the run")));
    assert_eq!(call["toolUseId"], app.pending_call(DEMO, &id).await);
    assert!(call["waitingMs"].as_u64().unwrap() >= 10_000, "{call}");
    let left_ms = call["deadlineAtMs"].as_i64().unwrap() - now_ms();
    assert!((0..1_200_000).contains(&left_ms), "{call}");
    // A call that came just now is its program's to answer.
    move_arrivals(&app, 3_600).await;
    eventually("no listed call", async || calls(&mut browser).await.is_empty().then_some(())).await;
    move_arrivals(&app, -7_200).await;
    let call = wait_for_call(&mut browser, &id).await;
    assert!(call["waitingMs"].as_u64().unwrap() > 3_600_000, "{call}");
    app.answer_tool(DEMO, &id, call["toolUseId"].as_str().unwrap(), "yes").await;
    eventually("no listed call", async || calls(&mut browser).await.is_empty().then_some(())).await;
}

fn now_ms() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    i64::try_from(since.as_millis()).unwrap()
}

#[tokio::test]
async fn an_api_key_sees_calls_without_a_signed_in_user() {
    let app = TestApp::start().await;
    let id = app.start_run(DEMO, SCRIPT, json!({ "tools": tools() })).await;
    let call = eventually("a listed call", async || {
        let request = app.http.get(app.url("/api/waiting")).bearer_auth(api_key(DEMO));
        let list: Value = request.send().await.unwrap().json().await.unwrap();
        list["calls"].as_array().unwrap().iter().find(|call| call["runId"] == *id).cloned()
    })
    .await;
    assert_eq!(call["writers"], json!([]));
}

#[tokio::test]
async fn the_nearest_deadline_comes_first() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let start = async |timeout_ms: i64| {
        let budgets = json!({ "localToolTimeoutMs": timeout_ms });
        app.start_run(DEMO, SCRIPT, json!({ "tools": tools(), "budgets": budgets })).await
    };
    let later = start(3_000_000).await;
    let sooner = start(600_000).await;
    let listed =
        eventually("both calls", async || Some(calls(&mut browser).await).filter(|calls| calls.len() == 2)).await;
    let runs: Vec<&str> = listed.iter().map(|call| call["runId"].as_str().unwrap()).collect();
    assert_eq!(runs, [sooner.as_str(), later.as_str()]);
}

#[tokio::test]
async fn a_call_that_runlens_is_to_answer_is_listed_at_once() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let id = launched_run(&mut browser, tools()).await;
    let call = wait_for_call(&mut browser, &id).await;
    assert_eq!(call["responder"], "owner@demo.test");
    move_arrivals(&app, 3_600).await;
    // The board may have been read before. It is not reused for long.
    for _ in 0..3 {
        assert!(find(&mut browser, &id).await.is_some());
    }
    let page = browser.open("/waiting").await.body;
    assert!(page.contains("responder: you") && page.contains("rail-count\">1<"), "{page}");
    let mut colleague = signed_in_as(&app, COLLEAGUE).await;
    let page = colleague.open("/waiting").await.body;
    assert!(page.contains("responder: owner@demo.test") && page.contains("\"amount\": 42"), "{page}");
    assert!(page.contains("One moment."), "the conversation so far: {page}");
}

#[tokio::test]
async fn calls_are_answered_with_a_text_json_a_form_or_an_error() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let answered = async |browser: &mut Browser, tools: Value, controls: &[(&str, &str)]| {
        let id = launched_run(browser, tools).await;
        let call = wait_for_call(browser, &id).await;
        let answer = reply(browser, &call, controls).await;
        assert_eq!(answer.status, 200, "{}", answer.body);
        assert!(answer.body.contains("Answer to approve sent"), "{}", answer.body);
        assert!(find(browser, &id).await.is_none(), "not listed after its answer");
        result(&app, &id).await
    };
    assert_eq!(answered(&mut browser, tools(), &[("as", "text"), ("text", "yes")]).await["output"], "yes");
    assert_eq!(answered(&mut browser, tools(), &[("as", "json"), ("text", "[1]")]).await["output"], "[1]");
    assert_eq!(answered(&mut browser, tools(), &[("as", "error"), ("text", "No.")]).await["error"], "No.");
    let form = [("as", "form"), ("field.approved", "true"), ("field.note", ""), ("field.level", "2")];
    let output = answered(&mut browser, tools_with_schema(), &form).await["output"].as_str().unwrap().to_owned();
    assert_eq!(serde_json::from_str::<Value>(&output).unwrap(), json!({ "approved": true, "level": 2 }));
}

#[tokio::test]
async fn an_answer_that_is_not_valid_is_refused_and_the_call_goes_on_waiting() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let id = launched_run(&mut browser, tools_with_schema()).await;
    let call = wait_for_call(&mut browser, &id).await;
    let page = browser.open("/waiting").await.body;
    assert!(page.contains("name=\"field.approved\"") && page.contains("name=\"field.note\""), "{page}");
    for (controls, problem) in [
        (&[("as", "json"), ("text", "{\"a\":")][..], "This is not valid JSON (line 1, column 5)."),
        (&[("as", "text"), ("text", " ")][..], "Write an answer."),
        (&[("as", "form"), ("field.note", "x")][..], "approved: Required."),
        (&[("as", "error"), ("text", "")][..], "Describe what went wrong."),
    ] {
        let answer = reply(&mut browser, &call, controls).await;
        assert_eq!(answer.status, 400, "{}", answer.body);
        assert!(answer.body.contains(problem), "{}", answer.body);
    }
    assert!(find(&mut browser, &id).await.is_some());
}

#[tokio::test]
async fn the_run_page_has_the_same_form_and_a_plain_one_returns_to_it() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let id = launched_run(&mut browser, tools_with_schema()).await;
    let call = wait_for_call(&mut browser, &id).await;
    let page = browser.open(&format!("/runs/{id}")).await.body;
    assert!(page.contains("name=\"field.approved\"") && page.contains("Send answer"), "{page}");
    let incomplete = [("page", "run"), ("as", "form"), ("field.note", "kept")];
    assert_eq!(plain_reply(&mut browser, &call, &incomplete).await, format!("/runs/{id}"));
    let page = open_as_browser(&mut browser, &format!("/runs/{id}")).await;
    assert!(page.contains("approved: Required.") && page.contains("note: kept"), "{page}");
    let complete = [("page", "run"), ("as", "form"), ("field.approved", "true")];
    assert_eq!(plain_reply(&mut browser, &call, &complete).await, format!("/runs/{id}"));
    let output = result(&app, &id).await["output"].as_str().unwrap().to_owned();
    assert_eq!(serde_json::from_str::<Value>(&output).unwrap(), json!({ "approved": true }));
}

#[tokio::test]
async fn a_form_answers_a_call_that_is_not_listed_yet() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let id = app.start_run(DEMO, SCRIPT, json!({ "tools": tools_with_schema() })).await;
    let tool_use_id = app.pending_call(DEMO, &id).await;
    browser.open(&format!("/runs/{id}")).await;
    let form = [("id", id.as_str()), ("tool_use_id", &tool_use_id), ("as", "form"), ("field.approved", "true")];
    let answer = browser.answer(&form).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
}

#[tokio::test]
async fn of_two_people_the_first_answer_counts_and_the_second_sees_whose_it_was() {
    let app = TestApp::start().await;
    let (mut owner, mut colleague) = (app.signed_in(DEMO).await, signed_in_as(&app, COLLEAGUE).await);
    let id = launched_run(&mut owner, tools()).await;
    let call = wait_for_call(&mut owner, &id).await;
    let (run, tool_use) = (call["runId"].as_str().unwrap().to_owned(), call["toolUseId"].as_str().unwrap().to_owned());

    let noted = colleague.call("writing-answer", &[("id", &run), ("tool_use_id", &tool_use)]).await;
    assert_eq!(noted.0, 200, "{}", noted.1);
    assert_eq!(wait_for_call(&mut owner, &id).await["writers"], json!([COLLEAGUE]));
    let page = owner.open("/waiting").await.body;
    assert!(page.contains("colleague@demo.test is writing an answer"), "{page}");
    let page = colleague.open("/waiting").await.body;
    assert!(!page.contains("is writing an answer"), "{page}");

    assert_eq!(reply(&mut colleague, &call, &[("as", "text"), ("text", "mine")]).await.status, 200);
    let second = reply(&mut owner, &call, &[("as", "text"), ("text", "too late")]).await;
    assert_eq!(second.status, 409);
    assert!(second.body.contains("Already answered by colleague@demo.test."), "{}", second.body);
    assert_eq!(result(&app, &id).await["output"], "mine");

    // Without scripts the page shows the text again.
    let to = plain_reply(&mut owner, &call, &[("as", "text"), ("text", "a long <thought>")]).await;
    let page = open_as_browser(&mut owner, &to).await;
    assert!(page.contains("Already answered by colleague@demo.test."), "{page}");
    assert!(page.contains("a long &lt;thought&gt;"), "{page}");
}

#[tokio::test]
async fn answers_at_the_same_time_are_sent_once() {
    let app = TestApp::start().await;
    let (mut owner, mut colleague) = (app.signed_in(DEMO).await, signed_in_as(&app, COLLEAGUE).await);
    let id = launched_run(&mut owner, tools()).await;
    let call = wait_for_call(&mut owner, &id).await;
    let (one, other) = tokio::join!(
        reply(&mut owner, &call, &[("as", "text"), ("text", "one")]),
        reply(&mut colleague, &call, &[("as", "text"), ("text", "other")])
    );
    let (first, second, by) = match one.status {
        200 => (one, other, "owner@demo.test"),
        _ => (other, one, COLLEAGUE),
    };
    assert_eq!((first.status, second.status), (200, 409), "{} {}", first.body, second.body);
    assert!(second.body.contains(&format!("Already answered by {by}.")), "{}", second.body);
}

#[tokio::test]
async fn without_scripts_an_answer_returns_to_the_page_with_a_notice() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let id = launched_run(&mut browser, tools()).await;
    let call = wait_for_call(&mut browser, &id).await;
    let to = plain_reply(&mut browser, &call, &[("as", "json"), ("text", "{")]).await;
    let page = open_as_browser(&mut browser, &to).await;
    assert!(page.contains("This is not valid JSON") && page.contains("waiting-reply"), "{page}");
    let to = plain_reply(&mut browser, &call, &[("as", "text"), ("text", "yes")]).await;
    assert_eq!(to, "/waiting");
    let page = open_as_browser(&mut browser, &to).await;
    assert!(page.contains("Answer to approve sent. The run continues.") && page.contains("No waiting calls"), "{page}");
    assert_eq!(result(&app, &id).await["output"], "yes");
}

#[tokio::test]
async fn another_workspace_neither_sees_nor_answers_a_call() {
    let app = TestApp::start().await;
    let mut owner = app.signed_in(DEMO).await;
    let id = launched_run(&mut owner, tools()).await;
    let call = wait_for_call(&mut owner, &id).await;
    let tool_use = call["toolUseId"].as_str().unwrap();
    let mut stranger = app.signed_in(OTHER).await;
    assert_eq!(calls(&mut stranger).await, Vec::<Value>::new());
    let page = stranger.open(&format!("/waiting?run={id}&call={tool_use}")).await;
    assert!(page.body.contains("This call is not waiting in this workspace.") && !page.body.contains("amount"));
    let noted = stranger.call("writing-answer", &[("id", &id), ("tool_use_id", tool_use)]).await;
    assert_eq!(noted.0, 404, "{}", noted.1);
    assert_eq!(reply(&mut stranger, &call, &[("as", "text"), ("text", "x")]).await.status, 404);
    assert_eq!(reply(&mut stranger, &call, &[("as", "form")]).await.status, 409);
    assert_eq!(wait_for_call(&mut owner, &id).await["writers"], json!([]));
}

#[tokio::test]
async fn the_stream_announces_calls_answers_and_writers_of_every_process() {
    let app = TestApp::start_apart(|_| {}).await;
    let second = app.second_process(|_| {}).await;
    let mut owner = app.signed_in(DEMO).await;
    let mut elsewhere = Browser::new(app.http.clone(), format!("http://{}/", second.addr).parse().unwrap());
    elsewhere.cookies = owner.cookies.clone();
    let request = app.http.get(app.url("/waiting/live"));
    let mut stream = {
        let session = format!("runlens_session={}", owner.cookies["runlens_session"]);
        request.header("cookie", session).send().await.unwrap()
    };
    assert_eq!(stream.headers()["content-type"], "text/event-stream");
    let mut frames = protocol::sse::Frames::default();
    let mut next = async |what: &str| {
        eventually(what, async || {
            let bytes = stream.chunk().await.unwrap().expect("an open stream");
            let frame = frames.push(&bytes).unwrap().into_iter().next()?;
            Some(serde_json::from_str::<Value>(&frame.data).unwrap()["calls"].as_u64().unwrap())
        })
        .await
    };
    assert_eq!(next("the first state").await, 0);
    let id = launched_run(&mut owner, tools()).await;
    assert_eq!(next("a call").await, 1);
    let call = wait_for_call(&mut elsewhere, &id).await;
    let form = [("id", id.as_str()), ("tool_use_id", call["toolUseId"].as_str().unwrap())];
    assert_eq!(elsewhere.call("writing-answer", &form).await.0, 200);
    assert_eq!(next("a writer at another process").await, 1);
    assert_eq!(reply(&mut elsewhere, &call, &[("as", "text"), ("text", "yes")]).await.status, 200);
    assert_eq!(next("an answer at another process").await, 0);
    second.stop().await.unwrap();
}

#[tokio::test]
async fn an_imported_log_that_stops_at_a_call_is_not_listed() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let log = r#"{"seq":1,"type":"local_tool_call","data":{"toolUseId":"a","name":"approve","args":{}}}"#;
    let request = app.http.post(app.url("/api/import")).bearer_auth(api_key(DEMO));
    let imported = request.header("content-type", "application/x-ndjson").body(log).send().await.unwrap();
    assert!(imported.status().is_success());
    let id = app.start_run(DEMO, SCRIPT, json!({ "tools": tools() })).await;
    wait_for_call(&mut browser, &id).await;
    assert_eq!(calls(&mut browser).await.len(), 1);
}

#[tokio::test]
async fn who_was_writing_is_deleted_with_the_run() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let id = launched_run(&mut browser, tools()).await;
    let call = wait_for_call(&mut browser, &id).await;
    let form = [("id", id.as_str()), ("tool_use_id", call["toolUseId"].as_str().unwrap())];
    assert_eq!(browser.call("writing-answer", &form).await.0, 200);
    let pool = app.database.connect().await;
    let count =
        async || sqlx::query_scalar::<_, i64>("SELECT COUNT(*) FROM call_writer").fetch_one(&pool).await.unwrap();
    assert_eq!(count().await, 1);
    let url = browser.url(&format!("/api/runs/{id}"));
    let request = app.http.delete(url.clone()).header(ORIGIN, url.origin().ascii_serialization());
    let deleted = browser.send(request, url).await;
    assert_eq!(deleted.status, 200, "{}", deleted.body);
    assert_eq!(count().await, 0);
}
