//! Importing many logs: in one request, and in many at once.

use serde_json::{Value, json};
use sqlx::AssertSqlSafe;

use crate::harness::{Browser, DEMO, TestApp, api_key};

/// A small log whose answer has a word of its own.
fn log(word: &str) -> String {
    let call = json!({ "text": "", "toolCalls": [{ "id": "a", "name": "recall", "input": { "q": "invoice" } }] });
    let answer = json!({ "toolUseId": "a", "name": "recall", "result": "two rows" });
    let end = json!({ "subtype": "success", "text": format!("Found {word}.") });
    let line = |(seq, (kind, data))| json!({ "seq": seq, "type": kind, "data": data }).to_string() + "\n";
    (1..).zip([("assistant_message", call), ("tool_result", answer), ("result", end)]).map(line).collect()
}

async fn send(browser: &mut Browser, files: &[(&str, &str)]) -> (u16, Value) {
    let files: Vec<_> = files.iter().map(|(name, log)| ("file", *name, *log)).collect();
    let answer = browser.send_parts("/api/import/batch", &[], &files, "*/*").await;
    (answer.status, serde_json::from_str(&answer.body).unwrap_or_else(|_| panic!("{}", answer.body)))
}

async fn get(browser: &mut Browser, path: &str) -> Value {
    let answer = browser.open(path).await;
    assert_eq!(answer.status, 200, "{path}: {}", answer.body);
    serde_json::from_str(&answer.body).unwrap_or(Value::String(answer.body))
}

#[tokio::test]
async fn each_log_of_a_batch_has_a_result() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let (good, half) = (log("heliotrope"), log("amber") + "{oops\n");
    let long = log("violet") + &"\n".repeat(300_000);
    let files = [("a.ndjson", good.as_str()), ("b.txt", "no log"), ("c.ndjson", &half), ("d.ndjson", ""), ("e", &long)];
    let (status, answer) = send(&mut browser, &files).await;
    assert_eq!((status, &answer["imported"], &answer["failed"]), (200, &json!(3), &json!(2)), "{answer}");
    let results = answer["results"].as_array().unwrap();
    let names: Vec<&Value> = results.iter().map(|result| &result["name"]).collect();
    assert_eq!(names, ["a.ndjson", "b.txt", "c.ndjson", "d.ndjson", "e"]);
    for (result, word) in [(&results[0], "heliotrope"), (&results[2], "amber"), (&results[4], "violet")] {
        let id = result["runId"].as_str().unwrap();
        assert_eq!((&result["url"], &result["report"]["events"]), (&json!(format!("/runs/{id}")), &json!(3)));
        let run = get(&mut browser, &format!("/api/runs/{id}")).await;
        assert_eq!((&run["status"], &run["name"]), (&json!("succeeded"), &result["name"]), "{run}");
        let found = get(&mut browser, &format!("/api/runs?q={word}")).await;
        assert_eq!((&found["runs"][0]["id"], found["runs"].as_array().map(Vec::len)), (&json!(id), Some(1)), "{found}");
    }
    assert_eq!(
        (&results[0]["report"]["faultCount"], &results[2]["report"]["faults"][0]["line"]),
        (&json!(0), &json!(4))
    );
    for result in [&results[1], &results[3]] {
        assert_eq!((&result["error"], &result["runId"]), (&json!("invalid"), &Value::Null), "{result}");
        assert!(result["message"].as_str().unwrap().contains("No run events found."), "{result}");
    }
    let audit = get(&mut browser, "/api/audit").await;
    let imports = audit["entries"].as_array().unwrap().iter().filter(|entry| entry["action"] == "import");
    let mut targets: Vec<&Value> = imports.map(|entry| &entry["target"]).collect();
    let mut ids = vec![&results[0]["runId"], &results[2]["runId"], &results[4]["runId"]];
    targets.sort_by_key(|id| id.to_string());
    ids.sort_by_key(|id| id.to_string());
    assert_eq!(targets, ids);
}

