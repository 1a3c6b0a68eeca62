//! The answerers of a run's local tools: the form sets them, the server stores them encrypted.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Header names and values. Values are secrets: kept sealed, never sent back to a page.
pub type Headers = BTreeMap<String, String>;

/// For each local tool, by the name that the model sees, who answers it. A tool that is not named is answered by hand.
pub type ToolAnswerers = BTreeMap<String, Answerer>;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum Answerer {
    /// A person, in the run's page.
    #[default]
    Hand,
    Canned(CannedReply),
    Mcp(McpTool),
    A2a(A2aPeer),
}

/// A reply prepared before the launch. `{{args.path}}` stands for an argument of the call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CannedReply {
    pub text: String,
    /// The text is an error, so that a failure can be rehearsed.
    pub failed: bool,
    pub delay_ms: u64,
}

/// A tool of an MCP server that the dashboard's server can reach.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct McpTool {
    pub server: McpEndpoint,
    /// The server's own name for the tool, where it is not the one that the model sees.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "over", rename_all = "snake_case")]
pub enum McpEndpoint {
    Http {
        url: String,
        #[serde(default)]
        headers: Headers,
    },
    /// One of the command lines that the operator allows, exactly as written.
    Stdio { command: String },
}

/// An A2A peer that the dashboard's server can reach: by the address of its card, or by the card itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct A2aPeer {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub card_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub card: Option<Value>,
    pub headers: Headers,
}

/// What kind of answerer it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Via {
    Hand,
    Canned,
    Mcp,
    A2a,
}

/// Who answered one call of a run, or is about to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AnswerRecord {
    pub tool_use_id: String,
    /// Empty where a person answered: the timeline knows.
    pub tool: String,
    pub via: Via,
    /// A person's address, or where the answer came from.
    pub by: String,
    pub state: AnswerState,
    pub at_ms: i64,
    /// Why no answer was given, where none was.
    pub problem: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerState {
    /// The answer is being prepared.
    Working,
    /// There is an answer, on its way to MANTYX.
    Ready,
    Sent,
    /// Another answer came first, or the run had ended.
    NotNeeded,
    /// MANTYX did not take it; the problem says why.
    Failed,
}

impl Answerer {
    /// What is sent along to a peer.
    pub fn headers(&self) -> Option<&Headers> {
        match self {
            Self::Hand | Self::Canned(_) | Self::Mcp(McpTool { server: McpEndpoint::Stdio { .. }, .. }) => None,
            Self::Mcp(McpTool { server: McpEndpoint::Http { headers, .. }, .. }) => Some(headers),
            Self::A2a(peer) => Some(&peer.headers),
        }
    }

    /// The same without header values, which are credentials.
    pub fn without_secrets(mut self) -> Self {
        let headers = match &mut self {
            Self::Hand | Self::Canned(_) | Self::Mcp(McpTool { server: McpEndpoint::Stdio { .. }, .. }) => return self,
            Self::Mcp(McpTool { server: McpEndpoint::Http { headers, .. }, .. }) => headers,
            Self::A2a(peer) => &mut peer.headers,
        };
        headers.values_mut().for_each(String::clear);
        self
    }

    pub fn via(&self) -> Via {
        match self {
            Self::Hand => Via::Hand,
            Self::Canned(_) => Via::Canned,
            Self::Mcp(_) => Via::Mcp,
            Self::A2a(_) => Via::A2a,
        }
    }
}

impl Via {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Hand => "hand",
            Self::Canned => "canned",
            Self::Mcp => "mcp",
            Self::A2a => "a2a",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        [Self::Hand, Self::Canned, Self::Mcp, Self::A2a].into_iter().find(|via| via.as_str() == text)
    }
}

impl AnswerState {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Working => "working",
            Self::Ready => "ready",
            Self::Sent => "sent",
            Self::NotNeeded => "not_needed",
            Self::Failed => "failed",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        let all = [Self::Working, Self::Ready, Self::Sent, Self::NotNeeded, Self::Failed];
        all.into_iter().find(|state| state.as_str() == text)
    }
}
