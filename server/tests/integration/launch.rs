//! Launching runs and batches with the form: each starts once, and errors appear at their fields.

use app::model::batch::BatchModel;
use app::model::launch::LaunchResponse;
use app::wire::Wire;
use serde_json::{Value, json};

use crate::harness::{
    Browser, DEMO, LaunchPage, OTHER, Peer, TestApp, Trouble, Unsteady, allow_loopback, api_key, eventually,
    launched_run, launched_session, shown_page,
};

fn spec() -> Value {
    json!({ "name": "from the form", "systemPrompt": "You help.", "modelId": "sandbox/script", "prompt": "/say hello" })
}

fn with(mut spec: Value, field: &str, value: Value) -> Value {
    spec[field] = value;
    spec
}

/// Launches a spec that must be refused, and returns the page with the reasons.
async fn refused(browser: &mut Browser, spec: &Value) -> LaunchPage {
    let page = browser.launch_form_with(spec).await;
    shown_page(browser.send_launch_form(&page, &[("action", "launch")]).await)
}

/// Returns the fields that have problems.
fn places(page: &LaunchPage) -> Vec<&str> {
    page.problems.iter().map(|problem| problem.place.as_str()).collect()
}

/// The page with a manipulated draft.
fn forged(page: &LaunchPage, field: &str, value: Value) -> LaunchPage {
    let mut state: Value = serde_json::from_str(&page.draft).unwrap();
    state[field] = value;
    let mut page = page.clone();
    page.draft = state.to_string();
    page
}

/// The number of runs that the sandbox has.
async fn count_runs(app: &TestApp) -> usize {
    let url = format!("{}/api/v1/workspaces/demo/agent-runs?limit=200", app.sandbox_url());
    let list: Value = app.http.get(url).bearer_auth(api_key(DEMO)).send().await.unwrap().json().await.unwrap();
    list["runs"].as_array().unwrap().len()
}

#[tokio::test]
async fn a_launched_run_is_in_the_list_and_its_page_opens() {
    let (_app, mut browser) = TestApp::start().await.with_browser().await;
    let id = browser.launch(&spec()).await;
    assert!(browser.open("/runs").await.body.contains(&id));
    assert_eq!(browser.open(&format!("/runs/{id}")).await.status, 200);
}

#[tokio::test]
async fn a_form_without_scripts_lands_on_the_runs_page() {
    let (_app, mut browser) = TestApp::start().await.with_browser().await;
    let page = browser.launch_form_with(&spec()).await;
    let sent = browser.send_plain_launch_form(&page, &[("action", "launch")]).await;
    assert_eq!(sent.status, 303, "{}", sent.body);
    assert!(sent.headers["location"].to_str().unwrap().starts_with("/runs/run_"));
}

#[tokio::test]
async fn the_same_form_sent_twice_starts_one_run() {
    let (app, mut browser) = TestApp::start().await.with_browser().await;
    let mut other_tab = app.browser();
    other_tab.cookies = browser.cookies.clone();
    let page = browser.launch_form_with(&spec()).await;
    let launch = [("action", "launch")];
    let (first, second) =
        tokio::join!(browser.send_launch_form(&page, &launch), other_tab.send_launch_form(&page, &launch));
    let reload = browser.send_launch_form(&page, &launch).await;
    let first = launched_run(first);
    assert_eq!((launched_run(second), launched_run(reload)), (first.clone(), first));
    assert_eq!(count_runs(&app).await, 1);
    let other = browser.change_launch_form(&page, &[("field:/prompt", "other"), ("action", "launch")]).await;
    assert!(other.general_error().unwrap().contains("already launched something else"));
    assert_eq!(count_runs(&app).await, 1);
}

