//! Tests of tools from MCP servers, over Streamable HTTP.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ListToolsResult, PaginatedRequestParams,
    ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Value, json};

use crate::support::*;

#[derive(Clone)]
struct Files;

impl ServerHandler for Files {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tool = |name: &'static str, schema: Value| {
            Tool::new(
                name,
                format!("{name} of the test server"),
                Arc::new(schema.as_object().expect("an object").clone()),
            )
        };
        let path = json!({ "type": "object", "properties": { "path": { "type": "string" } }, "required": ["path"] });
        let none = json!({ "type": "object", "properties": {} });
        Ok(ListToolsResult::with_all_items(vec![
            tool("read-file", path),
            tool("render", none.clone()),
            tool("fail", none.clone()),
            tool("delete_all", none),
        ]))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let result = match &*request.name {
            "read-file" => {
                let path = request.arguments.as_ref().and_then(|arguments| arguments["path"].as_str()).unwrap_or("");
                CallToolResult::success(vec![
                    ContentBlock::text(format!("contents of {path}")),
                    ContentBlock::text("the end"),
                ])
            }
            "render" => CallToolResult::success(vec![
                ContentBlock::text("Drawn."),
                ContentBlock::image("aGVsbG8=", "image/png"),
            ]),
            "fail" => CallToolResult::error(vec![ContentBlock::text("disk full")]),
            _ => return Err(ErrorData::invalid_params("no such tool", None)),
        };
        Ok(result.into())
    }
}

/// Starts a server that records the header `X-Team` of each request.
async fn start() -> (String, Arc<Mutex<Vec<String>>>) {
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let service: StreamableHttpService<Files, LocalSessionManager> =
        StreamableHttpService::new(|| Ok(Files), Default::default(), StreamableHttpServerConfig::default());
    let keep = seen.clone();
    let note = from_fn(move |request: Request, next: Next| {
        let key = request.headers().get("x-team").and_then(|value| value.to_str().ok()).unwrap_or("none").to_owned();
        keep.lock().expect("no panic").push(key);
        next.run(request)
    });
    let router = Router::new().nest_service("/mcp", service).layer(note);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}/mcp", listener.local_addr().expect("an address"));
    tokio::spawn(async move { axum::serve(listener, router).await });
    (url, seen)
}

fn results(events: &[protocol::Event]) -> Vec<(bool, String)> {
    let results = of_kind(events, "tool_result").into_iter();
    results
        .map(|data| (data["ok"].as_bool().unwrap_or(true), data["result"].as_str().expect("a text").to_owned()))
        .collect()
}

#[tokio::test]
async fn tools_are_prefixed_called_and_their_headers_sent() {
    let harness = Harness::start().await;
    let (url, seen) = start().await;
    let prompt =
        "/call files_read_file {\"path\":\"/etc/hosts\"}\n/call files_fail {}\n/call files_read_file {}\n/say Done.";
    let server = json!({ "kind": "mcp", "name": "files", "url": url, "headers": { "X-Team": "blue" } });
    let events = harness.run(prompt, json!({ "tools": [server] })).await;
    let results = results(&events);
    assert_eq!(results[0], (true, "contents of /etc/hosts\nthe end".to_owned()));
    assert_eq!(results[1], (false, "disk full".to_owned()));
    assert!(!results[2].0 && results[2].1.contains("tool_input_invalid"), "checked before the server is asked");
    let seen = seen.lock().expect("no panic");
    assert!(seen.len() >= 3 && seen.iter().all(|team| team == "blue"), "{seen:?}");
    assert_eq!(last(&events).data["text"], "Done.");
}

#[tokio::test]
async fn files_of_a_result_are_logged_before_it() {
    let harness = Harness::start().await;
    let (url, _) = start().await;
    let server = json!({ "kind": "mcp", "name": "files", "url": url });
    let events = harness.run("/call files_render {}\n/say Done.", json!({ "tools": [server] })).await;
    assert_eq!(kinds(&events)[1..3], ["tool_files", "tool_result"]);
    let files = of_kind(&events, "tool_files")[0];
    assert_eq!(files["name"], "files_render");
    assert_eq!(files["files"], json!([{ "filename": "file-2.png", "mimeType": "image/png", "sizeBytes": 5 }]));
    assert!(!events.iter().any(|event| event.data.to_string().contains("aGVsbG8")), "bytes stay out of the log");
}

#[tokio::test]
async fn a_filter_limits_the_tools() {
    let harness = Harness::start().await;
    let (url, _) = start().await;
    let server = json!({ "kind": "mcp", "name": "files", "url": url, "toolFilter": ["render", "unknown"] });
    let events =
        harness.run("/call files_render {}\n/call files_fail {}\n/say Done.", json!({ "tools": [server] })).await;
    let results = results(&events);
    assert_eq!(results[0], (true, "Drawn.".to_owned()));
    assert!(!results[1].0 && results[1].1.contains("no tool called files_fail"), "{results:?}");
}

#[tokio::test]
async fn an_unavailable_server_gets_a_placeholder_tool_with_the_reason() {
    let harness = Harness::start().await;
    let (url, _) = start().await;
    let tools = json!([
        { "kind": "mcp", "name": "gone", "url": "http://127.0.0.1:9/mcp" },
        { "kind": "mcp", "name": "files", "url": url }]);
    let prompt = "/call gone_unavailable {}\n/call gone_search {}\n/call files_render {}\n/say Done.";
    let events = harness.run(prompt, json!({ "tools": tools })).await;
    let results = results(&events);
    assert!(!results[0].0 && results[0].1.contains("“gone”") && results[0].1.contains("unavailable"), "{results:?}");
    assert_eq!(results[0], results[1], "whatever is asked of it");
    assert!(results[2].0, "the others are not affected");
}

#[tokio::test]
async fn a_run_that_connects_can_be_cancelled() {
    let harness = Harness::start().await;
    // Accepts connections and never responds.
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}/mcp", silent.local_addr().expect("an address"));
    let server = json!({ "kind": "mcp", "name": "silent", "url": url });
    let id = harness.launch("/say Done.", json!({ "tools": [server] })).await;
    let accepted = tokio::time::timeout(Duration::from_secs(60), silent.accept()).await;
    let (connection, _) = accepted.expect("the run connects").expect("a connection");
    harness.post(&format!("/agent-runs/{id}/cancel"), json!({})).await;
    let events = harness.log(&id).await;
    assert_eq!(kinds(&events), ["cancelled"]);
    drop(connection);
}
