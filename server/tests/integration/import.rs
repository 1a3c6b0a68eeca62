//! Import and export of logs.

use reqwest::Method;
use reqwest::header::{LOCATION, ORIGIN};
use serde_json::{Value, json};

use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::harness::{Answer, Browser, DEMO, OTHER, TestApp, api_key, eventually};

const LOG: &str = "{\"seq\":1,\"type\":\"assistant_message\",\"data\":{\"text\":\"Hi <b>there</b>.\"}}\n{\"seq\":2,\"type\":\"result\",\"data\":{\"text\":\"Hi <b>there</b>.\"}}\n";

async fn import(browser: &mut Browser, body: impl Into<reqwest::Body>) -> Answer {
    let url = browser.url("/api/import?name=a.ndjson");
    let request = reqwest::Client::new().post(url.clone()).header(ORIGIN, url.origin().ascii_serialization());
    browser.send(request.body(body), url).await
}

fn imported(answer: &Answer) -> (String, Value) {
    assert_eq!(answer.status, 201, "{}", answer.body);
    let body: Value = serde_json::from_str(&answer.body).unwrap();
    (body["runId"].as_str().unwrap().to_owned(), body["report"].clone())
}

#[tokio::test]
async fn a_log_in_any_format_becomes_a_run_like_any_other() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let array = format!("[{}]", LOG.trim().replace('\n', ","));
    let frames: String = LOG.lines().map(|line| format!("data: {line}\n\n")).collect();
    for text in [LOG.to_owned(), array, frames] {
        let (id, report) = imported(&import(&mut browser, text.clone()).await);
        assert_eq!((&report["events"], &report["faultCount"]), (&json!(2), &json!(0)), "{text}");
        let page = browser.open(&format!("/runs/{id}")).await;
        assert_eq!(page.status, 200);
        assert!(page.body.contains("Imported") && page.body.contains("Hi &lt;b&gt;there"), "{}", page.body);
    }
    let list = browser.open("/api/runs?q=is:imported").await;
    let list: Value = serde_json::from_str(&list.body).unwrap();
    assert_eq!(list["runs"].as_array().map(Vec::len), Some(3));
    assert_eq!(list["runs"][0]["status"], "succeeded");
}

#[tokio::test]
async fn the_list_has_the_model_and_the_duration_of_an_imported_log() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let log = "{\"seq\":1,\"at\":1700000000000,\"type\":\"assistant_message\",\"data\":{\"text\":\"Hi.\",\"model\":\"m-1\"}}\n\
               {\"seq\":2,\"at\":1700000004000,\"type\":\"result\",\"data\":{\"text\":\"Hi.\"}}\n";
    let (id, _) = imported(&import(&mut browser, log).await);
    let list = browser.open("/api/runs?q=model:m-1").await;
    let list: Value = serde_json::from_str(&list.body).unwrap();
    let run = &list["runs"][0];
    assert_eq!((&run["id"], &run["model"], &run["durationMs"]), (&json!(id), &json!("m-1"), &json!(4_000)), "{list}");
}

#[tokio::test]
async fn an_imported_log_without_an_end_is_found_as_incomplete() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    imported(&import(&mut browser, LOG).await);
    let (id, _) = imported(&import(&mut browser, LOG.lines().next().unwrap()).await);
    let list = browser.open("/api/runs?q=is:incomplete").await;
    let list: Value = serde_json::from_str(&list.body).unwrap();
    assert_eq!(list["runs"].as_array().map(Vec::len), Some(1));
    assert_eq!(list["runs"][0]["id"], id);
    assert!(browser.open("/runs?q=").await.body.contains("/runs?q=is:incomplete"), "a facet links there");
}

#[tokio::test]
async fn an_event_with_seq_zero_is_exported_too() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let (id, _) = imported(&import(&mut browser, LOG.replace("\"seq\":1", "\"seq\":0")).await);
    let events = browser.open(&format!("/api/runs/{id}/events")).await.body;
    assert!(events.lines().count() == 2 && events.contains("\"seq\":0"), "{events}");
}

