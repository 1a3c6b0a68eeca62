//! Launching from the form's server functions: checked, started once, told where it went wrong.

use app::wire::Wire;
use domain::Batch;
use serde_json::{Value, json};

use crate::harness::{Browser, DEMO, OTHER, Peer, TestApp, allow_loopback, api_key};

fn spec() -> Value {
    json!({ "name": "from the form", "systemPrompt": "You help.", "modelId": "sandbox/script", "prompt": "/say hello" })
}

fn with(mut spec: Value, field: &str, value: Value) -> Value {
    spec[field] = value;
    spec
}

async fn launch(browser: &mut Browser, key: &str, spec: &Value, more: &[(&str, &str)]) -> (u16, Value) {
    let spec = spec.to_string();
    browser.call("launch", &[&[("key", key), ("spec", spec.as_str())], more].concat()).await
}

fn paths(error: &Value) -> Vec<&str> {
    error["errors"]
        .as_array()
        .unwrap_or_else(|| panic!("{error}"))
        .iter()
        .map(|e| e["path"].as_str().unwrap())
        .collect()
}

/// Runs that the sandbox has, as MANTYX tells.
async fn count_runs(app: &TestApp) -> usize {
    let url = format!("{}/api/v1/workspaces/demo/agent-runs?limit=200", app.sandbox_url());
    let list: Value = app.http.get(url).bearer_auth(api_key(DEMO)).send().await.unwrap().json().await.unwrap();
    list["runs"].as_array().unwrap().len()
}

#[tokio::test]
async fn a_launched_run_is_in_the_list_and_its_page_opens() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let (status, launched) = launch(&mut browser, "key-0001", &spec(), &[]).await;
    assert_eq!(status, 200, "{launched}");
    let id = launched["runId"].as_str().unwrap();
    assert!(browser.open("/runs").await.body.contains(id));
    assert_eq!(browser.open(&format!("/runs/{id}")).await.status, 200);
}

#[tokio::test]
async fn a_form_without_scripts_lands_on_the_runs_page() {
    let app = TestApp::start().await;
    let browser = app.signed_in(DEMO).await;
    let url = browser.url("/rpc/launch");
    let request = app
        .http
        .post(url.clone())
        .form(&[("key", "key-0001"), ("spec", &spec().to_string())])
        .header("accept", "text/html")
        .header("origin", url.origin().ascii_serialization())
        .header("cookie", format!("runlens_session={}", browser.cookies["runlens_session"]));
    let answer = request.send().await.unwrap();
    assert_eq!(answer.status(), 302);
    assert!(answer.headers()["location"].to_str().unwrap().starts_with("/runs/run_"));
}

#[tokio::test]
async fn the_same_key_is_the_same_run() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let mut other_tab = app.browser();
    other_tab.cookies = browser.cookies.clone();
    let form = spec();
    let (first, second) = tokio::join!(
        launch(&mut browser, "double-click", &form, &[]),
        launch(&mut other_tab, "double-click", &form, &[])
    );
    assert_eq!((first.0, second.0), (200, 200), "{} {}", first.1, second.1);
    let reload = launch(&mut browser, "double-click", &form, &[]).await;
    assert!(first.1["runId"] == second.1["runId"] && first.1["runId"] == reload.1["runId"]);
    assert_eq!(count_runs(&app).await, 1);
    let (status, error) = launch(&mut browser, "double-click", &with(form, "prompt", "other".into()), &[]).await;
    assert_eq!(status, 409, "{error}");
    assert_eq!(count_runs(&app).await, 1);
}

