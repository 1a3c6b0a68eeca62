//! The seven kinds of tools that a spec may name, and who runs each.
//!
//! | kind | who runs it | what the spec carries |
//! | --- | --- | --- |
//! | `mantyx` | MANTYX | the id of a tool of the workspace |
//! | `mantyx_plugin` | MANTYX | the name of a plugin's tool |
//! | `a2a` | MANTYX | where a peer's agent card is |
//! | `mcp` | MANTYX | where an MCP server is; its tools are called `<name>_<tool>` |
//! | `local` | the caller | name and schemas |
//! | `a2a_local` | the caller | the peer's agent card itself |
//! | `mcp_local` | the caller | the server's list of tools itself, under their own names |

use serde_json::Value;

use super::AgentCard;
use crate::document::{Document, Draft, document, items};

/// One entry of `tools`, read by its kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ToolRef<'a> {
    Mantyx(&'a MantyxTool),
    Plugin(&'a PluginTool),
    Local(&'a LocalTool),
    A2a(&'a A2aTool),
    A2aLocal(&'a A2aLocalTool),
    Mcp(&'a McpServer),
    McpLocal(&'a McpLocalServer),
    /// A kind of a later protocol, or something that is no tool at all.
    Unknown(&'a Value),
}

impl<'a> ToolRef<'a> {
    pub fn of(json: &'a Value) -> Self {
        match json.get("kind").and_then(Value::as_str) {
            Some(MantyxTool::KIND) => Self::Mantyx(Document::of(json)),
            Some(PluginTool::KIND) => Self::Plugin(Document::of(json)),
            Some(LocalTool::KIND) => Self::Local(Document::of(json)),
            Some(A2aTool::KIND) => Self::A2a(Document::of(json)),
            Some(A2aLocalTool::KIND) => Self::A2aLocal(Document::of(json)),
            Some(McpServer::KIND) => Self::Mcp(Document::of(json)),
            Some(McpLocalServer::KIND) => Self::McpLocal(Document::of(json)),
            _ => Self::Unknown(json),
        }
    }

    /// Calls come back to whoever started the run, who owes a result.
    pub fn is_run_by_caller(self) -> bool {
        matches!(self, Self::Local(_) | Self::A2aLocal(_) | Self::McpLocal(_))
    }

    /// The names under which the model will see this tool, as far as the spec tells: what an `mcp` server offers and
    /// what a workspace tool is called is known only when the run starts.
    pub fn model_names(self) -> impl Iterator<Item = &'a str> {
        let (own, catalogue) = match self {
            Self::Plugin(tool) => (tool.name(), None),
            Self::Local(tool) => (tool.name(), None),
            Self::A2a(tool) => (tool.name(), None),
            Self::A2aLocal(tool) => (tool.name(), None),
            Self::McpLocal(server) => (None, server.json().get("tools")),
            Self::Mantyx(_) | Self::Mcp(_) | Self::Unknown(_) => (None, None),
        };
        let named = items(catalogue).iter().filter_map(|tool| tool.get("name")?.as_str());
        own.into_iter().chain(named)
    }
}

macro_rules! tool_document {
    ($kind:literal, $(#[$meta:meta])* $name:ident { $($fields:tt)* }) => {
        document! { $(#[$meta])* $name { $($fields)* } }

        impl $name {
            pub const KIND: &'static str = $kind;

            /// A draft that already says its kind.
            pub fn declare() -> Draft<Self> {
                Self::draft().set("kind", Self::KIND)
            }
        }
    };
}

tool_document! { "mantyx",
    /// A tool of the workspace.
    MantyxTool {
        id: text = "id",
    }
}

tool_document! { "mantyx_plugin",
    /// A plugin's tool, as `@plugin/tool` or by a plain name.
    PluginTool {
        name: text = "name",
    }
}

tool_document! { "local",
    /// A tool that the caller runs.
    LocalTool {
        name: text = "name",
        description: text = "description",
        /// JSON Schema of the arguments.
        parameters: json = "parameters",
        /// JSON Schema of the result.
        output_schema: json = "outputSchema",
        /// The model is told not to call it again while an answer is pending.
        long_running: flag = "longRunning",
        /// Calls of one turn may run side by side.
        read_only: flag = "readOnly",
        /// The result is kept for later messages of the session.
        retain: flag = "retain",
    }
}

tool_document! { "a2a",
    /// An Agent2Agent peer that MANTYX can reach.
    A2aTool {
        name: text = "name",
        description: text = "description",
        agent_card_url: text = "agentCardUrl",
        headers: map = "headers",
        /// Threads several delegations into one conversation of the peer.
        context_id: text = "contextId",
    }
}

tool_document! { "a2a_local",
    /// An Agent2Agent peer that only the caller can reach.
    A2aLocalTool {
        name: text = "name",
        description: text = "description",
        agent_card: object[AgentCard] = "agentCard",
    }
}

tool_document! { "mcp",
    /// An MCP server that MANTYX can reach.
    McpServer {
        /// Prefixed to the names of its tools.
        name: text = "name",
        url: text = "url",
        headers: map = "headers",
        /// The tools to offer, by their own names; all where it is absent.
        tool_filter: texts = "toolFilter",
    }
}

tool_document! { "mcp_local",
    /// An MCP server that only the caller can reach.
    McpLocalServer {
        /// The caller's label, not a prefix.
        name: text = "name",
        /// What the server said of itself when it was initialised.
        server_info: json = "serverInfo",
        tools: list[McpTool] = "tools",
    }
}

document! {
    /// A tool as an MCP server lists it.
    McpTool {
        name: text = "name",
        title: text = "title",
        description: text = "description",
        input_schema: json = "inputSchema",
        output_schema: json = "outputSchema",
        annotations: json = "annotations",
    }
}
