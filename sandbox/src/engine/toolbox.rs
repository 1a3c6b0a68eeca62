//! The tools of a run, and the handler of each.

mod client_refs;

use std::collections::HashMap;
use std::sync::Arc;

use futures::future::join_all;
use remote_tools::RemoteError;
use reqwest::Client;
use serde_json::{Map, Value, json};

use super::builtin::Builtin;
use super::plan;
use crate::outbound;
use crate::outbound::a2a::Peer;
use crate::outbound::mcp::{McpServer, McpTool};
use crate::provider::OfferedTool;

/// The tool that updates the task plan.
pub const PLAN_TOOL: &str = "update_task_plan";

#[derive(Default)]
pub struct Toolbox {
    pub offered: Vec<OfferedTool>,
    handlers: HashMap<String, Handler>,
    /// Prefixes of unavailable MCP servers, with the reason.
    unreachable: Vec<(String, String)>,
}

/// The implementation of a tool.
#[derive(Clone)]
pub enum Handler {
    Builtin(Builtin),
    Mcp {
        server: Arc<McpServer>,
        tool: String,
    },
    A2a(Arc<Peer>),
    /// The engine itself.
    Plan,
    Client(ClientTool),
    /// In the spec, but not available. Has the reason.
    Unavailable(String),
}

/// A tool that the client runs.
#[derive(Clone)]
pub struct ClientTool {
    /// Additional fields of its `local_tool_call` events.
    pub announcement: Map<String, Value>,
    /// Can be called together with other read-only tools.
    pub read_only: bool,
    /// Later runs of the session get the results.
    pub retain: bool,
}

impl Toolbox {
    /// Collects the tools of a spec. Connects to all MCP servers concurrently.
    pub async fn open(spec: &Value, http: &Client) -> Self {
        let mut toolbox = Self::default();
        let refs = spec["tools"].as_array().map(Vec::as_slice).unwrap_or_default();
        let catalogues = refs.iter().map(|tool_ref| async move {
            match tool_ref["kind"] == "mcp" {
                true => Some(McpServer::connect(http, tool_ref).await),
                false => None,
            }
        });
        for (tool_ref, catalogue) in refs.iter().zip(join_all(catalogues).await) {
            match catalogue {
                Some(catalogue) => toolbox.add_mcp(tool_ref, catalogue),
                None => toolbox.add(tool_ref, http),
            }
        }
        toolbox
    }

    pub fn handler(&self, name: &str) -> Handler {
        if let Some(handler) = self.handlers.get(name) {
            return handler.clone();
        }
        let server = self.unreachable.iter().find(|(prefix, _)| name.starts_with(prefix.as_str()));
        Handler::Unavailable(match server {
            Some((_, why)) => why.clone(),
            None => format!("There is no tool called {name} in this run."),
        })
    }

    /// Returns the JSON Schema of a tool's arguments.
    pub fn parameters(&self, name: &str) -> Value {
        self.offered.iter().find(|tool| tool.name == name).map_or(Value::Null, |tool| tool.parameters.clone())
    }

    pub fn add_plan_tool(&mut self) {
        self.insert(PLAN_TOOL, plan::TOOL_DESCRIPTION, plan::tool_parameters(), Handler::Plan);
    }

    fn add(&mut self, tool_ref: &Value, http: &Client) {
        let text = |field: &str| tool_ref[field].as_str().unwrap_or("");
        match text("kind") {
            "mantyx" => self.add_builtin(text("id")),
            // `@plugin/tool-name`: the model gets the tool's name only.
            "mantyx_plugin" => self.add_builtin(&text("name").rsplit('/').next().unwrap_or("").replace('-', "_")),
            "a2a" => self.add_a2a(tool_ref, http),
            _ => {
                for (tool, offered) in client_refs::tools(tool_ref) {
                    self.insert(&offered.name, &offered.description, offered.parameters, Handler::Client(tool));
                }
            }
        }
    }

    fn add_builtin(&mut self, id: &str) {
        let name = id.strip_prefix("tool_").unwrap_or(id);
        match Builtin::by_name(name) {
            Some(builtin) => {
                self.insert(name, builtin.description(), builtin.parameters(), Handler::Builtin(builtin));
            }
            None => {
                let known: Vec<&str> = Builtin::ALL.iter().map(|builtin| builtin.name()).collect();
                self.add_unavailable(
                    name,
                    format!("The sandbox has no tool called {name}. It has: {}.", known.join(", ")),
                );
            }
        }
    }

    fn add_a2a(&mut self, tool_ref: &Value, http: &Client) {
        let name = tool_ref["name"].as_str().unwrap_or("");
        let default = format!("Delegate a task to the {name} agent over A2A. Pass the full task as a single message.");
        let description = tool_ref["description"].as_str().unwrap_or(&default);
        match Peer::new(http, tool_ref) {
            Ok(peer) => self.insert(name, description, message_parameters(), Handler::A2a(Arc::new(peer))),
            Err(why) => self.add_unavailable(name, format!("The agent {name} is unavailable. {why}")),
        }
    }

    /// Adds the tools of the server, or a placeholder if it is unavailable.
    fn add_mcp(&mut self, tool_ref: &Value, catalogue: Result<(McpServer, Vec<McpTool>), RemoteError>) {
        let name = tool_ref["name"].as_str().unwrap_or("");
        match catalogue {
            Ok((server, tools)) => {
                let server = Arc::new(server);
                for tool in tools {
                    let handler = Handler::Mcp { server: server.clone(), tool: tool.name };
                    self.insert(&tool.offered_name, &tool.description, tool.parameters, handler);
                }
            }
            Err(why) => {
                let url = tool_ref["url"].as_str().and_then(|url| url.parse().ok());
                let place = url.map(|url| format!(" at {}", outbound::without_secrets(url))).unwrap_or_default();
                let why = format!("The MCP server “{name}”{place} is unavailable. {why}");
                self.unreachable.push((format!("{name}_"), why.clone()));
                self.add_unavailable(&format!("{name}_unavailable"), why);
            }
        }
    }

    fn add_unavailable(&mut self, name: &str, why: String) {
        self.insert(name, &why, json!({ "type": "object" }), Handler::Unavailable(why.clone()));
    }

    fn insert(&mut self, name: &str, description: &str, parameters: Value, handler: Handler) {
        // A tool of the spec replaces one of the same name from the saved agent.
        self.offered.retain(|tool| tool.name != name);
        self.offered.push(OfferedTool { name: name.to_owned(), description: description.to_owned(), parameters });
        self.handlers.insert(name.to_owned(), handler);
    }
}

/// The arguments of every A2A agent: one text.
fn message_parameters() -> Value {
    json!({ "type": "object", "properties": { "message": { "type": "string" } }, "required": ["message"] })
}