#[tokio::test]
async fn what_is_wrong_is_told_at_its_field_and_nothing_is_started() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let budgets: Value =
        (0..33).map(|i| (format!("tool_{i}"), json!({ "maxCalls": 1 }))).collect::<serde_json::Map<_, _>>().into();
    let many: Vec<Value> = (0..65).map(|i| json!({ "name": format!("t{i}") })).collect();
    let cases = [
        ("prompt", json!("x".repeat(200_001)), "/prompt"),
        ("toolBudgets", budgets, "/toolBudgets"),
        ("tools", json!([{ "kind": "mcp_local", "name": "s", "tools": many }]), "/tools/0/tools"),
        ("outputSchema", json!({ "schema": { "description": "x".repeat(40_000) } }), "/outputSchema"),
        ("tools", json!([{ "kind": "local", "name": "read-file" }]), "/tools/0/name"),
    ];
    for (field, value, path) in cases {
        let (status, error) = launch(&mut browser, "key-0001", &with(spec(), field, value), &[]).await;
        assert_eq!(status, 400, "{error}");
        assert!(paths(&error).contains(&path), "{path}: {error}");
    }
    let (status, error) = browser.call("launch", &[("key", "key-0001"), ("spec", "{ \"a\": 1,\n oops")]).await;
    assert!(status == 400 && error.to_string().contains("line 2"), "{error}");
    let (status, error) = launch(&mut browser, "short", &spec(), &[]).await;
    assert!(status == 400 && error["field"] == "key", "{error}");
    let answers = json!({ "nobody": { "by": "canned", "text": "x" } }).to_string();
    let (_, error) = launch(&mut browser, "key-0001", &spec(), &[("answers", &answers)]).await;
    assert_eq!(paths(&error), ["/answers/nobody"]);
    assert_eq!(count_runs(&app).await, 0);
    // A key whose launch was refused can be used again.
    assert_eq!(launch(&mut browser, "key-0001", &spec(), &[]).await.0, 200);
}

#[tokio::test]
async fn a_spec_with_five_megabytes_of_files_is_taken() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let file =
        json!({ "type": "input_file", "mimeType": "text/plain", "filename": "a", "data": "QUJD".repeat(1_700_000) });
    let message = json!([{ "role": "user", "content": "/say read", "attachments": [file] }]);
    let mut spec = with(spec(), "messages", message);
    spec.as_object_mut().unwrap().remove("prompt");
    let (status, answer) = launch(&mut browser, "key-0001", &spec, &[]).await;
    // MANTYX may have its own opinion; that it gets there is what is asked here.
    assert!(status != 500 && status != 413, "{answer}");
}

#[tokio::test]
async fn an_unknown_model_is_told_at_its_field_with_those_there_are() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let (status, error) = launch(&mut browser, "key-0001", &with(spec(), "modelId", "sandbox/none".into()), &[]).await;
    assert_eq!((status, paths(&error)), (400, vec!["/modelId"]), "{error}");
    assert!(error.to_string().contains("sandbox/script"), "{error}");
    let agent = with(spec(), "agentId", "agent_of_nobody".into());
    let (status, error) = launch(&mut browser, "key-0001", &agent, &[]).await;
    assert_eq!((status, paths(&error)), (400, vec!["/agentId"]), "{error}");
}

#[tokio::test]
async fn a_session_is_begun_and_gone_on_with() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let (status, first) = launch(&mut browser, "key-0001", &spec(), &[("mode", "new_session")]).await;
    assert_eq!(status, 200, "{first}");
    let session = first["sessionId"].as_str().unwrap().to_owned();
    app.sandbox_stream(DEMO, first["runId"].as_str().unwrap()).await;
    let next = json!({ "prompt": "/say again", "modelId": "sandbox/script-mini" });
    let more = [("mode", "message"), ("session_id", session.as_str())];
    let (status, second) = launch(&mut browser, "key-0002", &next, &more).await;
    assert_eq!((status, &second["sessionId"]), (200, &json!(session)), "{second}");
    let run = browser.open(&format!("/api/runs/{}", second["runId"].as_str().unwrap())).await.body;
    assert!(run.contains(&session), "{run}");
    let unknown = [("mode", "message"), ("session_id", "ses_unknown")];
    assert_eq!(launch(&mut browser, "key-0003", &next, &unknown).await.0, 404);
}