#[tokio::test]
async fn the_claim_on_a_launch_is_renewed_and_ends_soon_after_its_server() {
    let mut way = None;
    let app =
        TestApp::start_apart(|config| way = Some(Unsteady::before_launches(config, &[Trouble::AnswerHeld]))).await;
    let way = way.unwrap();
    let mut browser = app.signed_in(DEMO).await;
    let page = browser.launch_form_with(&spec()).await;
    let key = serde_json::from_str::<Value>(&page.draft).unwrap()["key"].as_str().unwrap().to_owned();
    let tab = tokio::spawn(async move { browser.send_launch_form(&page, &[("action", "launch")]).await });
    eventually("the launch", async || (way.posted() == 1).then_some(())).await;
    let database = app.database.connect().await;
    let until = async || -> i64 {
        let sql = "SELECT lease_until FROM launch WHERE key = $1";
        sqlx::query_scalar(sql).bind(&key).fetch_one(&database).await.unwrap()
    };
    let first = until().await;
    let left_ms = first - chrono::Utc::now().timestamp_millis();
    assert!(left_ms <= 10_000, "after a crash, the same form would wait for {left_ms} ms");
    eventually("the renewal", async || (until().await > first).then_some(())).await;
    way.release();
    launched_run(tab.await.unwrap());
}

#[tokio::test]
async fn errors_appear_at_their_fields_and_nothing_is_started() {
    let (app, mut browser) = TestApp::start().await.with_browser().await;
    let budgets: Value =
        (0..33).map(|i| (format!("tool_{i}"), json!({ "maxCalls": 1 }))).collect::<serde_json::Map<_, _>>().into();
    let many: Vec<Value> = (0..65).map(|i| json!({ "name": format!("t{i}") })).collect();
    let cases = [
        ("prompt", json!("x".repeat(200_001)), "Prompt"),
        ("toolBudgets", budgets, "Calls per tool"),
        ("tools", json!([{ "kind": "mcp_local", "name": "s", "tools": many }]), "Tool 1, tools"),
        ("outputSchema", json!({ "schema": { "description": "x".repeat(40_000) } }), "Output format"),
        ("tools", json!([{ "kind": "local", "name": "read-file" }]), "Tool 1, name"),
    ];
    for (field, value, place) in cases {
        let page = refused(&mut browser, &with(spec(), field, value)).await;
        assert!(places(&page).contains(&place), "{place}: {:?}", page.problems);
    }
    let page = browser.launch_form_with(&spec()).await;
    let broken = browser.change_launch_form(&page, &[("json", "{ \"a\": 1,\n oops"), ("action", "launch")]).await;
    assert!(
        broken.html.contains("class=\"json-error\"> <mark>") && broken.html.contains("(line 2, column 2)"),
        "{:?}",
        broken.problems
    );

    let short = forged(&page, "key", "short".into());
    let answer = browser.change_launch_form(&short, &[("action", "launch")]).await;
    assert!(answer.general_error().unwrap().contains("no key of 8 to 100"));
    let unknown_tool = forged(&page, "answers", json!({ "nobody": { "by": "canned", "text": "x" } }));
    let answer = browser.change_launch_form(&unknown_tool, &[("action", "launch")]).await;
    assert_eq!(places(&answer), ["Responder of nobody"]);
    assert_eq!(count_runs(&app).await, 0);
}

#[tokio::test]
async fn a_spec_with_five_megabytes_of_files_is_accepted() {
    let (_app, mut browser) = TestApp::start().await.with_browser().await;
    let file =
        json!({ "type": "input_file", "mimeType": "text/plain", "filename": "a", "data": "QUJD".repeat(1_700_000) });
    let message = json!([{ "role": "user", "content": "/say read", "attachments": [file] }]);
    let mut spec = with(spec(), "messages", message);
    spec.as_object_mut().unwrap().remove("prompt");
    let page = browser.launch_form_with(&spec).await;
    browser.launch_page_as_is(&page).await;
}

#[tokio::test]
async fn an_unknown_model_is_reported_at_its_field_with_the_known_ones() {
    let (_app, mut browser) = TestApp::start().await.with_browser().await;
    let page = refused(&mut browser, &with(spec(), "modelId", "sandbox/none".into())).await;
    assert_eq!(places(&page), ["Model"], "{:?}", page.problems);
    assert!(page.problems[0].message.contains("sandbox/script"), "{:?}", page.problems);
    // A form whose launch was refused can be sent again.
    let fixed = [("field:/modelId", "sandbox/script"), ("action", "launch")];
    launched_run(browser.send_launch_form(&page, &fixed).await);
    let page = refused(&mut browser, &with(spec(), "agentId", "agent_of_nobody".into())).await;
    assert_eq!(places(&page), ["Saved agent"], "{:?}", page.problems);
}

