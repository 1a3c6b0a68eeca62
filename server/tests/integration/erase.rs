//! Deletion for good, by the page, the API and the command line: nothing is left in the database, and nothing comes back.

use std::path::Path;
use std::process::Command;

use reqwest::Method;
use serde_json::{Value, json};

use crate::harness::{Browser, DEMO, OTHER, TestApp, api_key, eventually};

/// Words that occur nowhere else, in everything that a run has.
const WORDS: [&str; 7] = ["zqprompt", "zqanswer", "zqcustomer", "zqname", "zqfeedback", "zqtoolword", "zqsystem"];

async fn call(app: &TestApp, browser: &mut Browser, method: Method, path: &str, body: Value) -> (u16, Value) {
    let url = app.url(path);
    let mut request = app.http.request(method, url.clone()).header("origin", url.origin().ascii_serialization());
    if !body.is_null() {
        request = request.json(&body);
    }
    let answer = browser.send(request, url).await;
    (answer.status, serde_json::from_str(&answer.body).unwrap_or_default())
}

fn spec() -> Value {
    json!({
        "name": "zqname", "systemPrompt": "zqsystem helps.", "modelId": "sandbox/script",
        "prompt": "/say zqprompt zqanswer\n/call zqtoolword {\"zqarg\":\"zqtoolword\"}\n/say zqanswer",
        "tools": [{ "kind": "local", "name": "zqtoolword" }], "metadata": { "customer": "zqcustomer" },
    })
}

/// Launches a run with everything that a run can have, waits for its end, and makes a draft of it.
async fn full_run(app: &TestApp, browser: &mut Browser) -> String {
    let answers = json!({ "zqtoolword": { "by": "canned", "text": "zqanswer" } });
    let id = browser.launch_answered(&spec(), &answers).await;
    app.sandbox_stream(DEMO, &id).await;
    eventually("the run has ended here", async || {
        let (_, run) = call(app, browser, Method::GET, &format!("/api/runs/{id}"), Value::Null).await;
        (run["status"] == "succeeded").then_some(())
    })
    .await;
    let feedback = [("id", id.as_str()), ("thumb", "UP"), ("explanation", "zqfeedback")];
    assert_eq!(browser.call("give-feedback", &feedback).await.0, 200);
    let page = browser.launch_page(&format!("?like={id}")).await;
    browser.change_launch_form(&page, &[("field:/prompt", "zqprompt again")]).await;
    id
}

/// Rows of a table that contain one of the words.
async fn rows_with_words(app: &TestApp) -> Vec<String> {
    let database = app.database.connect().await;
    let columns = [
        ("run", "id || coalesce(name, '') || coalesce(input_preview, '') || metadata"),
        ("tag", "key || value"),
        ("run_feedback", "explanation"),
        ("run_answer", "tool"),
        ("session", "id || coalesce(name, '') || metadata"),
        ("session_metadata", "value"),
        ("launch_batch", "tag_value"),
        ("audit_entry", "coalesce(target, '') || coalesce(detail, '')"),
    ];
    let mut found = Vec::new();
    for (table, columns) in columns {
        let sql = sqlx::AssertSqlSafe(format!("SELECT {columns} FROM {table}"));
        let texts: Vec<String> = sqlx::query_scalar(sql).fetch_all(&database).await.unwrap();
        found.extend(texts.into_iter().filter(|text| text.contains("zq")).map(|text| format!("{table}: {text}")));
    }
    found
}

/// The words that a file of the SQLite database contains.
fn words_in_files(dir: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for file in ["runlens.db", "runlens.db-wal"] {
        let Ok(bytes) = std::fs::read(dir.join(file)) else { continue };
        let contains = |word: &str| bytes.windows(word.len()).any(|part| part.eq_ignore_ascii_case(word.as_bytes()));
        found.extend(WORDS.into_iter().filter(|word| contains(word)).map(|word| format!("{file}: {word}")));
    }
    found
}

/// Waits until the background task has removed what deleted rows leave behind.
async fn wait_for_purge(app: &TestApp) {
    let database = app.database.connect().await;
    eventually("the rest is removed", async || {
        let sql = "SELECT COUNT(*) FROM erasure WHERE generation > purged";
        let pending: i64 = sqlx::query_scalar(sql).fetch_one(&database).await.unwrap();
        (pending == 0).then_some(())
    })
    .await;
}

async fn assert_gone(app: &TestApp, browser: &mut Browser, run_id: &str) {
    wait_for_purge(app).await;
    assert_eq!(rows_with_words(app).await, Vec::<String>::new());
    let list = browser.open("/runs").await.body;
    assert!(!list.contains(run_id), "the run is not synced again: {list}");
    assert_eq!(browser.open(&format!("/runs/{run_id}")).await.status, 404);
    assert_eq!(browser.open(&format!("/api/runs/{run_id}/events")).await.status, 404);
    let draft = browser.launch_page("").await.draft;
    assert!(!draft.contains("zqprompt") && !draft.contains("zqcustomer"), "{draft}");
    assert_eq!(rows_with_words(app).await, Vec::<String>::new(), "after pages have synced again");
    if app.database.url.starts_with("sqlite:") {
        assert_eq!(words_in_files(app.dir.path()), Vec::<String>::new());
    }
}

