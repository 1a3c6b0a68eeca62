//! One run from its first turn to its last event.
//!
//! ```text
//!   turn ──text──▶ ending
//!    ▲  └─calls─▶ loop guard ─▶ budgets ─▶ answers ─┐
//!    └───────────────────────────────────────────────┘
//! ```

use std::sync::Arc;

use futures::StreamExt;
use protocol::messages::Tokens;
use protocol::spec;
use serde_json::{Value, json};

use super::guards::{LoopGuard, ToolBudgets};
use super::log::Log;
use super::toolbox::Toolbox;
use crate::clock::Clock;
use crate::live::{LiveRun, StopReason};
use crate::models::Model;
use crate::provider::{FinishReason, Message, Pace, Piece, Provider, ProviderError, TurnRequest};
use crate::store::NewMessage;

pub struct Run {
    pub(super) log: Log,
    pub(super) live: Arc<LiveRun>,
    pub(super) clock: Clock,
    pub(super) pace: Pace,
    pub(super) spec: Value,
    pub(super) model: &'static Model,
    pub(super) provider: Arc<dyn Provider>,
    pub(super) toolbox: Toolbox,
    pub(super) messages: Vec<Message>,
    pub(super) loop_guard: LoopGuard,
    pub(super) budgets: ToolBudgets,
    pub(super) turns: u64,
    pub(super) tokens: Tokens,
    pub(super) tool_calls: u64,
    /// What the user said in this run, for the session to remember.
    pub(super) said: Vec<NewMessage>,
    pub(super) call_prefix: String,
}

/// Why a run is over.
pub(super) enum Ending {
    Answered { text: String },
    Truncated { text: String },
    Refused { text: String },
    ProviderFailed { error: ProviderError, text: String },
    LocalToolTimedOut { tools: String, timeout_ms: u64 },
    OutOfToolTurns { max: u64, text: String },
    Stopped(StopReason),
}

/// A call as the model made it, with the id the engine gave it.
pub(super) struct Call {
    pub id: String,
    pub name: String,
    pub input: Value,
}

pub(super) enum AfterTools {
    NextTurn,
    Finalise,
}

struct Turn {
    text: String,
    calls: Vec<Call>,
    reason: FinishReason,
}

impl Run {
    pub async fn execute(mut self) {
        let ending = self.take_turns().await.unwrap_or_else(|ending| ending);
        self.end(ending).await;
    }

    async fn take_turns(&mut self) -> Result<Ending, Ending> {
        let max_tool_turns = spec::max_tool_turns(&self.spec);
        let mut tool_turns = 0;
        let mut tools_enabled = true;
        loop {
            let turn = self.take_turn(tools_enabled).await?;
            match turn.reason {
                FinishReason::MaxTokens => return Ok(Ending::Truncated { text: turn.text }),
                FinishReason::Refusal => return Ok(Ending::Refused { text: turn.text }),
                FinishReason::ToolUse if tools_enabled && !turn.calls.is_empty() => {
                    if tool_turns == max_tool_turns {
                        self.skip_calls(&turn.calls, "Skipped: this run may not use tools any more.").await;
                        return Ok(Ending::OutOfToolTurns { max: max_tool_turns, text: turn.text });
                    }
                    tool_turns += 1;
                    if let AfterTools::Finalise = self.use_tools(turn.calls).await? {
                        tools_enabled = false;
                    }
                }
                _ => return Ok(Ending::Answered { text: turn.text }),
            }
        }
    }

    /// Streams one turn into the log. Its `assistant_message` is written whatever happens, except on a stop.
    async fn take_turn(&mut self, tools_enabled: bool) -> Result<Turn, Ending> {
        if let Some(reason) = self.live.stop_requested() {
            return Err(Ending::Stopped(reason));
        }
        self.turns += 1;
        let mut pieces = self.provider.turn(TurnRequest {
            messages: &self.messages,
            tools: &self.toolbox.offered,
            tools_enabled,
            thinking: spec::reasoning_level(&self.spec) > 0,
            output_schema: Some(&self.spec["outputSchema"]).filter(|schema| !schema.is_null()),
            context_window_tokens: self.model.context_window_tokens,
            clock: self.clock.clone(),
            pace: self.pace,
        });
        let mut text = String::new();
        let mut calls = Vec::new();
        let end = loop {
            let piece = tokio::select! {
                biased;
                reason = self.live.stopped() => return Err(Ending::Stopped(reason)),
                piece = pieces.next() => piece,
            };
            match piece {
                Some(Ok(Piece::Text(delta))) => {
                    text.push_str(&delta);
                    self.log.emit("assistant_delta", json!({ "text": delta })).await;
                }
                Some(Ok(Piece::Thinking(delta))) => {
                    self.log.emit("thinking_delta", json!({ "text": delta })).await;
                }
                Some(Ok(Piece::Call { name, input })) => {
                    self.tool_calls += 1;
                    calls.push(Call { id: format!("{}{}", self.call_prefix, self.tool_calls), name, input });
                }
                Some(Ok(Piece::End { reason, usage })) => {
                    self.add_usage(usage);
                    break Ok(reason);
                }
                Some(Err(error)) => break Err(error),
                None => {
                    let message = "The model provider's stream ended early.".to_owned();
                    break Err(ProviderError { class: "server".to_owned(), message });
                }
            }
        };
        self.write_message(&text, &calls, end.as_ref().ok().copied()).await;
        match end {
            Ok(reason) => Ok(Turn { text, calls, reason }),
            Err(error) => Err(Ending::ProviderFailed { error, text }),
        }
    }

    async fn write_message(&mut self, text: &str, calls: &[Call], reason: Option<FinishReason>) {
        let mut message = json!({ "text": text, "turn": self.turns - 1 });
        if let Some(reason) = reason {
            message["finishReason"] = reason.as_str().into();
        }
        if !calls.is_empty() {
            let calls = calls.iter().map(|call| json!({ "id": call.id, "name": call.name, "input": call.input }));
            message["toolCalls"] = calls.collect();
        }
        message["model"] = self.model.wire(&self.spec);
        self.log.emit("assistant_message", message).await;
        let calls = calls.iter().map(|call| (call.name.clone(), call.input.clone())).collect();
        self.messages.push(Message::Assistant { text: text.to_owned(), calls });
    }

    fn add_usage(&mut self, usage: Tokens) {
        self.tokens.input_tokens += usage.input_tokens;
        self.tokens.cached_tokens += usage.cached_tokens;
        self.tokens.reasoning_tokens += usage.reasoning_tokens;
        self.tokens.output_tokens += usage.output_tokens;
    }
}
