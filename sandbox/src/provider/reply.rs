//! The reply of a simulated model, streamed at the pace of a real one.

use std::time::Duration;

use futures::StreamExt;
use futures::stream::{self, BoxStream};
use serde_json::Value;

use super::{FinishReason, Piece, ProviderError, TurnRequest, prompt};

/// One turn of a simulated model.
pub struct Reply {
    pub steps: Vec<Step>,
    pub end: Result<FinishReason, ProviderError>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    Say(String),
    Think(String),
    Call { name: String, input: Value },
    Sleep(Duration),
}

const DELTA_CHARS: usize = 16;

impl Reply {
    pub fn text(text: impl Into<String>) -> Self {
        Self { steps: vec![Step::Say(text.into())], end: Ok(FinishReason::EndTurn) }
    }

    pub fn stream(self, request: &TurnRequest<'_>) -> BoxStream<'static, Result<Piece, ProviderError>> {
        let mut usage = prompt::input_usage(request);
        if let Some(most) = request.context_window_tokens.filter(|most| usage.input_tokens > *most) {
            let message =
                format!("The conversation has about {} tokens; this model reads at most {most}.", usage.input_tokens);
            return stream::iter([Err(ProviderError::new("context_window", message))]).boxed();
        }
        let per_delta = request.pace.per_delta;
        let mut timed = vec![(request.pace.before_first_piece, None)];
        for step in self.steps {
            match step {
                Step::Say(text) => {
                    usage.output_tokens += prompt::estimate_tokens(&text);
                    timed.extend(deltas(&text).map(|delta| (per_delta, Some(Ok(Piece::Text(delta))))));
                }
                // Without a reasoning level, the model does not reason.
                Step::Think(_) if request.reasoning_level == 0 => {}
                Step::Think(text) => {
                    usage.output_tokens += prompt::estimate_tokens(&text);
                    usage.reasoning_tokens += prompt::estimate_tokens(&text);
                    timed.extend(deltas(&text).map(|delta| (per_delta, Some(Ok(Piece::Thinking(delta))))));
                }
                Step::Call { name, input } => {
                    usage.output_tokens += prompt::estimate_tokens(&name) + prompt::estimate_tokens(&input.to_string());
                    timed.push((Duration::ZERO, Some(Ok(Piece::Call { name, input }))));
                }
                Step::Sleep(duration) => timed.push((duration, None)),
            }
        }
        timed.push((Duration::ZERO, Some(self.end.map(|reason| Piece::End { reason, usage }))));
        let clock = request.clock.clone();
        stream::iter(timed)
            .then(move |(delay, piece)| {
                let clock = clock.clone();
                async move {
                    clock.pause(delay).await;
                    piece
                }
            })
            .filter_map(std::future::ready)
            .boxed()
    }
}

/// Splits a text at spaces into pieces of a typical size.
fn deltas(text: &str) -> impl Iterator<Item = String> {
    let mut pieces = Vec::new();
    let mut piece = String::new();
    let mut length = 0;
    for c in text.chars() {
        piece.push(c);
        length += 1;
        if (c == ' ' && length >= DELTA_CHARS / 2) || length >= DELTA_CHARS {
            pieces.push(std::mem::take(&mut piece));
            length = 0;
        }
    }
    if !piece.is_empty() {
        pieces.push(piece);
    }
    pieces.into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deltas_add_up_to_the_text() {
        for text in
            ["", "one", "The invoice total is 1,204.50 EUR — überraschend.", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"]
        {
            assert_eq!(deltas(text).collect::<String>(), text);
        }
        assert!(deltas("The invoice total is 1,204.50 EUR.").count() > 1);
    }
}
