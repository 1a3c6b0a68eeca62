//! A tool call and its answer: one row of the timeline.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::reported_failure::reports_failure;
use crate::event::{Call, CallResult};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The event of the call, or of its announcement until the call is made.
    pub seq: u64,
    /// The turn's message that announced it. Servers of the first protocol only log the call itself.
    pub announced_seq: Option<u64>,
    pub id: Option<Arc<str>>,
    pub name: String,
    pub kind: CallKind,
    pub input: Value,
    /// The call itself is in the log, not only its announcement.
    pub made: bool,
    pub answer: Option<CallAnswer>,
    /// A budget stopped it before the tool ran: the answer comes from the server.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub intercepted: bool,
    /// Files that the tool returned with its answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<ToolFile>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CallAnswer {
    pub seq: u64,
    /// The tool neither returned an error nor reported a failure in its result.
    pub ok: bool,
    /// The tool answered with a result that reports a failure.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reported_failure: bool,
    pub body: Value,
}

/// A file that a tool returned. Only its description: the bytes, which a development server writes into the log, stay
/// there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolFile {
    /// The event that describes it.
    pub seq: u64,
    pub filename: Option<String>,
    pub mime_type: Option<String>,
    pub size_bytes: Option<u64>,
    pub storage_key: Option<String>,
    pub url: Option<String>,
    /// Fields that are not documented.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
}

/// The side that runs the tool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "resolved_by")]
pub enum CallKind {
    /// MANTYX itself.
    Server,
    /// The program that started the run.
    Local,
    /// That program, through an A2A peer.
    A2aLocal { agent: String, url: Option<String> },
    /// That program, through an MCP server.
    McpLocal { server: String, tool: Option<String>, server_info: Option<String> },
}

impl CallKind {
    /// Returns whether the answer comes from outside MANTYX.
    pub fn is_local(&self) -> bool {
        !matches!(self, Self::Server)
    }

    /// Returns the name in the protocol.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Server => "server",
            Self::Local => "local",
            Self::A2aLocal { .. } => "a2a_local",
            Self::McpLocal { .. } => "mcp_local",
        }
    }

    pub(super) fn a2a(card: Option<&Value>) -> Self {
        let text = |field: &str| card.and_then(|card| card[field].as_str()).map(str::to_owned);
        Self::A2aLocal { agent: text("name").unwrap_or_default(), url: text("url") }
    }

    pub(super) fn mcp(server: Option<&str>, tool: Option<&str>, info: Option<&Value>) -> Self {
        let info = info.and_then(|info| {
            let name = info["name"].as_str()?;
            Some(match info["version"].as_str() {
                Some(version) => format!("{name} {version}"),
                None => name.to_owned(),
            })
        });
        let server = server.unwrap_or_default().to_owned();
        Self::McpLocal { server, tool: tool.map(Into::into), server_info: info }
    }
}

impl ToolCall {
    /// Returns whether a local call has no answer, or had none when the run ended.
    pub(super) fn awaits_answer(&self) -> bool {
        self.answer.is_none() && self.kind.is_local()
    }

    pub(super) fn announced(seq: u64, call: &Call<'_>) -> Self {
        Self {
            seq,
            announced_seq: Some(seq),
            id: call.id.map(Into::into),
            name: call.name.to_owned(),
            kind: CallKind::Server,
            input: call.input.clone(),
            made: false,
            answer: None,
            intercepted: false,
            files: Vec::new(),
        }
    }

    pub(super) fn made(seq: u64, call: &Call<'_>, kind: CallKind) -> Self {
        Self { announced_seq: None, made: true, kind, ..Self::announced(seq, call) }
    }

    /// Creates a call for an answer whose call is not in the log, or not yet.
    pub(super) fn orphan_result(id: Option<&str>, name: &str, answer: CallAnswer) -> Self {
        let call = Call { id, name, input: &Value::Null };
        Self { announced_seq: None, answer: Some(answer.clone()), ..Self::announced(answer.seq, &call) }
    }

    /// Returns whether only the answer is known: the log has neither the announcement nor the call.
    pub fn is_orphan_result(&self) -> bool {
        !self.made && self.announced_seq.is_none()
    }

    /// Returns whether it was made and answered.
    pub(super) fn is_complete(&self) -> bool {
        self.made && self.answer.is_some()
    }

    pub fn failed(&self) -> bool {
        self.answer.as_ref().is_some_and(|answer| !answer.ok)
    }
}

impl CallAnswer {
    pub(super) fn new(seq: u64, result: CallResult<'_>) -> Self {
        let reported_failure = result.ok && reports_failure(result.body);
        Self { seq, ok: result.ok && !reported_failure, reported_failure, body: result.body.clone() }
    }

    /// Returns the answer as text: unchanged, or as JSON if it is not a text.
    pub fn text(&self) -> String {
        match &self.body {
            Value::String(text) => text.clone(),
            Value::Null => String::new(),
            other => other.to_string(),
        }
    }
}

impl ToolFile {
    pub(super) fn parse(seq: u64, file: &Value) -> Self {
        let mut extra = file.as_object().cloned().unwrap_or_default();
        extra.shift_remove("data");
        let mut text = |field: &str| match extra.get(field) {
            Some(Value::String(_)) => extra.shift_remove(field).and_then(|value| value.as_str().map(str::to_owned)),
            _ => None,
        };
        let (filename, mime_type) = (text("filename"), text("mimeType"));
        let (storage_key, url) = (text("storageKey"), text("url"));
        let size_bytes = extra.get("sizeBytes").and_then(Value::as_u64);
        if size_bytes.is_some() {
            extra.shift_remove("sizeBytes");
        }
        Self { seq, filename, mime_type, size_bytes, storage_key, url, extra }
    }
}
