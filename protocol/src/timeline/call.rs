//! A tool call and its answer: one row of the timeline.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::event::Call;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// Where the call was made, or announced while it has not been made.
    pub seq: u64,
    pub id: Option<String>,
    pub name: String,
    pub kind: CallKind,
    pub input: Value,
    /// The call itself was logged, not only announced by the turn's message.
    pub made: bool,
    pub answer: Option<CallAnswer>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallAnswer {
    pub seq: u64,
    pub ok: bool,
    pub body: Value,
}

/// Who runs the tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "resolved_by")]
pub enum CallKind {
    /// MANTYX itself.
    Server,
    /// The program that started the run.
    Local,
    /// That program, through an A2A peer.
    A2aLocal { agent: String },
    /// That program, through an MCP server.
    McpLocal { server: String },
}

impl CallKind {
    pub(super) fn local(kind: &str, mcp_server: Option<&str>, agent_card: Option<&Value>) -> Self {
        match kind {
            "a2a_local" => {
                let agent = agent_card.and_then(|card| card["name"].as_str()).unwrap_or("").to_owned();
                Self::A2aLocal { agent }
            }
            "mcp_local" => Self::McpLocal { server: mcp_server.unwrap_or("").to_owned() },
            _ => Self::Local,
        }
    }

    /// Somebody outside MANTYX owes the answer.
    pub fn is_local(&self) -> bool {
        !matches!(self, Self::Server)
    }
}

impl ToolCall {
    pub(super) fn new(seq: u64, call: &Call<'_>, kind: CallKind) -> Self {
        Self {
            seq,
            id: call.id.map(Into::into),
            name: call.name.to_owned(),
            kind,
            input: call.input.clone(),
            made: false,
            answer: None,
        }
    }
}

impl CallAnswer {
    /// The answer as text: as it came, or as JSON where it was not text.
    pub fn text(&self) -> String {
        match &self.body {
            Value::String(text) => text.clone(),
            Value::Null => String::new(),
            other => other.to_string(),
        }
    }
}
