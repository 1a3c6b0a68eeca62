//! What the engine asks of a model: one turn at a time, streamed piece by piece.

mod assistant;
mod prompt;
mod reply;
mod script;

use std::time::Duration;

use futures::stream::BoxStream;
use protocol::messages::Tokens;
use serde_json::Value;

pub use assistant::Assistant;
pub use script::Script;

use crate::clock::Clock;

pub trait Provider: Send + Sync {
    /// Starts a turn. The stream ends with [`Piece::End`] or with an error.
    fn turn(&self, request: TurnRequest<'_>) -> BoxStream<'static, Result<Piece, ProviderError>>;
}

pub struct TurnRequest<'a> {
    pub messages: &'a [Message],
    pub tools: &'a [OfferedTool],
    /// False in a finalising turn: the model must answer with what it has.
    pub tools_enabled: bool,
    pub thinking: bool,
    pub output_schema: Option<&'a Value>,
    pub context_window_tokens: u64,
    pub clock: Clock,
    pub pace: Pace,
}

/// How long a simulated model takes.
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
}

/// The conversation as a model sees it.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    System(String),
    User(String),
    Assistant {
        text: String,
        calls: Vec<(String, Value)>,
    },
    ToolResult {
        name: String,
        ok: bool,
        text: String,
    },
    /// Written by a guard, not by the user.
    Steering(String),
}

#[derive(Clone, Debug, PartialEq)]
pub struct OfferedTool {
    pub name: String,
    pub description: String,
    pub parameters: Value,
}
