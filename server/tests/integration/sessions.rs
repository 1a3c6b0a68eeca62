//! Session pages: the list, the conversation with links to its runs, and the forms that send a message or end the
//! session.

use reqwest::Method;
use serde_json::{Value, json};

use crate::harness::{Browser, DEMO, OTHER, TestApp, api_key};

/// Creates a session in the sandbox, with a secret in its spec.
pub async fn session(app: &TestApp) -> String {
    let tool = json!({ "kind": "mcp", "name": "desk", "url": "https://mcp.example.com", "headers": { "Authorization": "Bearer hidden-word" } });
    let spec = json!({
        "systemPrompt": "You help.", "modelId": "sandbox/script", "name": "desk",
        "metadata": { "customer": "acme", "env": "prod" }, "tools": [tool],
    });
    post(app, "agent-sessions", spec).await["sessionId"].as_str().unwrap().to_owned()
}

pub async fn say(app: &TestApp, session: &str, body: Value) -> String {
    let run =
        post(app, &format!("agent-sessions/{session}/messages"), body).await["runId"].as_str().unwrap().to_owned();
    app.sandbox_stream(DEMO, &run).await;
    run
}

async fn post(app: &TestApp, path: &str, body: Value) -> Value {
    let url = format!("{}/api/v1/workspaces/{DEMO}/{path}", app.sandbox_url());
    app.http.post(url).bearer_auth(api_key(DEMO)).json(&body).send().await.unwrap().json().await.unwrap()
}

async fn call(browser: &mut Browser, function: &str, form: &[(&str, &str)]) -> (u16, String) {
    let answer = browser.request(Method::POST, browser.url(&format!("/rpc/{function}")), form).await;
    (answer.status, answer.body)
}

#[tokio::test]
async fn a_conversation_links_to_its_runs_and_shows_their_own_metadata() {
    let app = TestApp::start().await;
    let id = session(&app).await;
    let first = say(&app, &id, json!({ "prompt": "/say One.", "tools": [] })).await;
    let second = say(&app, &id, json!({ "prompt": "/say Two.", "tools": [], "metadata": { "env": "dev" } })).await;
    let mut browser = app.signed_in(DEMO).await;
    let list = browser.open("/sessions?q=customer:acme").await.body;
    assert!(list.contains(&format!("href=\"/sessions/{id}\"")), "{list}");
    assert!(!browser.open("/sessions?q=customer:globex").await.body.contains(&format!("href=\"/sessions/{id}\"")));
    let page = browser.open(&format!("/sessions/{id}")).await.body;
    let place = |text: &str| page.find(text).unwrap_or_else(|| panic!("{text} is missing: {page}"));
    assert!(place(&format!("href=\"/runs/{first}\"")) < place(&format!("href=\"/runs/{second}\"")));
    let own = place("class=\"overridden\"");
    assert!(own > place(&format!("href=\"/runs/{second}\"")) && page[own..].contains("/runs?q=env:dev"));
    assert!(page.contains("Inherited by every run") && !page.contains("hidden-word"));
    assert!(browser.open(&format!("/runs/{first}")).await.body.contains(&format!("href=\"/sessions/{id}\"")));
}

#[tokio::test]
async fn only_its_own_workspace_can_continue_or_end_a_session() {
    let app = TestApp::start().await;
    let id = session(&app).await;
    let mut stranger = app.signed_in(OTHER).await;
    let message = [("id", id.as_str()), ("text", "/say Hello.")];
    assert_eq!(call(&mut stranger, "send-message", &message).await.0, 404);
    assert_eq!(call(&mut stranger, "end-session", &[("id", id.as_str())]).await.0, 404);
    assert_eq!(stranger.open(&format!("/sessions/{id}")).await.status, 404);

    let mut browser = app.signed_in(DEMO).await;
    let (status, body) = call(&mut browser, "send-message", &[("id", id.as_str()), ("text", " ")]).await;
    assert_eq!(status, 400, "{body}");
    assert_eq!(call(&mut browser, "send-message", &message).await.0, 200);
    assert!(browser.open(&format!("/sessions/{id}")).await.body.contains("/say Hello."));
    assert_eq!(call(&mut browser, "end-session", &[("id", id.as_str())]).await.0, 200);
    assert!(browser.open(&format!("/sessions/{id}")).await.body.contains("This session has ended"));
    let (status, body) = call(&mut browser, "send-message", &message).await;
    assert!(status == 409 && body.contains("The session has ended"), "{status} {body}");
}

#[tokio::test]
async fn long_conversations_are_paged_with_their_runs() {
    let app = TestApp::start().await;
    let id = session(&app).await;
    let mut runs = Vec::new();
    for i in 0..60 {
        runs.push(say(&app, &id, json!({ "prompt": format!("/say Answer {i}."), "tools": [] })).await);
    }
    let mut browser = app.signed_in(DEMO).await;
    let newest = browser.open(&format!("/sessions/{id}")).await.body;
    assert!(newest.contains(&format!("href=\"/runs/{}\"", runs[59])) && !newest.contains(&runs[0]));
    let earlier =
        newest.split("href=\"").find(|rest| rest.contains("Earlier messages")).expect("a link to earlier ones");
    let earlier = earlier.split('"').next().unwrap().replace("&amp;", "&");
    let page = browser.open(&earlier).await.body;
    assert!(page.contains(&format!("href=\"/runs/{}\"", runs[0])), "{earlier}");
    assert!(page.contains("Newest messages") && !page.contains("Earlier messages"));
}

#[tokio::test]
async fn a_session_without_a_name_is_titled_by_its_first_prompt() {
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let form = browser.open("/sessions/new").await;
    assert_eq!(form.status, 200);
    let new = |text: &'static str| {
        [("key", "key-of-one-form"), ("model", "sandbox/script"), ("system_prompt", "You help."), ("text", text)]
    };
    let (status, body) = call(&mut browser, "start-session", &new("  ")).await;
    assert_eq!(status, 400, "{body}");
    let (status, href) = call(&mut browser, "start-session", &new("/say What is the refund policy?")).await;
    assert_eq!(status, 200, "{href}");
    let again = call(&mut browser, "start-session", &new("/say What is the refund policy?")).await;
    assert_eq!((200, href.clone()), again, "a form that is sent twice starts one session");
    let href: String = serde_json::from_str(&href).unwrap();
    let page = browser.open(&href).await;
    assert_eq!(page.status, 200);
    assert!(page.body.contains("<title>/say What is the refund policy? · Runlens</title>"), "{}", page.body);
    let list = browser.open("/sessions").await.body;
    assert!(list.contains(&format!("href=\"{href}\" class=\"run-name\">/say What is the refund policy?")), "{list}");
}