/// A batch crosses without the names of its fields; here they are again.
async fn read_batch(browser: &mut Browser, path: &str) -> Value {
    let (status, body) = browser.read(path).await;
    assert_eq!(status, 200, "{body}");
    let Wire(batch): Wire<Batch> = serde_json::from_value(body).unwrap();
    serde_json::to_value(batch).unwrap()
}

#[tokio::test]
async fn a_batch_is_launched_to_its_end_and_found_by_its_tag() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let spec = with(spec(), "prompt", "/say {{word}}".into()).to_string();
    let form = [
        ("key", "batch-0001"),
        ("spec", spec.as_str()),
        ("inputs", "word\none\ntwo\nthree\n"),
        ("tag_key", "batch"),
        ("tag_value", "words"),
    ];
    let (status, batch) = browser.call("launch-batch", &form).await;
    assert_eq!((status, batch["items"].as_array().map(Vec::len)), (200, Some(3)), "{batch}");
    let id = batch["id"].as_str().unwrap().to_owned();
    // The same key again is the same batch.
    assert_eq!(browser.call("launch-batch", &form).await.1["id"], batch["id"]);
    let done = loop {
        let batch = read_batch(&mut browser, &format!("batch?id={id}")).await;
        if batch["done"] == true {
            break batch;
        }
    };
    assert!(done["items"].as_array().unwrap().iter().all(|item| item["state"] == "launched"), "{done}");
    assert_eq!(count_runs(&app).await, 3);
    let listed = browser.open("/api/runs?q=metadata.batch:words").await.body;
    let listed: Value = serde_json::from_str(&listed).unwrap();
    assert_eq!(listed["runs"].as_array().unwrap().len(), 3);
    let mut stranger = app.signed_in(OTHER).await;
    assert_eq!(stranger.read(&format!("batch?id={id}")).await.0, 404);
}

#[tokio::test]
async fn a_batch_goes_on_after_a_restart_and_launches_each_input_once() {
    let mut app = TestApp::start_apart(|_| {}).await;
    let mut browser = app.signed_in(DEMO).await;
    let inputs: Vec<String> = (0..8).map(|i| format!("/say {i}")).collect();
    let (spec, inputs) = (spec().to_string(), json!(inputs).to_string());
    let form = [
        ("key", "batch-0001"),
        ("spec", spec.as_str()),
        ("inputs", inputs.as_str()),
        ("tag_key", "batch"),
        ("tag_value", "eight"),
    ];
    let (status, batch) = browser.call("launch-batch", &form).await;
    assert_eq!(status, 200, "{batch}");
    let path = format!("batch?id={}", batch["id"].as_str().unwrap());
    while read_batch(&mut browser, &path).await["items"][1]["state"] != "launched" {}
    app.restart(|_| {}).await;
    while read_batch(&mut browser, &path).await["done"] != true {}
    assert_eq!(count_runs(&app).await, 8);
}

#[tokio::test]
async fn the_inputs_of_a_batch_are_checked_before_any_is_launched() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let spec = spec().to_string();
    for (inputs, words) in
        [("a,b\n1\n", "Line 2"), ("[]", "no inputs"), ("[\"ok\",\"\"]", "Input 2: The column prompt is empty")]
    {
        let form =
            [("key", "batch-0001"), ("spec", spec.as_str()), ("inputs", inputs), ("tag_key", "b"), ("tag_value", "v")];
        let (status, error) = browser.call("launch-batch", &form).await;
        assert!(status == 400 && error.to_string().contains(words), "{inputs}: {error}");
    }
    let form = [
        ("key", "batch-0001"),
        ("spec", spec.as_str()),
        ("inputs", "[\"a\"]"),
        ("tag_key", "no key"),
        ("tag_value", "v"),
    ];
    let (status, error) = browser.call("launch-batch", &form).await;
    assert_eq!((status, paths(&error)), (400, vec!["/metadata/no key"]), "{error}");
    assert_eq!(count_runs(&app).await, 0);
}

