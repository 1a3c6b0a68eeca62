//! Discovery of real MCP servers and A2A agents, made with the official Python packages.

use serde_json::{Value, json};

use crate::harness::{Browser, DEMO, OTHER, Peer, TestApp, allow_loopback, stdio_command};

/// Asks an MCP server for its tools with the launch form: the tool as the form has it then, or what is wrong.
async fn discover(browser: &mut Browser, endpoint: Value) -> Result<Value, String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let header = endpoint["headers"].as_object().and_then(|headers| headers.iter().next());
    let (name, value) = header.map(|(name, value)| (name.clone(), text(value))).unwrap_or_default();
    let (url, command) = (text(&endpoint["url"]), text(&endpoint["command"]));
    let source = [("url", &url), ("command", &command), ("header", &name), ("value", &value)];
    ask(browser, "mcp_local", "discover-tools", &source).await
}

/// Fetches an agent's card with the launch form.
async fn fetch_card(browser: &mut Browser, url: &str) -> Result<Value, String> {
    ask(browser, "a2a_local", "load-card", &[("url", &url.to_owned())]).await.map(|tool| tool["agentCard"].clone())
}

async fn ask(browser: &mut Browser, kind: &str, action: &str, source: &[(&str, &String)]) -> Result<Value, String> {
    let page = browser.launch_form_with(&json!({ "tools": [{ "kind": kind }] })).await;
    let fields: Vec<(String, &str)> =
        source.iter().map(|(part, text)| (format!("source:/tools/0#{part}"), text.as_str())).collect();
    let mut fields: Vec<(&str, &str)> = fields.iter().map(|(name, text)| (name.as_str(), *text)).collect();
    let action = format!("{action}:/tools/0");
    fields.push(("action", &action));
    let page = browser.change_launch_form(&page, &fields).await;
    match page.problems.as_slice() {
        [] => Ok(serde_json::from_str::<Value>(&page.json).unwrap()["tools"][0].clone()),
        problems => Err(problems.iter().map(|problem| problem.message.as_str()).collect()),
    }
}

fn names(found: &Value) -> Vec<&str> {
    found["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn an_mcp_server_is_discovered_over_http() {
    let peer = Peer::mcp().await;
    let app = TestApp::start_with(allow_loopback).await;
    let mut browser = app.signed_in(DEMO).await;
    let found = discover(&mut browser, json!({ "url": peer.url("/mcp") })).await.unwrap();
    assert_eq!(
        (&found["serverInfo"]["name"], &found["serverInfo"]["version"]),
        (&json!("Calculator"), &json!("1.2.3"))
    );
    assert_eq!(names(&found), ["add", "count", "fail", "wait", "environment", "whoami"]);
    assert_eq!(found["tools"][0]["inputSchema"]["required"], json!(["a", "b"]));
}

#[tokio::test]
async fn an_mcp_server_is_discovered_over_stdio_only_where_the_operator_allows_the_command() {
    let command = stdio_command().await;
    let app = TestApp::start_with(|config| config.mcp_commands = command.parse().unwrap()).await;
    let mut browser = app.signed_in(DEMO).await;
    let found = discover(&mut browser, json!({ "command": command })).await.unwrap();
    assert!(names(&found).contains(&"add"), "{found}");
    let other = format!("{command} --more");
    let error = discover(&mut browser, json!({ "command": other })).await.unwrap_err();
    assert!(error.contains("RUNLENS_MCP_COMMANDS"), "{error}");
}

#[tokio::test]
async fn commands_and_hosts_of_one_workspace_are_refused_to_others() {
    let peer = Peer::mcp().await;
    let command = stdio_command().await;
    let app = TestApp::start_with(|config| {
        config.mcp_commands = format!("demo={command}").parse().unwrap();
        config.outbound_allow = "demo=127.0.0.1".parse().unwrap();
    })
    .await;
    let (over_stdio, over_http) = (json!({ "command": command }), json!({ "url": peer.url("/mcp") }));
    let mut owner = app.signed_in(DEMO).await;
    for endpoint in [&over_stdio, &over_http] {
        assert!(names(&discover(&mut owner, endpoint.clone()).await.unwrap()).contains(&"add"), "{endpoint}");
    }
    let mut stranger = app.signed_in(OTHER).await;
    let error = discover(&mut stranger, over_stdio).await.unwrap_err();
    assert!(error.contains("RUNLENS_MCP_COMMANDS"), "{error}");
    let error = discover(&mut stranger, over_http).await.unwrap_err();
    assert!(error.contains("public addresses"), "{error}");
}

#[tokio::test]
async fn what_is_not_an_mcp_server_is_said_not_to_be() {
    let peer = Peer::mcp().await;
    let app = TestApp::start_with(allow_loopback).await;
    let mut browser = app.signed_in(DEMO).await;
    for (path, words) in [("/nothing", "404"), ("", "404")] {
        let error = discover(&mut browser, json!({ "url": peer.url(path) })).await.unwrap_err();
        assert!(error.contains(words), "{path}: {error}");
    }
    let line_break = json!({ "url": peer.url("/mcp"), "headers": { "X-Key": "a\r\nHost: b" } });
    let error = discover(&mut browser, line_break).await.unwrap_err();
    assert!(error.contains("line break"), "{error}");
}

#[tokio::test]
async fn peers_on_private_networks_are_not_reached_unless_allowed() {
    let (mcp, a2a) = (Peer::mcp().await, Peer::a2a().await);
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let error = discover(&mut browser, json!({ "url": mcp.url("/mcp") })).await.unwrap_err();
    assert!(error.contains("RUNLENS_OUTBOUND_ALLOW"), "{error}");
    let error = fetch_card(&mut browser, &a2a.url("")).await.unwrap_err();
    assert!(error.contains("RUNLENS_OUTBOUND_ALLOW"), "{error}");
    // The embedded sandbox is this machine's too, and allowed.
    let error = discover(&mut browser, json!({ "url": app.sandbox_url() })).await.unwrap_err();
    assert!(!error.contains("RUNLENS_OUTBOUND_ALLOW"), "{error}");
}

#[tokio::test]
async fn an_agents_card_is_found_at_its_well_known_places() {
    let (new, old) = (Peer::a2a().await, Peer::old_a2a().await);
    let app = TestApp::start_with(allow_loopback).await;
    let mut browser = app.signed_in(DEMO).await;
    for (peer, path) in [(&new, ""), (&new, "/rpc"), (&new, "/.well-known/agent-card.json"), (&old, "")] {
        let card = fetch_card(&mut browser, &peer.url(path)).await.unwrap();
        assert_eq!(card["name"], "Weather", "{path}: {card}");
    }
    let error = fetch_card(&mut browser, &new.url("/elsewhere.json")).await.unwrap_err();
    assert!(error.contains("no agent card"), "{error}");
}

#[tokio::test]
async fn nobody_signed_out_makes_this_server_send_requests() {
    let app = TestApp::start_with(allow_loopback).await;
    let mut browser = app.signed_in(DEMO).await;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    for (kind, action) in [("mcp_local", "discover-tools:/tools/0"), ("a2a_local", "load-card:/tools/0")] {
        let page = browser.launch_form_with(&json!({ "tools": [{ "kind": kind }] })).await;
        let mut nobody = app.browser();
        let fields = [("draft", page.draft.as_str()), ("source:/tools/0#url", url.as_str()), ("action", action)];
        assert_eq!(nobody.send_parts("/launch", &fields, &[], "application/json").await.status, 401);
    }
    let asked = tokio::time::timeout(std::time::Duration::from_millis(300), listener.accept()).await;
    assert!(asked.is_err(), "a request was sent");
}