#[tokio::test]
async fn a_batch_without_logs_is_refused_and_one_that_is_too_long_says_what_it_left_out() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let (status, answer) = send(&mut browser, &[]).await;
    assert_eq!((status, &answer["error"]), (400, &json!("invalid")), "{answer}");
    let url = app.url("/api/import/batch");
    let answer = app.http.post(url).bearer_auth(api_key(DEMO)).body(log("plain")).send().await.unwrap();
    assert_eq!(answer.status(), 400);
    assert_eq!(answer.json::<Value>().await.unwrap()["error"], "invalid");
    let name = |number: usize| format!("{number}.ndjson");
    let names: Vec<String> = (0..1_001).map(name).collect();
    let files: Vec<_> = names.iter().map(|name| (name.as_str(), "no log")).collect();
    let (status, answer) = send(&mut browser, &files).await;
    assert_eq!((status, &answer["failed"]), (200, &json!(1_001)));
    assert_eq!(answer["results"][1_000]["name"], "1000.ndjson");
    let message = answer["results"][1_000]["message"].as_str().unwrap();
    assert!(message.contains("At most 1,000 logs"), "{message}");
}

#[tokio::test]
async fn a_log_that_cannot_be_stored_does_not_affect_the_others() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let condition = "WHEN (NEW.report LIKE '%refused.ndjson%')";
    let trigger = match app.database.url.starts_with("sqlite:") {
        true => format!(
            "CREATE TRIGGER refuse BEFORE INSERT ON run_import {condition} BEGIN SELECT RAISE(ABORT, 'refused'); END"
        ),
        false => format!(
            "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''refused''; END'; \
             CREATE TRIGGER refuse BEFORE INSERT ON run_import FOR EACH ROW {condition} EXECUTE FUNCTION refuse()"
        ),
    };
    let database = app.database.connect().await;
    sqlx::raw_sql(AssertSqlSafe(trigger)).execute(&database).await.unwrap();
    let logs: Vec<String> = (0..10).map(|number| log(&format!("word{number}"))).collect();
    let name = |number| if number == 4 { "refused.ndjson" } else { "kept.ndjson" };
    let files: Vec<_> = logs.iter().enumerate().map(|(number, log)| (name(number), log.as_str())).collect();
    let (status, answer) = send(&mut browser, &files).await;
    assert_eq!((status, &answer["imported"], &answer["failed"]), (200, &json!(9), &json!(1)), "{answer}");
    assert_eq!(answer["results"][4]["error"], "internal", "{answer}");
    let list = get(&mut browser, "/api/runs?q=is:imported").await;
    let names: Vec<&Value> = list["runs"].as_array().unwrap().iter().map(|run| &run["name"]).collect();
    assert_eq!(names, ["kept.ndjson"; 9]);
    // Alone, it has no other result to give.
    let (status, answer) = send(&mut browser, &files[4..5]).await;
    assert_eq!((status, &answer["error"]), (500, &json!("internal")), "{answer}");
    database.close().await;
}

#[tokio::test]
async fn small_logs_that_come_together_share_transactions() {
    let app = TestApp::start().await;
    // Only PostgreSQL says which transaction has written a row.
    if app.database.url.starts_with("sqlite:") {
        return;
    }
    let mut browser = app.signed_in(DEMO).await;
    let logs: Vec<String> = (0..60).map(|number| log(&format!("word{number}"))).collect();
    let files: Vec<_> = logs.iter().map(|log| ("a.ndjson", log.as_str())).collect();
    assert_eq!(send(&mut browser, &files).await.1["imported"], 60);
    let database = app.database.connect().await;
    let count = "SELECT COUNT(DISTINCT CAST(xmin AS TEXT)) FROM run_import";
    let transactions: i64 = sqlx::query_scalar(count).fetch_one(&database).await.unwrap();
    assert!(transactions < 40, "{transactions} transactions for 60 imports");
    database.close().await;
}