#[tokio::test]
async fn the_form_is_told_what_there_is_to_choose_from() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let tagged = with(spec(), "metadata", json!({ "customer": "acme" }));
    assert_eq!(launch(&mut browser, "key-0001", &tagged, &[]).await.0, 200);
    let (status, catalogue) = browser.read("launch-catalogue").await;
    assert_eq!(status, 200, "{catalogue}");
    let model = &catalogue["models"]["items"][0];
    assert!(model["contextWindowTokens"].is_u64() && model["inputPer1mUsd"].is_number(), "{model}");
    assert!(catalogue["agents"]["items"].as_array().is_some_and(|agents| !agents.is_empty()), "{catalogue}");
    for list in ["tools", "plugins"] {
        let offer = &catalogue[list];
        let told = offer["unavailable"].is_string() || !offer["items"].as_array().unwrap().is_empty();
        assert!(told, "{list}: {offer}");
    }
    assert_eq!(catalogue["metadata"], json!([{ "key": "customer", "values": ["acme"] }]));
    assert_eq!((&catalogue["sandbox"], &catalogue["missing_scopes"]), (&json!(true), &Value::Null));
}

#[tokio::test]
async fn preflight_shows_a_light_for_each_question() {
    let (mcp, a2a) = (Peer::mcp().await, Peer::a2a().await);
    let app = TestApp::start_with(allow_loopback).await;
    let mut browser = app.signed_in(DEMO).await;
    let tools = json!([
        { "kind": "mcp", "name": "calc", "url": mcp.url("/mcp"), "toolFilter": ["add"] },
        { "kind": "mcp", "name": "calc2", "url": mcp.url("/mcp"), "toolFilter": ["subtract"] },
        { "kind": "mcp", "name": "gone", "url": "http://127.0.0.1:9/mcp" },
        { "kind": "a2a", "name": "weather", "agentCardUrl": a2a.url("") },
        { "kind": "local", "name": "by-hand" },
        { "kind": "local", "name": "sum" },
        { "kind": "local", "name": "times" },
        { "kind": "mcp", "name": "none", "url": mcp.url("/mcp"), "toolFilter": [] },
        { "kind": "a2a", "name": "rain", "agentCardUrl": a2a.url("/.well-known/agent-card.json") },
    ]);
    let server = json!({ "over": "http", "url": mcp.url("/mcp") });
    let answers =
        json!({ "sum": { "by": "mcp", "server": server, "tool": "add" }, "times": { "by": "mcp", "server": server } });
    let form = [("spec", with(spec(), "tools", tools).to_string()), ("answers", answers.to_string())];
    let form: Vec<(&str, &str)> = form.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let (status, checks) = browser.call("preflight", &form).await;
    assert_eq!(status, 200, "{checks}");
    let lights: Vec<Vec<(&str, &str)>> = checks
        .as_array()
        .unwrap()
        .iter()
        .map(|check| {
            let lights = check["lights"].as_array().unwrap().iter();
            lights.map(|light| (light["what"].as_str().unwrap(), light["state"].as_str().unwrap())).collect()
        })
        .collect();
    assert_eq!(
        lights,
        [
            vec![("shape", "good"), ("reachable", "good"), ("listed", "good"), ("answered", "good")],
            vec![("shape", "good"), ("reachable", "good"), ("listed", "bad"), ("answered", "good")],
            vec![("shape", "good"), ("reachable", "warning"), ("answered", "good")],
            // Its card stands elsewhere, where MANTYX does not look.
            vec![("shape", "good"), ("reachable", "warning"), ("answered", "good")],
            vec![("shape", "bad"), ("answered", "good")],
            vec![("shape", "good"), ("answered", "good")],
            vec![("shape", "good"), ("answered", "bad")],
            vec![("shape", "good"), ("reachable", "good"), ("listed", "warning"), ("answered", "good")],
            vec![("shape", "good"), ("reachable", "good"), ("answered", "good")],
        ],
        "{checks}"
    );
    let red = checks.as_array().unwrap().iter().flat_map(|check| check["lights"].as_array().unwrap());
    assert!(red.filter(|light| light["state"] == "bad").all(|light| light["fix"].is_string()), "{checks}");
}