#[tokio::test]
async fn a_tool_that_reports_a_failure_counts_as_failed() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let log = |result: &str| {
        let call = json!({ "text": "", "toolCalls": [{ "id": "a", "name": "refund", "input": {} }] });
        let answer = json!({ "toolUseId": "a", "name": "refund", "result": result });
        let events = [("assistant_message", call), ("tool_result", answer), ("result", json!({ "text": "Done." }))];
        let line = |(seq, (kind, data))| json!({ "seq": seq, "type": kind, "data": data }).to_string();
        (1..).zip(events).map(line).collect::<Vec<_>>().join("\n")
    };
    imported(&import(&mut browser, log(r#"{"ok":true,"refund":17}"#)).await);
    let (id, _) = imported(&import(&mut browser, log(r#"{"ok":false,"reason":"The card has expired."}"#)).await);
    let list: Value = serde_json::from_str(&browser.open("/api/runs?q=is:tool-failed").await.body).unwrap();
    let ids: Vec<&Value> = list["runs"].as_array().unwrap().iter().map(|run| &run["id"]).collect();
    assert_eq!(ids, [&json!(id)]);
    let timeline: Value = serde_json::from_str(&browser.open(&format!("/api/runs/{id}/timeline")).await.body).unwrap();
    assert!(timeline["verdict"].to_string().contains("The only tool call, `refund`, failed."), "{timeline}");
    let page = browser.open(&format!("/runs/{id}")).await;
    assert!(page.body.contains("reported failure"), "{}", page.body);
}

#[tokio::test]
async fn invalid_lines_are_listed_and_the_rest_is_imported() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let log = format!("{LOG}{{oops\n{}\n", LOG.lines().next().unwrap());
    let (id, report) = imported(&import(&mut browser, log).await);
    assert_eq!(report["events"], 2);
    let lines: Vec<&Value> = report["faults"].as_array().unwrap().iter().map(|fault| &fault["line"]).collect();
    assert_eq!(lines, [&json!(3), &json!(4)], "{report}");
    let page = browser.open(&format!("/runs/{id}")).await.body;
    assert!(page.contains("2 places could not be read") && page.contains("Line 3: "), "{page}");
}

#[tokio::test]
async fn a_file_without_events_makes_no_run() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let answer = import(&mut browser, "This is no log.").await;
    assert_eq!(answer.status, 400, "{}", answer.body);
    assert!(answer.body.contains("No run events found"), "{}", answer.body);
    assert!(!browser.open("/api/runs?q=is:imported").await.body.contains("imported_"));
}

#[tokio::test]
async fn a_log_that_never_ends_is_not_shown_as_running() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let (id, _) = imported(&import(&mut browser, LOG.lines().next().unwrap().to_owned()).await);
    let run: Value = serde_json::from_str(&browser.open(&format!("/api/runs/{id}")).await.body).unwrap();
    assert_eq!(run["status"], "failed", "{run}");
    let page = browser.open(&format!("/runs/{id}")).await.body;
    assert!(page.contains("data-kind=\"log_incomplete\"") && page.contains("This file stops at #1"), "{page}");
    assert!(page.contains("incomplete") && !page.contains("The run is over"), "{page}");
}

#[tokio::test]
async fn an_import_that_stopped_with_its_server_is_finished_at_the_next_start() {
    let app = TestApp::start_apart(|_| {}).await;
    // With PostgreSQL another process may still import it.
    if !app.database.url.starts_with("sqlite:") {
        return;
    }
    let mut browser = app.signed_in(DEMO).await;
    let (id, _) = imported(&import(&mut browser, LOG.lines().next().unwrap().to_owned()).await);
    let database = app.database.connect().await;
    let stopped = "UPDATE run SET status = 'running', error = NULL, log_state = 0 WHERE id = $1";
    sqlx::query(stopped).bind(&id).execute(&database).await.unwrap();
    database.close().await;
    let _app = app.replace(|_| {}).await;
    let run: Value = serde_json::from_str(&browser.open(&format!("/api/runs/{id}")).await.body).unwrap();
    assert_eq!(run["status"], "failed", "{run}");
}

#[tokio::test]
async fn a_large_body_is_streamed() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let text = "x".repeat(1_000_000);
    let mut log: String = (1..=20)
        .map(|seq| {
            format!("{{\"seq\":{seq},\"type\":\"tool_result\",\"data\":{{\"name\":\"t\",\"result\":\"{text}\"}}}}\n")
        })
        .collect();
    log.push_str("{\"seq\":21,\"type\":\"result\",\"data\":{\"text\":\"done\"}}\n");
    let (_, report) = imported(&import(&mut browser, log).await);
    assert_eq!((&report["events"], &report["faultCount"]), (&json!(21), &json!(0)));
}

#[tokio::test]
async fn the_form_redirects_to_the_run_or_shows_the_error() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let send = async |browser: &mut Browser, name: &str, file: &str, text: &str| {
        let part = |name: &str, more: &str, body: &str| {
            format!("--edge\r\nContent-Disposition: form-data; name=\"{name}\"{more}\r\n\r\n{body}\r\n")
        };
        let body = part("file", &format!("; filename=\"{name}\""), file) + &part("text", "", text) + "--edge--\r\n";
        let url = browser.url("/import");
        let request = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap();
        let request = request
            .post(url.clone())
            .header(ORIGIN, url.origin().ascii_serialization())
            .header("content-type", "multipart/form-data; boundary=edge")
            .body(body);
        let answer = browser.send(request, url).await;
        assert_eq!(answer.status, 303, "{}", answer.body);
        answer.headers[LOCATION].to_str().unwrap().to_owned()
    };
    assert!(send(&mut browser, "log.ndjson", LOG, "").await.starts_with("/runs/imported_"));
    // Browsers send a file without a name when none is chosen.
    assert!(send(&mut browser, "", "", LOG).await.starts_with("/runs/imported_"));
    for (name, message) in [("", "Choose a file, or paste a log."), ("log.ndjson", "The file log.ndjson is empty.")] {
        let back = send(&mut browser, name, "", "").await;
        let page = browser.open(&back).await.body;
        assert!(page.contains(message), "{page}");
    }
}