#[tokio::test]
async fn a_session_is_started_and_continued() {
    let (app, mut browser) = TestApp::start().await.with_browser().await;
    let page = browser.launch_form_with(&spec()).await;
    let first = [("mode", "new_session"), ("action", "launch")];
    let session = launched_session(browser.send_launch_form(&page, &first).await);
    app.sandbox_stream(DEMO, &newest_run_of(&mut browser, &session).await).await;

    let page = browser.launch_page(&format!("?session={session}")).await;
    let next = [("field:/prompt", "/say again"), ("field:/modelId", "sandbox/script-mini"), ("action", "launch")];
    assert_eq!(launched_session(browser.send_launch_form(&page, &next).await), session);

    let page = browser.launch_page("?session=ses_unknown").await;
    let answer = browser.change_launch_form(&page, &next).await;
    assert_eq!(places(&answer), ["Session"], "{:?}", answer.problems);
}

async fn newest_run_of(browser: &mut Browser, session: &str) -> String {
    let runs: Value =
        serde_json::from_str(&browser.open(&format!("/api/runs?q=session:{session}")).await.body).unwrap();
    runs["runs"][0]["id"].as_str().unwrap_or_else(|| panic!("{runs}")).to_owned()
}

/// Launches a batch and returns its id.
async fn launch_batch(browser: &mut Browser, page: &LaunchPage, inputs: &str, tag_value: &str) -> String {
    let fields =
        [("batch.inputs", inputs), ("batch.key", "batch"), ("batch.value", tag_value), ("action", "launch-batch")];
    match browser.send_launch_form(page, &fields).await {
        LaunchResponse::Done { href } => href.rsplit_once("batch=").unwrap().1.to_owned(),
        other => panic!("{other:?}"),
    }
}

async fn read_batch(browser: &mut Browser, id: &str) -> BatchModel {
    let (status, body) = browser.read(&format!("batch?id={id}")).await;
    assert_eq!(status, 200, "{body}");
    serde_json::from_value::<Wire<BatchModel>>(body).unwrap().decode().unwrap()
}

async fn finished_batch(browser: &mut Browser, id: &str) -> BatchModel {
    eventually("the end of the batch", async || Some(read_batch(browser, id).await).filter(|batch| !batch.in_progress))
        .await
}

#[tokio::test]
async fn a_batch_is_launched_to_its_end_and_found_by_its_tag() {
    let (app, mut browser) = TestApp::start().await.with_browser().await;
    let page = browser.launch_form_with(&with(spec(), "prompt", "/say {{word}}".into())).await;
    let inputs = "word\none\ntwo\nthree\n";
    let id = launch_batch(&mut browser, &page, inputs, "words").await;
    // The same form sent again is the same batch.
    assert_eq!(launch_batch(&mut browser, &page, inputs, "words").await, id);
    let done = finished_batch(&mut browser, &id).await;
    assert_eq!((done.settled, done.all, done.progress.as_str()), (3, 3, "3 of 3 launched"), "{done:?}");
    assert_eq!(count_runs(&app).await, 3);
    let listed = browser.open("/api/runs?q=metadata.batch:words").await.body;
    let listed: Value = serde_json::from_str(&listed).unwrap();
    assert_eq!(listed["runs"].as_array().unwrap().len(), 3);
    let mut stranger = app.signed_in(OTHER).await;
    assert_eq!(stranger.read(&format!("batch?id={id}")).await.0, 404);
}

#[tokio::test]
async fn a_batch_continues_after_a_restart_and_launches_each_input_once() {
    let (mut app, mut browser) = TestApp::start_apart(|_| {}).await.with_browser().await;
    let page = browser.launch_form_with(&spec()).await;
    let inputs: Vec<String> = (0..8).map(|i| format!("/say {i}")).collect();
    let id = launch_batch(&mut browser, &page, &json!(inputs).to_string(), "eight").await;
    eventually("two launches", async || {
        let batch = read_batch(&mut browser, &id).await;
        (batch.settled >= 2).then_some(())
    })
    .await;
    app.restart(|_| {}).await;
    finished_batch(&mut browser, &id).await;
    assert_eq!(count_runs(&app).await, 8);
}

