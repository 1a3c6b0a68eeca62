//! A small MCP server at `POST /demo/mcp`, for trying out tools: Streamable HTTP without sessions. Its read-only tools know
//! three fictitious orders.

use std::sync::Arc;

use axum::routing::post;
use axum::{Json, Router};
use http::StatusCode;
use serde_json::{Value, json};

use crate::app::App;

pub const ORDERS: [(&str, &str, &str); 3] = [
    ("A-1001", "on its way", "It left Hamburg on Monday and is due on Thursday."),
    ("A-1002", "delivered", "It was handed over at the door."),
    ("A-1003", "waiting", "The lamp is out of stock until next week."),
];

/// Error codes of JSON-RPC.
const UNKNOWN_METHOD: i64 = -32601;
const BAD_PARAMS: i64 = -32602;

pub fn router() -> Router<Arc<App>> {
    Router::new().route("/demo/mcp", post(answer))
}

/// A notification has no id and gets no response.
async fn answer(Json(request): Json<Value>) -> (StatusCode, Json<Value>) {
    let Some(id) = request.get("id") else { return (StatusCode::ACCEPTED, Json(Value::Null)) };
    let mut reply = json!({ "jsonrpc": "2.0", "id": id });
    match result(request["method"].as_str().unwrap_or_default(), &request["params"]) {
        Ok(result) => reply["result"] = result,
        Err((code, message)) => reply["error"] = json!({ "code": code, "message": message }),
    }
    (StatusCode::OK, Json(reply))
}

fn result(method: &str, params: &Value) -> Result<Value, (i64, String)> {
    match method {
        "initialize" => Ok(json!({
            // The features in use exist in every protocol version.
            "protocolVersion": params["protocolVersion"].as_str().unwrap_or("2025-06-18"),
            "capabilities": { "tools": {} },
            "serverInfo": { "name": "demo", "version": env!("CARGO_PKG_VERSION") },
        })),
        "ping" => Ok(json!({})),
        "tools/list" => Ok(json!({ "tools": tools() })),
        "tools/call" => call(params["name"].as_str().unwrap_or_default(), &params["arguments"]),
        other => Err((UNKNOWN_METHOD, format!("There is no method {other}."))),
    }
}

fn tools() -> Value {
    let text = |about: &str| json!({ "type": "string", "description": about });
    let tool = |name: &str, description: &str, properties: Value| {
        let required: Vec<&String> = properties.as_object().into_iter().flatten().map(|(name, _)| name).collect();
        json!({
            "name": name,
            "description": description,
            "inputSchema": { "type": "object", "properties": properties, "required": required },
            "annotations": { "readOnlyHint": true },
        })
    };
    json!([
        tool("list_orders", "Lists the numbers of all orders.", json!({})),
        tool("find_order", "Tells where an order is.", json!({ "order": text("Its number, such as A-1001.") })),
        tool("count_words", "Counts the words of a text.", json!({ "text": text("The text.") })),
    ])
}

fn call(name: &str, arguments: &Value) -> Result<Value, (i64, String)> {
    let argument = |field: &str| arguments[field].as_str().unwrap_or_default();
    let output =
        |text: String, failed: bool| json!({ "content": [{ "type": "text", "text": text }], "isError": failed });
    match name {
        "list_orders" => Ok(output(ORDERS.map(|(number, ..)| number).join(", "), false)),
        "find_order" => Ok(match ORDERS.iter().find(|(number, ..)| *number == argument("order")) {
            Some((number, state, story)) => output(format!("{number} is {state}. {story}"), false),
            None => output(format!("There is no order “{}”.", argument("order")), true),
        }),
        "count_words" => Ok(output(argument("text").split_whitespace().count().to_string(), false)),
        other => Err((BAD_PARAMS, format!("There is no tool {other}."))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_return_results_and_errors() {
        let text = |name: &str, arguments: Value| {
            let answer = call(name, &arguments).expect("a tool");
            (answer["content"][0]["text"].as_str().unwrap_or_default().to_owned(), answer["isError"] == true)
        };
        assert!(text("find_order", json!({ "order": "A-1001" })).0.contains("Hamburg"));
        assert!(text("find_order", json!({ "order": "B-1" })).1);
        assert_eq!(text("count_words", json!({ "text": "one  two" })), ("2".to_owned(), false));
        assert!(call("drop_orders", &Value::Null).is_err());
    }
}