#[tokio::test]
async fn an_import_belongs_to_its_workspace_and_to_no_other_origin() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let (id, _) = imported(&import(&mut browser, LOG).await);
    let mut other = app.signed_in(OTHER).await;
    assert_eq!(other.open(&format!("/runs/{id}/export")).await.status, 404);
    assert_eq!(other.open(&format!("/api/runs/{id}")).await.status, 404);
    let url = browser.url("/api/import");
    let request = reqwest::Client::new().post(url.clone()).header(ORIGIN, "https://evil.example").body(LOG);
    assert_eq!(browser.send(request, url).await.status, 403);
    let answer = app.browser().request(Method::GET, browser.url("/import"), &[]).await;
    assert_eq!(answer.status, 303);
}

#[tokio::test]
async fn an_export_is_imported_again_as_the_same_run() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let spec = json!({ "name": "original", "metadata": { "customer": "acme" } });
    let id =
        app.finished_run(DEMO, "/say <script>alert(1)</script> sk-live-0123456789abcdef0123456789abcdef", spec).await;
    let export = browser.open(&format!("/runs/{id}/export")).await.body;
    let (again, report) = imported(&import(&mut browser, export.clone()).await);
    assert_eq!(report["events"].as_u64(), Some(export.lines().count() as u64 - 1));
    let run: Value = serde_json::from_str(&browser.open(&format!("/api/runs/{again}")).await.body).unwrap();
    assert_eq!((&run["name"], &run["metadata"]["customer"]), (&json!("original"), &json!("acme")), "{run}");
    let timeline = async |browser: &mut Browser, id: &str| browser.open(&format!("/api/runs/{id}/timeline")).await.body;
    assert_eq!(timeline(&mut browser, &id).await, timeline(&mut browser, &again).await);

    let report = browser.open(&format!("/runs/{id}/export?format=html")).await;
    assert!(report.headers["content-disposition"].to_str().unwrap().contains(&format!("{id}.html")));
    assert!(report.body.contains("&lt;script&gt;") && !report.body.contains("<script"), "{}", report.body);
    assert!(!report.body.contains("sk-live-0123456789abcdef"), "{}", report.body);
    // Only the person who launched it sees its secrets.
    let whole = browser.open(&format!("/runs/{id}/export?format=html&secrets=true")).await;
    assert_eq!(whole.status, 403, "{}", whole.body);
    let mine = json!({ "systemPrompt": "s", "modelId": "sandbox/script", "prompt": "/say sk-live-0123456789abcdef0123456789abcdef" });
    let mine = browser.launch(&mine).await;
    app.sandbox_stream(DEMO, &mine).await;
    let whole = browser.open(&format!("/runs/{mine}/export?format=html&secrets=true")).await;
    assert!(whole.status == 200 && whole.body.contains("sk-live-0123456789abcdef"), "{}", whole.body);
}

