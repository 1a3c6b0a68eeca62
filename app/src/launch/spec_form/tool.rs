//! The fields of each kind of tool.

use serde_json::Value;

use super::fields::{
    Object, put, put_other, put_texts_by_name, take_flag, take_json, take_list, take_text, take_texts_by_name, text,
};

#[derive(Clone, Debug, PartialEq)]
pub struct ToolForm {
    pub name: Option<String>,
    pub description: Option<String>,
    pub kind: ToolKind,
    pub other: Object,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ToolKind {
    Mantyx {
        id: Option<String>,
    },
    Plugin,
    Local {
        parameters: Option<Value>,
        output_schema: Option<Value>,
        long_running: Option<bool>,
        read_only: Option<bool>,
        retain: Option<bool>,
    },
    A2a {
        agent_card_url: Option<String>,
        headers: Option<Vec<(String, String)>>,
        context_id: Option<String>,
    },
    A2aLocal {
        agent_card: Option<Value>,
    },
    Mcp {
        url: Option<String>,
        headers: Option<Vec<(String, String)>>,
        tool_filter: Option<Vec<String>>,
    },
    McpLocal {
        server_info: Option<Value>,
        /// As the server lists them.
        tools: Option<Vec<Value>>,
    },
    /// A kind that the form doesn't know.
    Other {
        kind: Option<String>,
    },
}

impl ToolKind {
    pub const NAMES: [&'static str; 7] = ["mantyx", "mantyx_plugin", "local", "a2a", "a2a_local", "mcp", "mcp_local"];

    pub fn name(&self) -> Option<&str> {
        Some(match self {
            Self::Mantyx { .. } => "mantyx",
            Self::Plugin => "mantyx_plugin",
            Self::Local { .. } => "local",
            Self::A2a { .. } => "a2a",
            Self::A2aLocal { .. } => "a2a_local",
            Self::Mcp { .. } => "mcp",
            Self::McpLocal { .. } => "mcp_local",
            Self::Other { kind } => return kind.as_deref(),
        })
    }

    fn take(kind: Option<String>, fields: &mut Object) -> Self {
        match kind.as_deref() {
            Some("mantyx") => Self::Mantyx { id: take_text(fields, "id") },
            Some("mantyx_plugin") => Self::Plugin,
            Some("local") => Self::Local {
                parameters: take_json(fields, "parameters"),
                output_schema: take_json(fields, "outputSchema"),
                long_running: take_flag(fields, "longRunning"),
                read_only: take_flag(fields, "readOnly"),
                retain: take_flag(fields, "retain"),
            },
            Some("a2a") => Self::A2a {
                agent_card_url: take_text(fields, "agentCardUrl"),
                headers: take_texts_by_name(fields, "headers"),
                context_id: take_text(fields, "contextId"),
            },
            Some("a2a_local") => Self::A2aLocal { agent_card: take_json(fields, "agentCard") },
            Some("mcp") => Self::Mcp {
                url: take_text(fields, "url"),
                headers: take_texts_by_name(fields, "headers"),
                tool_filter: take_list(fields, "toolFilter", text),
            },
            Some("mcp_local") => Self::McpLocal {
                server_info: take_json(fields, "serverInfo"),
                tools: take_list(fields, "tools", |tool| Some(tool.clone())),
            },
            _ => Self::Other { kind },
        }
    }

    fn put(&self, fields: &mut Object) {
        match self {
            Self::Plugin | Self::Other { .. } => {}
            Self::Mantyx { id } => put(fields, "id", id.as_deref()),
            Self::Local { parameters, output_schema, long_running, read_only, retain } => {
                put(fields, "parameters", parameters.clone());
                put(fields, "outputSchema", output_schema.clone());
                put(fields, "longRunning", *long_running);
                put(fields, "readOnly", *read_only);
                put(fields, "retain", *retain);
            }
            Self::A2a { agent_card_url, headers, context_id } => {
                put(fields, "agentCardUrl", agent_card_url.as_deref());
                put_texts_by_name(fields, "headers", headers.as_deref());
                put(fields, "contextId", context_id.as_deref());
            }
            Self::A2aLocal { agent_card } => put(fields, "agentCard", agent_card.clone()),
            Self::Mcp { url, headers, tool_filter } => {
                put(fields, "url", url.as_deref());
                put_texts_by_name(fields, "headers", headers.as_deref());
                put(fields, "toolFilter", tool_filter.clone());
            }
            Self::McpLocal { server_info, tools } => {
                put(fields, "serverInfo", server_info.clone());
                put(fields, "tools", tools.clone());
            }
        }
    }
}

impl ToolForm {
    /// Returns `None` if the tool is not an object.
    pub fn read(tool: &Value) -> Option<Self> {
        let mut fields = tool.as_object()?.clone();
        let kind = take_text(&mut fields, "kind");
        Some(Self {
            name: take_text(&mut fields, "name"),
            description: take_text(&mut fields, "description"),
            kind: ToolKind::take(kind, &mut fields),
            other: fields,
        })
    }

    pub fn write(&self) -> Value {
        let mut fields = Object::new();
        put(&mut fields, "kind", self.kind.name());
        put(&mut fields, "name", self.name.as_deref());
        put(&mut fields, "description", self.description.as_deref());
        self.kind.put(&mut fields);
        put_other(&mut fields, &self.other);
        fields.into()
    }
}
