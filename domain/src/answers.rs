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
    /// A person, on the run's page.
    #[default]
    Hand,
    Canned(CannedReply),
    /// A tool of an MCP server that the Runlens server can reach.
    Mcp {
        server: McpEndpoint,
        /// The server's name for the tool, if it differs from the one that the model sees.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tool: Option<String>,
    },
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

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "over", rename_all = "snake_case")]
pub enum McpEndpoint {
    Http {
        #[serde(default)]
        url: String,
        #[serde(default)]
        headers: Headers,
    },
    /// One of the command lines that the operator allows, exactly as written.
    Stdio {
        #[serde(default)]
        command: String,
    },
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

/// The kind of answerer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Via {
    Hand,
    Canned,
    Mcp,
    A2a,
}

/// The answer to one call of a run, finished or in progress.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AnswerRecord {
    pub tool_use_id: String,
    /// Empty if a person answered: the timeline has the name.
    pub tool: String,
    pub via: Via,
    /// A person's address, or where the answer came from.
    pub by: String,
    pub state: AnswerState,
    pub at_ms: i64,
    /// The reason why there is no answer.
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
    /// MANTYX rejected it; `problem` has the reason.
    Failed,
}

impl Answerer {
    /// The headers that are sent to a peer.
    pub fn headers(&self) -> Option<&Headers> {
        match self {
            Self::Mcp { server: McpEndpoint::Http { headers, .. }, .. } => Some(headers),
            Self::A2a(peer) => Some(&peer.headers),
            Self::Hand | Self::Canned(_) | Self::Mcp { .. } => None,
        }
    }

    pub fn headers_mut(&mut self) -> Option<&mut Headers> {
        match self {
            Self::Mcp { server: McpEndpoint::Http { headers, .. }, .. } => Some(headers),
            Self::A2a(peer) => Some(&mut peer.headers),
            Self::Hand | Self::Canned(_) | Self::Mcp { .. } => None,
        }
    }

    /// The same without header values, which are credentials.
    pub fn without_secrets(mut self) -> Self {
        self.headers_mut().into_iter().flat_map(Headers::values_mut).for_each(String::clear);
        self
    }

    pub fn via(&self) -> Via {
        match self {
            Self::Hand => Via::Hand,
            Self::Canned(_) => Via::Canned,
            Self::Mcp { .. } => Via::Mcp,
            Self::A2a(_) => Via::A2a,
        }
    }
}