#[tokio::test]
async fn header_values_of_tools_are_not_stored() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let tool = json!({ "kind": "mcp", "name": "far", "url": "https://mcp.example.com/mcp",
        "headers": { "X-Team": "never-to-be-stored" } });
    let spec = json!({ "systemPrompt": "s", "modelId": "sandbox/script", "prompt": "/say hi", "tools": [tool] });
    let id = browser.launch(&spec).await;
    app.sandbox_stream(DEMO, &id).await;
    assert_eq!(browser.open(&format!("/runs/{id}")).await.status, 200);
    // Nothing is hidden from the person who launched it, so what is missing is not stored.
    let report = browser.open(&format!("/runs/{id}/export?format=html&secrets=true")).await;
    assert!(report.status == 200 && report.body.contains("X-Team"), "{}", report.body);
    assert!(!report.body.contains("never-to-be-stored"), "{}", report.body);
    let relaunched: Value = serde_json::from_str(&browser.launch_page(&format!("?like={id}")).await.json).unwrap();
    assert_eq!(relaunched["tools"][0]["headers"], json!({ "X-Team": "" }));
}

/// Waits for the only imported run to match `fits`.
async fn only_import(browser: &mut Browser, fits: impl Fn(&Value) -> bool) -> Value {
    eventually("an import", async || {
        let list: Value = serde_json::from_str(&browser.open("/api/runs?q=is:imported").await.body).unwrap();
        let runs = list["runs"].as_array().unwrap();
        assert!(runs.len() < 2, "{list}");
        runs.first().filter(|run| fits(run)).cloned()
    })
    .await
}

#[tokio::test]
async fn an_interrupted_upload_becomes_a_failed_run() {
    // More events than one batch, so that the run is stored before the file ends; and fewer.
    for events in [2_500, 3] {
        let app = TestApp::start().await;
        let mut browser = app.signed_in(DEMO).await;
        let log: String = (1..=events)
            .map(|seq| format!("{{\"seq\":{seq},\"type\":\"assistant_delta\",\"data\":{{\"text\":\"word \"}}}}\n"))
            .collect();
        let key = api_key(DEMO);
        let head = format!(
            "POST /api/import?name=dropped.ndjson HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {key}\r\nContent-Length: {}\r\n\r\n",
            app.running.addr,
            log.len() * 2,
        );
        let mut client = TcpStream::connect(app.running.addr).await.unwrap();
        client.write_all(format!("{head}{log}").as_bytes()).await.unwrap();
        client.flush().await.unwrap();
        if events > 2_000 {
            only_import(&mut browser, |_| true).await;
        }
        drop(client);
        let run = only_import(&mut browser, |run| run["status"] != "running").await;
        assert_eq!(run["status"], "failed", "{run}");
        let page = browser.open(&format!("/runs/{}", run["id"].as_str().unwrap())).await.body;
        assert!(page.contains("the file ended early") && page.contains("data-kind=\"log_incomplete\""), "{page}");
    }
}

