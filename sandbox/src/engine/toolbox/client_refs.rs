//! References to local tools, converted for the model and for the client.

use protocol::json::preview;
use serde_json::{Map, Value, json};

use super::{ClientTool, message_parameters};
use crate::provider::OfferedTool;

const LONG_RUNNING: &str = "NOTE: This is a long-running operation. Do not call this tool again if it has already \
                            returned an intermediate or pending status.";
/// Limit for skills in the description of an agent.
const MAX_SKILLS: usize = 12;

/// Returns the tools of a `local`, `a2a_local` or `mcp_local` reference; none for other kinds.
pub fn tools(tool_ref: &Value) -> Vec<(ClientTool, OfferedTool)> {
    match tool_ref["kind"].as_str() {
        Some("local") => vec![local(tool_ref)],
        Some("a2a_local") => vec![a2a_local(tool_ref)],
        Some("mcp_local") => {
            tool_ref["tools"].as_array().into_iter().flatten().map(|tool| mcp_local(tool_ref, tool)).collect()
        }
        _ => Vec::new(),
    }
}

fn local(tool_ref: &Value) -> (ClientTool, OfferedTool) {
    let mut description = text(tool_ref, "description");
    if tool_ref["outputSchema"]["type"] == "object" {
        description += &format!("\nReturns JSON of this schema: {}", tool_ref["outputSchema"]);
    }
    if tool_ref["longRunning"] == true {
        description += "\n";
        description += LONG_RUNNING;
    }
    let tool = ClientTool {
        announcement: fields(json!({ "kind": "local" })),
        read_only: tool_ref["readOnly"] == true,
        retain: tool_ref["retain"] == true,
    };
    (tool, offered(tool_ref, description, tool_ref["parameters"].clone()))
}

fn a2a_local(tool_ref: &Value) -> (ClientTool, OfferedTool) {
    let card = &tool_ref["agentCard"];
    let description = match text(tool_ref, "description") {
        given if !given.is_empty() => given,
        _ => describe_card(card),
    };
    let tool = sequential(fields(json!({ "kind": "a2a_local", "agentCard": card })));
    (tool, offered(tool_ref, description, message_parameters()))
}

/// The documents echo `annotations` «as part of the call envelope», without an example: they are sent under their own
/// name, and are not used here.
fn mcp_local(tool_ref: &Value, tool: &Value) -> (ClientTool, OfferedTool) {
    let mut announcement = fields(json!({
        "kind": "mcp_local", "mcpServer": tool_ref["name"], "mcpToolName": tool["name"],
    }));
    for (field, value) in [("mcpServerInfo", &tool_ref["serverInfo"]), ("annotations", &tool["annotations"])] {
        if !value.is_null() {
            announcement.insert(field.to_owned(), value.clone());
        }
    }
    (sequential(announcement), offered(tool, text(tool, "description"), tool["inputSchema"].clone()))
}

/// Returns a tool that may change something, which is called alone.
fn sequential(announcement: Map<String, Value>) -> ClientTool {
    ClientTool { announcement, read_only: false, retain: false }
}

fn describe_card(card: &Value) -> String {
    let mut description = format!("Delegate a task to {}: {}", text(card, "name"), text(card, "description"));
    for skill in card["skills"].as_array().into_iter().flatten().take(MAX_SKILLS) {
        let skill = format!("\n- {}: {}", text(skill, "name"), preview(&text(skill, "description"), 300));
        description += skill.trim_end_matches(": ");
    }
    description
}

fn offered(tool: &Value, description: String, parameters: Value) -> OfferedTool {
    OfferedTool { name: text(tool, "name"), description, parameters }
}

fn text(value: &Value, field: &str) -> String {
    value[field].as_str().unwrap_or("").to_owned()
}

fn fields(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}
