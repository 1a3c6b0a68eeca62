//! The live relay: from the first event, from any seq, to the end.

use std::time::Duration;

use protocol::sse::Frames;
use runlens::config::MantyxConfig;
use serde_json::{Value, json};

use crate::harness::{Browser, DEMO, Proxy, TestApp, api_key};

/// A stream that ends only by keep-alive comments would be read forever.
const STREAM_LIMIT: Duration = Duration::from_secs(60);

/// One update of the relay: text to append, or the seq up to which something else happened.
#[derive(Debug)]
struct Update {
    seq: u64,
    text: Option<String>,
}

fn parse(frame: &protocol::sse::Frame) -> Update {
    let data: Value = serde_json::from_str(&frame.data).unwrap();
    let fields: Vec<&String> = data.as_object().unwrap().keys().collect();
    assert!(fields == ["seq"] || fields == ["seq", "text"], "{fields:?}");
    let update = Update { seq: data["seq"].as_u64().unwrap(), text: data["text"].as_str().map(str::to_owned) };
    assert_eq!(frame.id.as_deref(), Some(update.seq.to_string().as_str()));
    update
}

/// Reads a relay stream until it ends, or until `is_enough`.
async fn read(
    app: &TestApp,
    browser: &Browser,
    path: &str,
    last_event_id: Option<u64>,
    is_enough: impl Fn(&[Update]) -> bool,
) -> Vec<Update> {
    let mut request = app.http.get(app.url(path));
    request = request.header("cookie", format!("runlens_session={}", browser.cookies["runlens_session"]));
    if let Some(seq) = last_event_id {
        request = request.header("last-event-id", seq);
    }
    let mut response = request.send().await.unwrap();
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let (mut frames, mut updates) = (Frames::default(), Vec::new());
    let reading = async {
        while !is_enough(&updates) {
            let Some(bytes) = response.chunk().await.unwrap() else { break };
            for frame in frames.push(&bytes).unwrap() {
                match frame.event.as_deref() {
                    Some("end") => return,
                    Some(_) => {}
                    None => updates.push(parse(&frame)),
                }
            }
        }
    };
    tokio::time::timeout(STREAM_LIMIT, reading).await.expect("the stream ends or brings what is awaited");
    updates
}

fn text(updates: &[Update]) -> String {
    updates.iter().filter_map(|update| update.text.as_deref()).collect()
}

/// The stored log, as the JSON API gives it.
async fn stored_events(app: &TestApp, run_id: &str) -> Vec<Value> {
    let request = app.http.get(app.url(&format!("/api/runs/{run_id}/events"))).bearer_auth(api_key(DEMO));
    let body = request.send().await.unwrap().text().await.unwrap();
    body.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn assert_whole(events: &[Value]) {
    let seqs: Vec<u64> = events.iter().map(|event| event["seq"].as_u64().unwrap()).collect();
    assert_eq!(seqs, (1..=events.len() as u64).collect::<Vec<_>>());
    assert_eq!(events.last().unwrap()["type"], "result");
}

#[tokio::test]
async fn a_run_in_progress_is_followed_to_its_end() {
    let app = TestApp::start().await;
    let browser = app.signed_in(DEMO).await;
    let tools = json!({ "tools": [{ "kind": "local", "name": "approve" }] });
    let id = app.start_run(DEMO, "/say One moment.\n/call approve {\"amount\":42}\n/say Approved.", tools).await;
    let call = app.pending_call(DEMO, &id).await;
    let path = format!("/runs/{id}/live");
    let text_has_ended = |updates: &[Update]| updates.last().is_some_and(|last| last.text.is_none() && last.seq > 1);
    let waiting = read(&app, &browser, &path, None, text_has_ended).await;
    assert_eq!(text(&waiting).trim(), "One moment.");
    let last = waiting.last().unwrap().seq;

    let mut page = app.browser();
    page.cookies = browser.cookies.clone();
    let html = page.open(&format!("/runs/{id}")).await.body;
    assert!(html.contains("data-kind=\"waiting_local_tool\""), "{html}");

    app.answer_tool(DEMO, &id, &call, "yes").await;
    let rest = read(&app, &browser, &format!("{path}?after={last}"), None, |_| false).await;
    assert_eq!(text(&rest).trim(), "Approved.");
    assert!(rest.iter().all(|update| update.seq > last));
    let events = stored_events(&app, &id).await;
    assert_whole(&events);
    assert_eq!(rest.last().unwrap().seq, events.len() as u64);
    let whole = read(&app, &browser, &path, None, |_| false).await;
    assert_eq!(text(&whole), text(&waiting) + &text(&rest));
}

#[tokio::test]
async fn other_events_than_text_come_as_one_seq() {
    let app = TestApp::start().await;
    let browser = app.signed_in(DEMO).await;
    let id = app.finished_run(DEMO, "/say one two three", json!({})).await;
    let updates = read(&app, &browser, &format!("/runs/{id}/live"), None, |_| false).await;
    let events = stored_events(&app, &id).await;
    assert_eq!(updates.last().unwrap().seq, events.len() as u64);
    let deltas = events.iter().filter(|event| event["type"] == "assistant_delta").count();
    assert_eq!(updates.iter().filter(|update| update.text.is_some()).count(), deltas);
    let is_collapsed = |pair: &[Update]| pair[0].text.is_some() || pair[1].text.is_some();
    assert!(updates.windows(2).all(is_collapsed), "{updates:?}");
}

#[tokio::test]
async fn a_browser_that_reconnects_continues_from_its_last_seq() {
    let app = TestApp::start().await;
    let browser = app.signed_in(DEMO).await;
    let id = app.finished_run(DEMO, "/say one two three four five six", json!({})).await;
    let path = format!("/runs/{id}/live?after=0");
    let whole = read(&app, &browser, &path, None, |_| false).await;
    let last = whole.last().unwrap().seq;
    for seen in 0..=last {
        let rest = read(&app, &browser, &path, Some(seen), |_| false).await;
        let expected: String = whole.iter().filter(|update| update.seq > seen).filter_map(|u| u.text.clone()).collect();
        assert_eq!((text(&rest), rest.iter().all(|update| update.seq > seen)), (expected, true), "after {seen}");
        assert_eq!(rest.last().map_or(last, |update| update.seq), last, "after {seen}");
    }
}

#[tokio::test]
async fn the_end_of_a_followed_run_is_recorded() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let id = app.start_run(DEMO, "/say partial\n/truncate", json!({})).await;
    read(&app, &browser, &format!("/runs/{id}/live"), None, |_| false).await;
    let list = browser.open("/runs?q=status:failed").await.body;
    assert!(list.contains(&id) && list.contains("truncated"), "{list}");
}

