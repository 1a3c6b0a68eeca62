//! One turn of the model: streamed into the log, and recovered if the model fails.

use futures::StreamExt;
use protocol::messages::Tokens;
use protocol::spec;
use serde_json::json;

use super::run_loop::{Ending, Run};
use super::supervisor::ReasoningSpan;
use crate::provider::{self, FinishReason, Message, Piece, ProviderError, ToolCall, TurnRequest};

pub(super) struct Turn {
    pub text: String,
    pub calls: Vec<ToolCall>,
    pub reason: FinishReason,
}

pub(super) enum TurnOutcome {
    Completed(Turn),
    /// The supervisor stopped the turn while the model was still thinking.
    Steered {
        finalise: bool,
    },
}

enum Invocation {
    Completed(Turn),
    Steered { finalise: bool },
    Failed { error: ProviderError, text: String, calls: Vec<ToolCall> },
}

impl Run {
    /// Invokes the model until a turn is complete. Logs the `assistant_message` also for a final failure, but not for an
    /// attempt that the fallback model repeats.
    pub(super) async fn take_turn(&mut self, tools_enabled: bool) -> Result<TurnOutcome, Ending> {
        loop {
            match self.invoke(tools_enabled).await? {
                Invocation::Completed(turn) => {
                    self.write_message(&turn.text, &turn.calls, Some(turn.reason)).await;
                    return Ok(TurnOutcome::Completed(turn));
                }
                Invocation::Steered { finalise } => {
                    self.abandon_turn();
                    return Ok(TurnOutcome::Steered { finalise });
                }
                // Streamed text cannot be retracted, so the turn is not repeated.
                Invocation::Failed { error, text, .. } if text.is_empty() && self.can_recover(&error) => {
                    self.abandon_turn();
                    self.recover(&error).await;
                }
                Invocation::Failed { error, text, calls } => {
                    self.write_message(&text, &calls, None).await;
                    return Err(Ending::ProviderFailed { error, text });
                }
            }
        }
    }

    async fn invoke(&mut self, tools_enabled: bool) -> Result<Invocation, Ending> {
        if let Some(reason) = self.live.stop_requested() {
            return Err(Ending::Stopped(reason));
        }
        let mut pieces = self.model.provider.turn(self.request(tools_enabled));
        self.turns += 1;
        let mut span = ReasoningSpan::new(&self.clock);
        let mut text = String::new();
        let mut calls = Vec::new();
        loop {
            let piece = tokio::select! {
                biased;
                reason = self.live.stopped() => return Err(Ending::Stopped(reason)),
                piece = pieces.next() => piece,
            };
            let early = || ProviderError::new("server", "The model provider's stream ended early.");
            match piece.unwrap_or_else(|| Err(early())) {
                Ok(Piece::Text(delta)) => {
                    span.end();
                    text.push_str(&delta);
                    self.log.emit_text("assistant_delta", &delta).await;
                }
                Ok(Piece::Thinking(delta)) => {
                    self.log.emit_text("thinking_delta", &delta).await;
                    span.push(&delta, &self.clock);
                    // A turn with streamed text may end, because that text cannot be retracted.
                    if !tools_enabled || !text.is_empty() {
                        continue;
                    }
                    if let Some(finalise) = self.review_reasoning(&mut span).await? {
                        self.add_reasoning_usage(span.whole(), tools_enabled);
                        return Ok(Invocation::Steered { finalise });
                    }
                }
                Ok(Piece::Call { name, input }) => {
                    self.tool_calls += 1;
                    calls.push(ToolCall { id: format!("tu_{}_{}", self.short_id, self.tool_calls), name, input });
                }
                Ok(Piece::End { reason, usage }) => {
                    self.add_usage(usage);
                    return Ok(Invocation::Completed(Turn { text, calls, reason }));
                }
                Err(error) => return Ok(Invocation::Failed { error, text, calls }),
            }
        }
    }

    fn request(&self, tools_enabled: bool) -> TurnRequest<'_> {
        TurnRequest {
            messages: &self.messages,
            tools: &self.toolbox.offered,
            tools_enabled,
            reasoning_level: spec::reasoning_level(&self.spec),
            output_schema: self.schema.for_request(&self.spec),
            abandoned_turns: self.abandoned_turns,
            context_window_tokens: self.model.context_window_tokens,
            clock: self.clock.clone(),
            pace: self.pace,
        }
    }

    /// Adds the reasoning tokens of a stopped turn. They are estimated, because a provider reports usage only at the end.
    fn add_reasoning_usage(&mut self, thought: &str, tools_enabled: bool) {
        let read = provider::input_usage(&self.request(tools_enabled));
        let thought = provider::estimate_tokens(thought);
        self.add_usage(Tokens { reasoning_tokens: thought, output_tokens: thought, ..read });
    }

    fn abandon_turn(&mut self) {
        if !self.model.provider.follows_instructions() {
            self.abandoned_turns += 1;
        }
    }

    fn can_recover(&self, error: &ProviderError) -> bool {
        self.schema.may_drop(&error.class) || (self.fallback.is_some() && is_outage(&error.class))
    }

    /// Prepares the next attempt: without the schema, or with the fallback model.
    async fn recover(&mut self, error: &ProviderError) {
        if self.schema.may_drop(&error.class) {
            return self.schema.drop_schema();
        }
        let Some(fallback) = self.fallback.take() else { return };
        let primary = std::mem::replace(&mut self.model, fallback);
        self.switched = true;
        self.schema.model_changed(&self.model);
        let data = json!({
            "errorClass": error.class, "model": self.model.wire(&self.spec), "primaryModelId": primary.id,
            "fallbackModelId": self.model.id,
        });
        self.log.emit("model_fallback", data).await;
    }

    async fn write_message(&mut self, text: &str, calls: &[ToolCall], reason: Option<FinishReason>) {
        let mut message = json!({ "text": text, "turn": self.closed_turns });
        if let Some(reason) = reason {
            message["finishReason"] = reason.as_str().into();
        }
        if !calls.is_empty() {
            let calls = calls.iter().map(|call| json!({ "id": call.id, "name": call.name, "input": call.input }));
            message["toolCalls"] = calls.collect();
        }
        message["model"] = self.model.wire(&self.spec);
        self.log.emit("assistant_message", message).await;
        self.closed_turns += 1;
        self.messages.push(Message::Assistant { text: text.to_owned(), calls: calls.to_vec() });
    }

    fn add_usage(&mut self, usage: Tokens) {
        self.tokens.input_tokens += usage.input_tokens;
        self.tokens.cached_tokens += usage.cached_tokens;
        self.tokens.reasoning_tokens += usage.reasoning_tokens;
        self.tokens.output_tokens += usage.output_tokens;
    }
}

/// Returns true for failures that another provider would not have. As in the documents, `rate_limit` is not one: a client
/// over its quota must wait.
fn is_outage(class: &str) -> bool {
    matches!(class, "overloaded" | "server" | "timeout" | "upstream_deadline")
}
