//! Discovery of real MCP servers and A2A agents, made with the official Python packages.

use serde_json::{Value, json};

use crate::harness::{Browser, DEMO, Peer, TestApp, allow_loopback, stdio_command};

async fn discover(browser: &mut Browser, endpoint: Value) -> (u16, Value) {
    browser.call("discover-mcp", &[("endpoint", &endpoint.to_string())]).await
}

fn names(found: &Value) -> Vec<&str> {
    found["tools"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn an_mcp_server_is_discovered_over_http() {
    let peer = Peer::mcp().await;
    let app = TestApp::start_with(allow_loopback).await;
    let mut browser = app.signed_in(DEMO).await;
    let (status, found) = discover(&mut browser, json!({ "over": "http", "url": peer.url("/mcp") })).await;
    assert_eq!(status, 200, "{found}");
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
    let (status, found) = discover(&mut browser, json!({ "over": "stdio", "command": command })).await;
    assert_eq!(status, 200, "{found}");
    assert!(names(&found).contains(&"add"), "{found}");
    let other = format!("{command} --more");
    let (status, refused) = discover(&mut browser, json!({ "over": "stdio", "command": other })).await;
    assert!(status == 400 && refused.to_string().contains("RUNLENS_MCP_COMMANDS"), "{refused}");
}

#[tokio::test]
async fn what_is_not_an_mcp_server_is_said_not_to_be() {
    let peer = Peer::mcp().await;
    let app = TestApp::start_with(allow_loopback).await;
    let mut browser = app.signed_in(DEMO).await;
    for (path, words) in [("/nothing", "404"), ("", "404")] {
        let (status, error) = discover(&mut browser, json!({ "over": "http", "url": peer.url(path) })).await;
        assert!(status == 400 && error.to_string().contains(words), "{path}: {error}");
    }
    let line_break = json!({ "over": "http", "url": peer.url("/mcp"), "headers": { "X-Key": "a\r\nHost: b" } });
    let (status, error) = discover(&mut browser, line_break).await;
    assert!(status == 400 && error.to_string().contains("line break"), "{error}");
}

#[tokio::test]
async fn peers_on_private_networks_are_not_reached_unless_allowed() {
    let (mcp, a2a) = (Peer::mcp().await, Peer::a2a().await);
    let app = TestApp::start().await;
    let mut browser = app.signed_in(DEMO).await;
    let (status, error) = discover(&mut browser, json!({ "over": "http", "url": mcp.url("/mcp") })).await;
    assert!(status == 400 && error.to_string().contains("RUNLENS_OUTBOUND_ALLOW"), "{error}");
    let card = json!({ "cardUrl": a2a.url("") }).to_string();
    let (status, error) = browser.call("fetch-card", &[("peer", &card)]).await;
    assert!(status == 400 && error.to_string().contains("RUNLENS_OUTBOUND_ALLOW"), "{error}");
    // The embedded sandbox is this machine's too, and allowed.
    let (status, error) = discover(&mut browser, json!({ "over": "http", "url": app.sandbox_url() })).await;
    assert!(status == 400 && !error.to_string().contains("RUNLENS_OUTBOUND_ALLOW"), "{error}");
}

#[tokio::test]
async fn an_agents_card_is_found_at_its_well_known_places() {
    let (new, old) = (Peer::a2a().await, Peer::old_a2a().await);
    let app = TestApp::start_with(allow_loopback).await;
    let mut browser = app.signed_in(DEMO).await;
    for (peer, path) in [(&new, ""), (&new, "/rpc"), (&new, "/.well-known/agent-card.json"), (&old, "")] {
        let peer = json!({ "cardUrl": peer.url(path) }).to_string();
        let (status, card) = browser.call("fetch-card", &[("peer", &peer)]).await;
        assert_eq!((status, &card["name"]), (200, &json!("Weather")), "{path}: {card}");
    }
    let peer = json!({ "cardUrl": new.url("/elsewhere.json") }).to_string();
    let (status, error) = browser.call("fetch-card", &[("peer", &peer)]).await;
    assert!(status == 400 && error.to_string().contains("no agent card"), "{error}");
}

#[tokio::test]
async fn nobody_signed_out_makes_this_server_send_requests() {
    let app = TestApp::start_with(allow_loopback).await;
    let mut nobody = app.browser();
    let (status, _) = discover(&mut nobody, json!({ "over": "http", "url": "http://127.0.0.1:1/" })).await;
    assert_eq!(status, 401);
    assert_eq!(nobody.call("fetch-card", &[("peer", "{}")]).await.0, 401);
}