#[tokio::test]
async fn a_stream_that_breaks_repeatedly_loses_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let mut settings = sandbox::Config::new(([127, 0, 0, 1], 0).into(), dir.path().join("far.db"));
    settings.demo = false;
    let far = sandbox::start(settings).await.unwrap();
    let proxy = Proxy::to(far.addr()).await;
    let app = TestApp::start_with(|config| {
        config.mantyx = MantyxConfig::Remote {
            url: format!("http://{}", proxy.addr).parse().unwrap(),
            client_id: sandbox::CLIENT_ID.to_owned(),
            client_secret: sandbox::CLIENT_SECRET.to_owned(),
        };
    })
    .await;
    let runs = format!("{}/api/v1/workspaces/demo/agent-runs", far.url());
    let script = format!("/say {}", "many words in a row ".repeat(40));
    let spec = json!({ "systemPrompt": "You help.", "modelId": "sandbox/script", "prompt": script });
    let created: Value =
        app.http.post(runs).bearer_auth(api_key(DEMO)).json(&spec).send().await.unwrap().json().await.unwrap();
    let id = created["runId"].as_str().unwrap();
    let url = app.url(&format!("/runs/{id}/live"));
    let mut response = app.http.get(url).bearer_auth(api_key(DEMO)).send().await.unwrap();
    let (mut frames, mut updates) = (Frames::default(), Vec::<Update>::new());
    let reading = async {
        while let Some(bytes) = response.chunk().await.unwrap() {
            for frame in frames.push(&bytes).unwrap().iter().filter(|frame| frame.event.is_none()) {
                updates.push(parse(frame));
                if updates.len() % 7 == 0 {
                    proxy.cut();
                }
            }
        }
    };
    tokio::time::timeout(STREAM_LIMIT, reading).await.expect("the stream ends");
    assert!(updates.len() > 21, "{updates:?}");
    assert_eq!(text(&updates).trim(), "many words in a row ".repeat(40).trim());
    let events = stored_events(&app, id).await;
    assert_whole(&events);
    assert_eq!(updates.last().unwrap().seq, events.len() as u64);
}

#[tokio::test]
async fn watching_needs_a_sign_in() {
    let app = TestApp::start().await;
    let id = app.finished_run(DEMO, "/say hello", json!({})).await;
    assert_eq!(app.browser().open(&format!("/runs/{id}/live")).await.status, 401);
}