#[tokio::test]
async fn a_compressed_export_is_complete() {
    let app = TestApp::start().await;
    let id = app.finished_run(DEMO, "/say All of it.", json!({})).await;
    for path in [format!("/runs/{id}/export"), format!("/api/runs/{id}/events")] {
        for encoding in ["identity", "gzip", "br"] {
            let request = app.http.get(app.url(&path)).bearer_auth(api_key(DEMO)).header("accept-encoding", encoding);
            let answer = request.send().await.unwrap();
            assert_eq!(answer.status(), 200);
            let said = answer.headers().get("content-encoding").map(|value| value.to_str().unwrap().to_owned());
            assert_eq!(said.as_deref().unwrap_or("identity"), encoding);
            // A body that breaks off is an error here.
            assert!(!answer.bytes().await.unwrap().is_empty(), "{path} as {encoding}");
        }
    }
}

#[tokio::test]
async fn a_form_with_several_files_has_a_result_for_each() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let file = |name: &str, body: &str| {
        format!("--edge\r\nContent-Disposition: form-data; name=\"file\"; filename=\"{name}\"\r\n\r\n{body}\r\n")
    };
    let files = [("a.ndjson", LOG), ("b.txt", "no log"), ("empty.json", ""), ("c.ndjson", LOG)];
    let body = files.iter().map(|(name, body)| file(name, body)).collect::<String>() + "--edge--\r\n";
    let url = browser.url("/import");
    let request = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap();
    let request = request
        .post(url.clone())
        .header(ORIGIN, url.origin().ascii_serialization())
        .header("content-type", "multipart/form-data; boundary=edge")
        .body(body);
    let answer = browser.send(request, url).await;
    assert_eq!(answer.status, 303, "{}", answer.body);
    let page = browser.open(answer.headers[LOCATION].to_str().unwrap()).await.body;
    let place = |text: &str| page.find(text).unwrap_or_else(|| panic!("{text} is missing: {page}"));
    assert!(place(">a.ndjson<") < place(">c.ndjson<"));
    place("b.txt: No run events found");
    place("The file empty.json is empty.");
    assert_eq!(page.matches("href=\"/runs/imported_").count(), 2, "{page}");
}

#[tokio::test]
async fn a_part_of_a_log_and_of_its_timeline_is_requested() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let message =
        |turn: u64| json!({ "seq": turn + 1, "type": "assistant_message", "data": { "text": "Hi", "turn": turn } });
    let log = (0..30).map(|turn| message(turn).to_string()).collect::<Vec<_>>().join("\n");
    let (id, _) = imported(&import(&mut browser, log).await);
    let events = async |browser: &mut Browser, query: &str| -> Vec<u64> {
        let body = browser.open(&format!("/api/runs/{id}/events{query}")).await.body;
        body.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["seq"].as_u64().unwrap()).collect()
    };
    assert_eq!(events(&mut browser, "").await.len(), 30);
    assert_eq!(events(&mut browser, "?from_seq=10&limit=3").await, [10, 11, 12]);
    assert_eq!(events(&mut browser, "?from_seq=29").await, [29, 30]);
    assert_eq!(events(&mut browser, "?from_seq=31").await, [0_u64; 0]);
    let timeline = browser.open(&format!("/api/runs/{id}/timeline?from_seq=10&limit=3")).await.body;
    let timeline: Value = serde_json::from_str(&timeline).unwrap();
    let turns: Vec<u64> =
        timeline["turns"].as_array().unwrap().iter().filter_map(|turn| turn["index"].as_u64()).collect();
    assert_eq!(turns, [9, 10, 11]);
    for query in ["?limit=0", "?limit=x", "?from_seq=-1"] {
        for part in ["events", "timeline"] {
            assert_eq!(browser.open(&format!("/api/runs/{id}/{part}{query}")).await.status, 400, "{part}{query}");
        }
    }
}