#[tokio::test]
async fn a_log_becomes_the_same_run_however_it_is_stored() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let run = json!({ "name": "refunds", "metadata": { "customer": "acme" }, "createdAtMs": 1_760_000_000_000_i64,
        "tokens": { "inputTokens": 900, "outputTokens": 80, "cachedTokens": 0, "reasoningTokens": 0 } });
    let spec = json!({ "prompt": "Refund order 17", "modelId": "sandbox/script" });
    let export = json!({ "runlens": 1, "run": run, "spec": spec }).to_string() + "\n" + &log("cerise");
    let unordered: String = log("ochre").lines().rev().map(|line| format!("{line}\n")).collect();
    let twice = log("twice") + &log("again");
    let late = log("late") + "{\"seq\":9,\"type\":\"assistant_message\",\"data\":{\"text\":\"More.\"}}\n";
    let failed = log("wrong").replace(
        "\"result\",\"data\":{\"subtype\"",
        "\"error\",\"data\":{\"errorClass\":\"server\",\"error\":\"Broken\",\"subtype\"",
    );
    for log in [export, unordered, twice, late, failed] {
        // So many empty lines are streamed.
        let long = log.clone() + &"\n".repeat(300_000);
        let mut shown = Vec::new();
        for text in [&log, &long] {
            let (_, answer) = send(&mut browser, &[("a.ndjson", text)]).await;
            let id = answer["results"][0]["runId"].as_str().unwrap().to_owned();
            let mut run = get(&mut browser, &format!("/api/runs/{id}")).await;
            if run["createdAtMs"] != json!(1_760_000_000_000_i64) {
                run["createdAtMs"] = Value::Null;
            }
            let mut parts = vec![run, get(&mut browser, &format!("/api/runs/{id}/timeline")).await];
            parts.push(get(&mut browser, &format!("/api/runs/{id}/events")).await);
            let mut report = answer["results"][0]["report"].clone();
            report["importedAtMs"] = Value::Null;
            parts.push(report);
            shown.push(Value::Array(parts).to_string().replace(&id, "ID"));
        }
        assert_eq!(shown[0], shown[1], "{log}");
    }
    for text in
        ["cerise", "customer:acme", "refund-order-17", "tool:recall", "is:imported", "name:refunds", "status:failed"]
    {
        let found = get(&mut browser, &format!("/api/count?q={text}")).await;
        assert!(found["runs"].as_u64().is_some_and(|runs| runs >= 2 && runs.is_multiple_of(2)), "{text}: {found}");
    }
}

#[tokio::test]
async fn the_command_imports_many_files_and_lists_them_in_their_order() {
    let app = TestApp::start().await;
    let dir = tempfile::tempdir().unwrap();
    let names: Vec<String> = (0..90).map(|number| format!("{number}.ndjson")).collect();
    for (number, name) in names.iter().enumerate() {
        let text = match number {
            // A file without events, and one that is streamed.
            30 => "no log".to_owned(),
            60 => log("long") + &"\n".repeat(300_000),
            _ => log(&format!("word{number}")),
        };
        std::fs::write(dir.path().join(name), text).unwrap();
    }
    let command = tokio::process::Command::new(env!("CARGO_BIN_EXE_runlens"))
        .arg("import")
        .args(&names)
        .current_dir(dir.path())
        .env_clear()
        .env("DATABASE_URL", &app.database.url)
        .env("RUNLENS_DATA_DIR", dir.path())
        .output()
        .await
        .unwrap();
    let (printed, errors) = (String::from_utf8_lossy(&command.stdout), String::from_utf8_lossy(&command.stderr));
    assert!(!command.status.success() && errors.contains("1 of 90 files could not be imported"), "{errors}");
    assert!(errors.contains("30.ndjson: No run events found."), "{errors}");
    let listed: Vec<&str> = printed.lines().filter_map(|line| line.rsplit('\t').next()).collect();
    let stored: Vec<&String> = names.iter().filter(|name| *name != "30.ndjson").collect();
    assert_eq!(listed, stored);
    let mut browser = app.signed_in(DEMO).await;
    let count = get(&mut browser, "/api/count?q=is:imported+status:succeeded").await;
    assert_eq!(count["runs"], 89, "{count}");
}
