//! The interface between the engine and a model: one turn at a time, streamed in pieces.

mod assistant;
pub mod openai;
mod prepared;
mod prompt;
mod reply;
mod script;

use std::time::Duration;

use futures::stream::BoxStream;
use protocol::messages::Tokens;
use serde_json::Value;

pub use assistant::Assistant;
pub use prepared::PreparedResponse;
pub use prompt::{estimate_tokens, input_usage};
pub use script::Script;

use crate::clock::Clock;

/// Name of the output schema for plans.
pub const PLAN_SCHEMA_NAME: &str = "task_plan";

pub trait Provider: Send + Sync {
    /// Starts a turn. The stream ends with [`Piece::End`] or with an error. Dropping it cancels the turn.
    fn turn(&self, request: TurnRequest<'_>) -> BoxStream<'static, Result<Piece, ProviderError>>;

    /// Returns true if the model follows instructions, so that it can be a judge.
    fn follows_instructions(&self) -> bool {
        false
    }
}

pub struct TurnRequest<'a> {
    pub messages: &'a [Message],
    pub tools: &'a [OfferedTool],
    /// False in a final turn, which must answer.
    pub tools_enabled: bool,
    /// Effort from 0 (off) to 100.
    pub reasoning_level: u64,
    /// `outputSchema` of the spec.
    pub output_schema: Option<&'a Value>,
    /// Simulated turns of this run without a message: repeated by the fallback model, or stopped by the supervisor.
    pub abandoned_turns: usize,
    pub context_window_tokens: Option<u64>,
    pub clock: Clock,
    pub pace: Pace,
}

/// The speed of a simulated model.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pace {
    pub before_first_piece: Duration,
    pub per_delta: Duration,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    Text(String),
    Thinking(String),
    Call { name: String, input: Value },
    End { reason: FinishReason, usage: Tokens },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FinishReason {
    EndTurn,
    ToolUse,
    MaxTokens,
    Refusal,
}

impl FinishReason {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::EndTurn => "end_turn",
            Self::ToolUse => "tool_use",
            Self::MaxTokens => "max_tokens",
            Self::Refusal => "refusal",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderError {
    /// One of the protocol's error classes.
    pub class: String,
    pub message: String,
    /// The provider's status and code, if any.
    pub api_status: Option<u16>,
    pub api_code: Option<String>,
}

impl ProviderError {
    pub fn new(class: impl Into<String>, message: impl Into<String>) -> Self {
        Self { class: class.into(), message: message.into(), api_status: None, api_code: None }
    }
}

/// A message of the conversation.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    System(String),
    User {
        text: String,
        /// Attachments in the format of the spec; only the last user message has any.
        attachments: Vec<Value>,
    },
    Assistant {
        text: String,
        calls: Vec<ToolCall>,
    },
    ToolResult {
        call_id: String,
        name: String,
        ok: bool,
        text: String,
    },
    /// An instruction of a guard.
    Steering(String),
}

impl Message {
    pub fn user(text: impl Into<String>) -> Self {
        Self::User { text: text.into(), attachments: Vec::new() }
    }

    pub fn assistant(text: impl Into<String>) -> Self {
        Self::Assistant { text: text.into(), calls: Vec::new() }
    }
}

/// A call of the model, with an id of the engine.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolCall {
    pub id: String,
    pub name: String,
    pub input: Value,
}

#[derive(Clone, Debug, PartialEq)]
pub struct OfferedTool {
    pub name: String,
    pub description: String,
    pub parameters: Value,
}