#[tokio::test]
async fn a_deleted_run_leaves_nothing_in_the_files_and_does_not_come_back() {
    let app = TestApp::start_apart(|_| {}).await;
    let mut browser = app.signed_in(DEMO).await;
    let id = full_run(&app, &mut browser).await;
    assert!(!rows_with_words(&app).await.is_empty());
    if app.database.url.starts_with("sqlite:") {
        let before = words_in_files(app.dir.path());
        assert!(before.len() >= WORDS.len() - 1, "the test finds what is there: {before:?}");
    }
    let kept = app.finished_run(DEMO, "/say something else", json!({})).await;
    browser.open(&format!("/runs/{kept}")).await;
    // Without JavaScript: a link, a page that asks, and its form.
    assert!(browser.open(&format!("/runs/{id}")).await.body.contains(&format!("href=\"/runs/{id}/delete\"")));
    let page = browser.open(&format!("/runs/{id}/delete")).await.body;
    assert!(page.contains("zqname") && page.contains(&format!("action=\"/runs/{id}/delete\"")), "{page}");
    let done = browser.request(Method::POST, app.url(&format!("/runs/{id}/delete")), &[]).await;
    assert_eq!((done.status, done.headers["location"].to_str().unwrap()), (303, "/runs"), "{}", done.body);
    assert_gone(&app, &mut browser, &id).await;
    assert_eq!(browser.open(&format!("/runs/{kept}")).await.status, 200);
    let again = browser.request(Method::POST, app.url(&format!("/runs/{id}/delete")), &[]).await;
    assert_eq!(again.status, 404);
}

#[tokio::test]
async fn of_simultaneous_deletions_of_a_run_one_succeeds_and_is_in_the_audit_log() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let id = app.finished_run(DEMO, "/say hi", json!({})).await;
    assert_eq!(browser.open(&format!("/runs/{id}")).await.status, 200);
    let delete = async || {
        let request = app.http.delete(app.url(&format!("/api/runs/{id}"))).bearer_auth(api_key(DEMO));
        request.send().await.unwrap().status().as_u16()
    };
    let mut statuses: [u16; 4] = tokio::join!(delete(), delete(), delete(), delete()).into();
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 404, 404, 404]);
    let (_, log) = call(&app, &mut browser, Method::GET, "/api/audit?limit=200", Value::Null).await;
    let entries = log["entries"].as_array().unwrap();
    let deletions = entries.iter().filter(|entry| entry["action"] == "delete_run" && entry["target"] == id.as_str());
    assert_eq!(deletions.count(), 1, "{log}");
}

#[tokio::test]
async fn everything_with_a_metadata_value_is_erased_and_later_runs_with_it_are_not() {
    let app = TestApp::start_apart(|_| {}).await;
    let mut browser = app.signed_in(DEMO).await;
    let id = full_run(&app, &mut browser).await;
    let near = app.finished_run(DEMO, "/say near", json!({ "metadata": { "customer": "another" } })).await;
    let body = json!({ "metadata": { "key": "customer", "value": "zqcustomer" } });
    let (status, erased) = call(&app, &mut browser, Method::POST, "/api/erase", body.clone()).await;
    assert_eq!(
        (status, &erased),
        (200, &json!({ "runs": 1, "sessions": 0, "drafts": 2 })),
        "the launched draft and the one that was made of the run"
    );
    assert_gone(&app, &mut browser, &id).await;
    assert_eq!(browser.open(&format!("/api/runs/{near}")).await.status, 200);
    let later = app.finished_run(DEMO, "/say later", json!({ "metadata": { "customer": "zqcustomer" } })).await;
    assert_eq!(browser.open(&format!("/api/runs/{later}")).await.status, 200);
    let counted: Value = serde_json::from_str(&browser.open("/api/count?q=customer:zqcustomer").await.body).unwrap();
    assert_eq!(counted["runs"], 1, "the new run is found by its metadata: {counted}");
    for wrong in [json!({}), json!({ "metadata": { "key": "", "value": "x" } }), json!({ "metadata": { "key": "k" } })]
    {
        assert_eq!(call(&app, &mut browser, Method::POST, "/api/erase", wrong).await.0, 400);
    }
}