#[tokio::test]
async fn the_inputs_of_a_batch_are_checked_before_any_is_launched() {
    let (app, mut browser) = TestApp::start().await.with_browser().await;
    let page = browser.launch_form_with(&spec()).await;
    for (inputs, words) in [
        ("a,b\n1\n", "line 2, column 2"),
        ("[]", "no inputs"),
        ("[\"ok\",\"\"]", "Input 2: The column prompt is empty"),
    ] {
        let answer = browser.change_launch_form(&page, &[("batch.inputs", inputs), ("action", "launch-batch")]).await;
        let [problem] = answer.problems.as_slice() else { panic!("{inputs}: {:?}", answer.problems) };
        assert_eq!((problem.href.as_str(), problem.message.contains(words)), ("#batch-inputs", true), "{problem:?}");
    }
    let fields =
        [("batch.inputs", "[\"a\"]"), ("batch.key", "no key"), ("batch.value", "v"), ("action", "launch-batch")];
    let answer = browser.change_launch_form(&page, &fields).await;
    assert_eq!(places(&answer), ["Metadata, no key"], "{:?}", answer.problems);
    assert_eq!(count_runs(&app).await, 0);
}

#[tokio::test]
async fn the_form_offers_what_the_workspace_has() {
    let app = TestApp::start().await;
    app.finished_run(DEMO, "/say hi", json!({ "metadata": { "customer": "acme" } })).await;
    let mut browser = app.signed_in(DEMO).await;
    let tools =
        json!([{ "kind": "mantyx", "id": "tool_calculator" }, { "kind": "mantyx_plugin", "name": "@other/tool" }]);
    let asked = with(with(spec(), "metadata", json!({ "customer": "" })), "tools", tools);
    let page = browser.launch_form_with(&asked).await;
    let model = page.options("field:/modelId").into_iter().find(|(id, _)| id == "sandbox/script").unwrap().1;
    assert!(model.contains(" tokens") && model.contains("per 1M"), "{model}");
    assert!(page.options("field:/agentId").len() > 1);
    let calculator = page.options("field:/tools/0/id").into_iter().find(|(id, _)| id == "tool_calculator").unwrap().1;
    assert!(calculator.contains(" — "), "a name and a description: {calculator}");
    let plugins = page.options("field:/tools/1/name");
    assert!(plugins.len() > 2 && plugins.iter().any(|(id, _)| id == "@other/tool"), "{plugins:?}");
    assert_eq!(page.completions("metadata-keys"), ["customer"]);
    assert_eq!(page.completions("metadata-0"), ["acme"]);
    assert!(!page.html.contains(" disabled") && page.notices().is_empty(), "{:?}", page.notices());
}

#[tokio::test]
async fn preflight_shows_the_result_of_each_check() {
    let (mcp, a2a) = (Peer::mcp().await, Peer::a2a().await);
    let (_app, mut browser) = TestApp::start_with(allow_loopback).await.with_browser().await;
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
    let page = browser.answered_launch_form(&with(spec(), "tools", tools), &answers).await;
    let page = browser.change_launch_form(&page, &[("action", "check-tools")]).await;
    let mut lists = page.checks();
    let summary = lists.pop().unwrap();
    let shown: Vec<Vec<(&str, &str)>> =
        lists.iter().map(|checks| checks.iter().map(|[label, state, _]| (*label, *state)).collect()).collect();
    assert_eq!(
        shown,
        [
            vec![("Shape", "success"), ("Reachable", "success"), ("Listed", "success"), ("Answered", "success")],
            vec![("Shape", "success"), ("Reachable", "success"), ("Listed", "error")],
            vec![("Shape", "success"), ("Reachable", "warning")],
            // Its card is at another address, where MANTYX does not look.
            vec![("Shape", "success"), ("Reachable", "warning")],
            vec![("Shape", "error"), ("Answered", "success")],
            vec![("Shape", "success"), ("Answered", "success")],
            vec![("Shape", "success"), ("Answered", "error")],
            vec![("Shape", "success"), ("Reachable", "success"), ("Listed", "warning")],
            vec![("Shape", "success"), ("Reachable", "success"), ("Answered", "success")],
        ],
    );
    let summary: Vec<_> = summary.iter().map(|[tool, state, _]| (*tool, *state)).collect();
    assert_eq!(summary[..3], [("calc", "success"), ("calc2", "error"), ("gone", "warning")]);
    let mut failed = lists.iter().flatten().filter(|[_, state, _]| *state == "error");
    assert!(failed.all(|[.., message]| !message.ends_with("<em>")), "{lists:?}");
}
