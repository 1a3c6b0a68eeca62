//! A small A2A agent at `/demo/a2a`, for trying out delegation. Knows the orders of the demo MCP server.

use std::sync::Arc;

use axum::routing::{get, post};
use axum::{Json, Router};
use http::HeaderMap;
use http::header::HOST;
use serde_json::{Value, json};

use super::mcp_server::ORDERS;
use crate::app::App;

pub fn router() -> Router<Arc<App>> {
    Router::new().route("/demo/a2a/.well-known/agent-card.json", get(card)).route("/demo/a2a", post(answer))
}

async fn card(headers: HeaderMap) -> Json<Value> {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or("127.0.0.1");
    Json(json!({
        "name": "Order desk",
        "description": "Knows where orders are. Name an order, such as A-1001.",
        "url": format!("http://{host}/demo/a2a"),
        "preferredTransport": "JSONRPC",
        "protocolVersion": "0.3.0",
        "version": env!("CARGO_PKG_VERSION"),
        "capabilities": {},
        "defaultInputModes": ["text/plain"],
        "defaultOutputModes": ["text/plain"],
        "skills": [{ "id": "orders", "name": "Orders", "description": "Tells where an order is.", "tags": ["orders"] }],
    }))
}

async fn answer(Json(request): Json<Value>) -> Json<Value> {
    let mut reply = json!({ "jsonrpc": "2.0", "id": request["id"] });
    if request["method"] == "message/send" {
        let parts = json!([{ "kind": "text", "text": reply_text(&request["params"]["message"]) }]);
        reply["result"] =
            json!({ "kind": "message", "messageId": request["id"].to_string(), "role": "agent", "parts": parts });
    } else {
        reply["error"] = json!({ "code": -32601, "message": "This agent knows message/send alone." });
    }
    Json(reply)
}

fn reply_text(message: &Value) -> String {
    let parts = message["parts"].as_array().into_iter().flatten();
    let asked: String = parts.filter_map(|part| part["text"].as_str()).collect();
    let found = ORDERS.iter().filter(|(number, ..)| asked.contains(number));
    let stories: Vec<String> = found.map(|(number, state, story)| format!("{number} is {state}. {story}")).collect();
    if stories.is_empty() { "Which order do you mean? I know A-1001 to A-1003.".to_owned() } else { stories.join("\n") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn named_orders_are_in_the_reply() {
        let ask = |text: &str| reply_text(&json!({ "parts": [{ "kind": "text", "text": text }] }));
        assert!(ask("Where is A-1001?").contains("Hamburg"));
        assert!(ask("Hello").contains("Which order"));
        assert!(reply_text(&Value::Null).contains("Which order"));
    }
}