#[tokio::test]
async fn a_session_is_deleted_with_its_runs() {
    let app = TestApp::start_apart(|_| {}).await;
    let base = format!("{}/api/v1/workspaces/{DEMO}/agent-sessions", app.sandbox_url());
    let post = async |url: String, body: Value| {
        let request = app.http.post(url).bearer_auth(api_key(DEMO)).json(&body);
        request.send().await.unwrap().json::<Value>().await.unwrap()
    };
    let spec = json!({ "systemPrompt": "You help.", "modelId": "sandbox/script", "name": "zqname",
        "metadata": { "customer": "zqcustomer" } });
    let session = post(base.clone(), spec).await["sessionId"].as_str().unwrap().to_owned();
    let message = json!({ "prompt": "/say zqanswer" });
    let run = post(format!("{base}/{session}/messages"), message).await["runId"].as_str().unwrap().to_owned();
    app.sandbox_stream(DEMO, &run).await;
    let mut browser = app.signed_in(DEMO).await;
    assert!(browser.open(&format!("/sessions/{session}")).await.body.contains(&format!("/sessions/{session}/delete")));
    assert_eq!(browser.open(&format!("/runs/{run}")).await.status, 200);
    let page = browser.open(&format!("/sessions/{session}/delete")).await.body;
    assert!(page.contains("Its run is deleted with it"), "{page}");
    let mut other = app.signed_in(OTHER).await;
    assert_eq!(call(&app, &mut other, Method::DELETE, &format!("/api/sessions/{session}"), Value::Null).await.0, 404);
    let path = format!("/api/sessions/{session}");
    let (status, erased) = call(&app, &mut browser, Method::DELETE, &path, Value::Null).await;
    assert_eq!((status, &erased), (200, &json!({ "runs": 1, "sessions": 1, "drafts": 0 })));
    wait_for_purge(&app).await;
    for path in [format!("/sessions/{session}"), format!("/runs/{run}"), format!("{path}/messages"), path] {
        assert_eq!(browser.open(&path).await.status, 404, "{path}");
    }
    for list in ["/sessions", "/runs"] {
        let list = browser.open(list).await.body;
        assert!(!list.contains(&session) && !list.contains(&run), "{list}");
    }
    assert_eq!(rows_with_words(&app).await, Vec::<String>::new());
}

fn erase(app: &TestApp, more: &[&str]) -> (bool, String) {
    let done = Command::new(env!("CARGO_BIN_EXE_runlens"))
        .arg("erase")
        .args(more)
        .env_clear()
        .env("RUNLENS_DATA_DIR", app.dir.path())
        .env("DATABASE_URL", &app.database.url)
        .env("RUNLENS_SECRET_KEY", "a key for tests, long enough to be accepted")
        .output()
        .unwrap();
    (done.status.success(), String::from_utf8(done.stdout).unwrap() + &String::from_utf8(done.stderr).unwrap())
}

#[tokio::test]
async fn the_command_erases_what_its_dry_run_counts_while_the_server_runs() {
    let app = TestApp::start_apart(|_| {}).await;
    let mut browser = app.signed_in(DEMO).await;
    let id = full_run(&app, &mut browser).await;
    let (done, printed) = erase(&app, &["--metadata", "customer=zqcustomer", "--dry-run"]);
    assert!(done && printed.contains("1 runs, 0 sessions and 2 drafts would be erased"), "{printed}");
    assert_eq!(browser.open(&format!("/runs/{id}")).await.status, 200);
    let (done, printed) = erase(&app, &["--metadata", "customer=zqcustomer"]);
    assert!(done && printed.contains("1 runs, 0 sessions and 2 drafts erased"), "{printed}");
    assert_gone(&app, &mut browser, &id).await;
    // The server remembers ids of tags that are gone now.
    let later = app.finished_run(DEMO, "/say later", json!({ "metadata": { "customer": "zqcustomer" } })).await;
    browser.open(&format!("/runs/{later}")).await;
    let counted: Value = serde_json::from_str(&browser.open("/api/count?q=customer:zqcustomer").await.body).unwrap();
    assert_eq!(counted["runs"], 1, "{counted}");
    for wrong in [
        &[][..],
        &["--metadata", "customer"],
        &["--run", "a", "--session", "b"],
        &["--run", "a/b"],
        &["--run", "run_nope"],
    ] {
        assert!(!erase(&app, wrong).0, "{wrong:?}");
    }
}

#[tokio::test]
async fn a_run_in_progress_can_be_deleted_and_is_no_longer_followed() {
    let app = TestApp::start_apart(|_| {}).await;
    let mut browser = app.signed_in(DEMO).await;
    let id = app
        .start_run(
            DEMO,
            "/say zqanswer\n/call approve {}",
            json!({ "tools": [{ "kind": "local", "name": "approve" }] }),
        )
        .await;
    let tool_call = app.pending_call(DEMO, &id).await;
    assert_eq!(browser.open(&format!("/runs/{id}")).await.status, 200);
    let session = format!("runlens_session={}", browser.cookies["runlens_session"]);
    let request = app.http.get(app.url(&format!("/runs/{id}/live"))).header("cookie", session);
    let mut stream = request.send().await.unwrap();
    stream.chunk().await.unwrap().expect("what is in the log");
    assert_eq!(call(&app, &mut browser, Method::DELETE, &format!("/api/runs/{id}"), Value::Null).await.0, 200);
    app.answer_tool(DEMO, &id, &tool_call, "yes").await;
    let read = async { while stream.chunk().await.unwrap().is_some() {} };
    tokio::time::timeout(std::time::Duration::from_secs(60), read).await.expect("the stream ends");
    assert_eq!(browser.open(&format!("/runs/{id}")).await.status, 404);
    let database = app.database.connect().await;
    let events: i64 = sqlx::query_scalar("SELECT COUNT(*) FROM run_event").fetch_one(&database).await.unwrap();
    assert_eq!(events, 0);
}
