//! The live relay: from the first event, from any seq, to the end.

use protocol::Event;
use protocol::sse::Frames;
use runlens::config::MantyxConfig;
use serde_json::json;

use crate::harness::{Browser, DEMO, Proxy, TestApp, api_key};

/// Events of a relay stream until it ends, or until `enough` says so.
async fn read(
    app: &TestApp,
    browser: &Browser,
    path: &str,
    seen: Option<u64>,
    enough: impl Fn(&[Event]) -> bool,
) -> Vec<Event> {
    let mut request = app.http.get(app.url(path));
    request = request.header("cookie", format!("runlens_session={}", browser.cookies["runlens_session"]));
    if let Some(seen) = seen {
        request = request.header("last-event-id", seen);
    }
    let mut response = request.send().await.unwrap();
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let (mut frames, mut events) = (Frames::default(), Vec::new());
    while !enough(&events) {
        let Some(bytes) = response.chunk().await.unwrap() else { break };
        for frame in frames.push(&bytes).unwrap() {
            if frame.event.as_deref() == Some("end") {
                return events;
            }
            let event = Event::parse(&frame.data).unwrap();
            assert_eq!(frame.id.as_deref(), Some(event.seq.to_string().as_str()));
            events.push(event);
        }
    }
    events
}

fn seqs(events: &[Event]) -> Vec<u64> {
    events.iter().map(|event| event.seq).collect()
}

#[tokio::test]
async fn a_run_in_progress_is_followed_to_its_end() {
    let app = TestApp::start().await;
    let browser = app.signed_in(DEMO).await;
    let tools = json!({ "tools": [{ "kind": "local", "name": "approve" }] });
    let id = app.start_run(DEMO, "/say One moment.\n/call approve {\"amount\":42}\n/say Approved.", tools).await;
    let path = format!("/runs/{id}/live");
    let waiting =
        read(&app, &browser, &path, None, |events| events.iter().any(|event| event.kind == "local_tool_call")).await;
    let call = waiting.iter().find(|event| event.kind == "local_tool_call").unwrap();
    let last = waiting.last().unwrap().seq;

    let mut page = app.browser();
    page.cookies = browser.cookies.clone();
    let html = page.open(&format!("/runs/{id}")).await.body;
    assert!(html.contains("data-kind=\"waiting_local_tool\""), "{html}");

    app.answer_tool(DEMO, &id, call.data["toolUseId"].as_str().unwrap(), "yes").await;
    let rest = read(&app, &browser, &format!("{path}?after={last}"), None, |_| false).await;
    assert!(rest.last().unwrap().is_terminal());
    let whole = read(&app, &browser, &path, None, |_| false).await;
    assert_eq!(seqs(&whole), (1..=whole.len() as u64).collect::<Vec<_>>());
    assert_eq!(seqs(&rest), (last + 1..=whole.len() as u64).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_browser_that_reconnects_reads_on_from_what_it_has() {
    let app = TestApp::start().await;
    let browser = app.signed_in(DEMO).await;
    let id = app.finished_run(DEMO, "/say one two three four five six", json!({})).await;
    let path = format!("/runs/{id}/live?after=0");
    let whole = read(&app, &browser, &path, None, |_| false).await;
    for seen in 0..=whole.len() as u64 {
        let rest = read(&app, &browser, &path, Some(seen), |_| false).await;
        assert_eq!(seqs(&rest), (seen + 1..=whole.len() as u64).collect::<Vec<_>>(), "after {seen}");
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
async fn a_stream_that_is_cut_again_and_again_loses_nothing() {
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
    let created: serde_json::Value =
        app.http.post(runs).bearer_auth(api_key(DEMO)).json(&spec).send().await.unwrap().json().await.unwrap();
    let url = app.url(&format!("/runs/{}/live", created["runId"].as_str().unwrap()));
    let mut response = app.http.get(url).bearer_auth(api_key(DEMO)).send().await.unwrap();
    let (mut frames, mut events) = (Frames::default(), Vec::<Event>::new());
    while let Some(bytes) = response.chunk().await.unwrap() {
        for frame in frames.push(&bytes).unwrap().into_iter().filter(|frame| frame.event.is_none()) {
            events.push(Event::parse(&frame.data).unwrap());
            if events.len() % 7 == 0 {
                proxy.cut();
            }
        }
    }
    assert!(events.len() > 21 && events.last().unwrap().is_terminal());
    assert_eq!(seqs(&events), (1..=events.len() as u64).collect::<Vec<_>>());
}

#[tokio::test]
async fn watching_needs_a_sign_in() {
    let app = TestApp::start().await;
    let id = app.finished_run(DEMO, "/say hello", json!({})).await;
    assert_eq!(app.browser().open(&format!("/runs/{id}/live")).await.status, 401);
}
