//! Conversion of the chunks of a streamed completion to pieces of a turn.
//!
//! Text and reasoning are passed on at once. Calls arrive in fragments, which are joined by index at the end.

use std::collections::{BTreeMap, VecDeque};

use futures::StreamExt;
use futures::stream::{self, BoxStream};
use protocol::messages::Tokens;
use protocol::sse::Frames;
use reqwest::Response;
use serde_json::Value;

use super::{IDLE_TIMEOUT, errors};
use crate::provider::{FinishReason, Piece, ProviderError, estimate_tokens};

/// Limit for calls in one turn.
const MAX_CALLS: usize = 128;

type Item = Result<Piece, ProviderError>;

/// Streams the pieces of a response. Dropping the stream closes the connection.
pub fn stream(response: Response, estimate: Tokens) -> BoxStream<'static, Item> {
    let reader = Reader { response, frames: Frames::default(), turn: Assembly::new(estimate), ready: VecDeque::new() };
    stream::unfold(Some(reader), |reader| async move {
        let mut reader = reader?;
        let item = reader.next().await;
        let over = !matches!(item, Ok(Piece::Text(_) | Piece::Thinking(_) | Piece::Call { .. }));
        Some((item, (!over).then_some(reader)))
    })
    .boxed()
}

struct Reader {
    response: Response,
    frames: Frames,
    turn: Assembly,
    ready: VecDeque<Item>,
}

impl Reader {
    async fn next(&mut self) -> Item {
        loop {
            if let Some(item) = self.ready.pop_front() {
                return item;
            }
            let chunk =
                tokio::time::timeout(IDLE_TIMEOUT, self.response.chunk()).await.map_err(|_| errors::timed_out())?;
            match chunk.map_err(|error| errors::from_transport(&error))? {
                Some(bytes) => {
                    let frames = self.frames.push(&bytes);
                    let frames = frames.map_err(|error| ProviderError::new("server", error.to_string()))?;
                    for frame in frames {
                        self.turn.read(&frame.data, &mut self.ready);
                    }
                }
                None => self.turn.finish(&mut self.ready),
            }
        }
    }
}

/// The state of the turn so far.
struct Assembly {
    calls: BTreeMap<u64, PartialCall>,
    reason: Option<FinishReason>,
    refused: bool,
    usage: Option<Tokens>,
    /// Estimated usage, for an API that does not report it.
    estimate: Tokens,
    over: bool,
}

#[derive(Default)]
struct PartialCall {
    name: String,
    arguments: String,
}

impl Assembly {
    fn new(estimate: Tokens) -> Self {
        Self { calls: BTreeMap::new(), reason: None, refused: false, usage: None, estimate, over: false }
    }

    fn read(&mut self, data: &str, ready: &mut VecDeque<Item>) {
        if self.over {
            return;
        }
        if data.trim() == "[DONE]" {
            return self.finish(ready);
        }
        let Ok(chunk) = serde_json::from_str::<Value>(data) else {
            let message = "The model provider sent something that is not JSON.";
            return self.fail(ProviderError::new("server", message), ready);
        };
        if let Some(error) = chunk.get("error").filter(|error| !error.is_null()) {
            return self.fail(errors::from_stream(error), ready);
        }
        if chunk["usage"].is_object() {
            self.usage = Some(usage(&chunk["usage"]));
        }
        let choice = &chunk["choices"][0];
        let delta = &choice["delta"];
        // Servers of open models use two names for the reasoning.
        if let Some(text) = filled(&delta["reasoning_content"]).or(filled(&delta["reasoning"])) {
            self.estimate.output_tokens += estimate_tokens(text);
            self.estimate.reasoning_tokens += estimate_tokens(text);
            ready.push_back(Ok(Piece::Thinking(text.to_owned())));
        }
        if let Some(text) = filled(&delta["refusal"]) {
            self.refused = true;
            ready.push_back(Ok(Piece::Text(text.to_owned())));
        }
        if let Some(text) = filled(&delta["content"]) {
            self.estimate.output_tokens += estimate_tokens(text);
            ready.push_back(Ok(Piece::Text(text.to_owned())));
        }
        for (position, call) in delta["tool_calls"].as_array().into_iter().flatten().enumerate() {
            let index = call["index"].as_u64().unwrap_or(position as u64);
            if self.calls.len() >= MAX_CALLS && !self.calls.contains_key(&index) {
                let message = format!("The model made more than {MAX_CALLS} calls in one turn.");
                return self.fail(ProviderError::new("server", message), ready);
            }
            let partial = self.calls.entry(index).or_default();
            partial.name.push_str(call["function"]["name"].as_str().unwrap_or(""));
            partial.arguments.push_str(call["function"]["arguments"].as_str().unwrap_or(""));
        }
        if let Some(reason) = choice["finish_reason"].as_str() {
            self.reason = Some(normalised(reason));
        }
    }

    fn finish(&mut self, ready: &mut VecDeque<Item>) {
        if std::mem::replace(&mut self.over, true) {
            return;
        }
        let Some(mut reason) = self.reason else {
            return ready.push_back(Err(ProviderError::new("server", "The model provider's stream ended early.")));
        };
        let calls = std::mem::take(&mut self.calls);
        if self.refused {
            reason = FinishReason::Refusal;
        } else if !calls.is_empty() && reason == FinishReason::EndTurn {
            // Some servers send «stop» after calls.
            reason = FinishReason::ToolUse;
        }
        // Calls of a truncated turn are incomplete.
        if reason == FinishReason::ToolUse {
            for PartialCall { name, arguments } in calls.into_values() {
                self.estimate.output_tokens += estimate_tokens(&name) + estimate_tokens(&arguments);
                ready.push_back(Ok(Piece::Call { name, input: input(arguments) }));
            }
        }
        ready.push_back(Ok(Piece::End { reason, usage: self.usage.unwrap_or(self.estimate) }));
    }

    fn fail(&mut self, error: ProviderError, ready: &mut VecDeque<Item>) {
        self.over = true;
        ready.push_back(Err(error));
    }
}

fn filled(value: &Value) -> Option<&str> {
    value.as_str().filter(|text| !text.is_empty())
}

fn normalised(reason: &str) -> FinishReason {
    match reason {
        "length" | "max_tokens" => FinishReason::MaxTokens,
        "tool_calls" | "function_call" | "tool_use" => FinishReason::ToolUse,
        "content_filter" | "refusal" => FinishReason::Refusal,
        _ => FinishReason::EndTurn,
    }
}

/// Parses arguments. Invalid JSON is kept as text; the engine answers such a call with `tool_input_invalid`.
fn input(arguments: String) -> Value {
    match arguments.trim() {
        "" => Value::Object(Default::default()),
        text => serde_json::from_str(text).unwrap_or(Value::String(arguments)),
    }
}

fn usage(usage: &Value) -> Tokens {
    let number = |value: &Value| value.as_u64().unwrap_or(0);
    Tokens {
        input_tokens: number(&usage["prompt_tokens"]),
        cached_tokens: number(&usage["prompt_tokens_details"]["cached_tokens"]),
        reasoning_tokens: number(&usage["completion_tokens_details"]["reasoning_tokens"]),
        output_tokens: number(&usage["completion_tokens"]),
    }
}
