//! The tools of a run: which ones the model is offered, and who answers each.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::builtin::Builtin;
use crate::provider::OfferedTool;

pub struct Toolbox {
    pub offered: Vec<OfferedTool>,
    handlers: HashMap<String, Handler>,
    /// Prefixes of tools on MCP servers, with the server's address.
    mcp_servers: Vec<(String, String)>,
}

/// Who answers a call.
#[derive(Clone)]
pub enum Handler {
    Builtin(Builtin),
    /// The client. `announcement` is what its `local_tool_call` carries beside id, name and arguments.
    Client {
        announcement: Map<String, Value>,
        parameters: Value,
    },
    /// Named by the spec, but out of the sandbox's reach. Says why.
    Unavailable(String),
}

impl Toolbox {
    pub fn new(spec: &Value) -> Self {
        let mut toolbox = Self { offered: Vec::new(), handlers: HashMap::new(), mcp_servers: Vec::new() };
        for tool in spec["tools"].as_array().into_iter().flatten() {
            toolbox.add(tool);
        }
        toolbox
    }

    pub fn handler(&self, name: &str) -> Handler {
        if let Some(handler) = self.handlers.get(name) {
            return handler.clone();
        }
        let server = self.mcp_servers.iter().find(|(prefix, _)| name.starts_with(prefix.as_str()));
        Handler::Unavailable(match server {
            Some((_, url)) => mcp_unavailable(url),
            None => format!("There is no tool called {name} in this run."),
        })
    }

    fn add(&mut self, tool: &Value) {
        let text = |field: &str| tool[field].as_str().unwrap_or("").to_owned();
        let name = text("name");
        match tool["kind"].as_str() {
            Some("mantyx") => self.add_builtin(&text("id")),
            // `@plugin/tool-name`; the model sees the tool's name only.
            Some("mantyx_plugin") => self.add_builtin(&name.rsplit('/').next().unwrap_or("").replace('-', "_")),
            Some("local") => {
                let announcement = fields(json!({ "kind": "local" }));
                let mut description = text("description");
                if tool["longRunning"] == true {
                    description += "\nNOTE: This is a long-running operation. Do not call this tool again if it has \
                                    already returned an intermediate or pending status.";
                }
                self.add_client(name, description, tool["parameters"].clone(), announcement);
            }
            Some("a2a_local") => {
                let card = &tool["agentCard"];
                let description = format!("Ask {}: {}", card["name"], card["description"].as_str().unwrap_or(""));
                let announcement = fields(json!({ "kind": "a2a_local", "agentCard": card }));
                self.add_client(name, description, message_parameters(), announcement);
            }
            Some("mcp_local") => {
                for entry in tool["tools"].as_array().into_iter().flatten() {
                    let mut announcement = fields(json!({
                        "kind": "mcp_local", "mcpServer": name, "mcpToolName": entry["name"],
                    }));
                    if !tool["serverInfo"].is_null() {
                        announcement.insert("mcpServerInfo".into(), tool["serverInfo"].clone());
                    }
                    let entry_text = |field: &str| entry[field].as_str().unwrap_or("").to_owned();
                    let parameters = entry["inputSchema"].clone();
                    self.add_client(entry_text("name"), entry_text("description"), parameters, announcement);
                }
            }
            Some("mcp") => {
                let why = mcp_unavailable(&text("url"));
                self.mcp_servers.push((format!("{name}_"), text("url")));
                self.add_unavailable(format!("{name}_unavailable"), why);
            }
            Some("a2a") => {
                let why = format!(
                    "The agent at {} is unavailable: the sandbox does not call A2A peers itself.",
                    text("agentCardUrl")
                );
                self.add_unavailable(name, why);
            }
            _ => {}
        }
    }

    fn add_builtin(&mut self, id: &str) {
        let name = id.strip_prefix("tool_").unwrap_or(id);
        match Builtin::by_name(name) {
            Some(builtin) => {
                self.offer(name.to_owned(), builtin.description().to_owned(), builtin.parameters());
                self.handlers.insert(name.to_owned(), Handler::Builtin(builtin));
            }
            None => {
                let known = Builtin::names().join(", ");
                let why = format!("The sandbox has no tool called {name}. It has: {known}.");
                self.add_unavailable(name.to_owned(), why);
            }
        }
    }

    fn add_client(&mut self, name: String, description: String, parameters: Value, announcement: Map<String, Value>) {
        self.offer(name.clone(), description, parameters.clone());
        self.handlers.insert(name, Handler::Client { announcement, parameters });
    }

    fn add_unavailable(&mut self, name: String, why: String) {
        self.offer(name.clone(), why.clone(), json!({ "type": "object" }));
        self.handlers.insert(name, Handler::Unavailable(why));
    }

    fn offer(&mut self, name: String, description: String, parameters: Value) {
        // A caller's tool replaces one of the same name that a saved agent brought along.
        self.offered.retain(|tool| tool.name != name);
        self.offered.push(OfferedTool { name, description, parameters });
    }
}

fn mcp_unavailable(url: &str) -> String {
    format!("The MCP server at {url} is unavailable: the sandbox does not connect to MCP servers itself.")
}

/// A2A peers take one text, whatever their skills.
fn message_parameters() -> Value {
    json!({ "type": "object", "properties": { "message": { "type": "string" } }, "required": ["message"] })
}

fn fields(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}
