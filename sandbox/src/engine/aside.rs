//! Questions to a model beside the run: they are no turns of it, and its usage does not count them.

use futures::StreamExt;
use serde_json::Value;

use super::run_loop::{Ending, Run};
use crate::models::Model;
use crate::provider::{Message, Piece, ProviderError, TurnRequest};

impl Run {
    /// The whole answer at once, held to the schema; given up when the run is stopped.
    pub(super) async fn ask_aside(
        &self,
        model: &Model,
        messages: &[Message],
        schema: &Value,
    ) -> Result<Result<String, ProviderError>, Ending> {
        let mut pieces = model.provider.turn(TurnRequest {
            messages,
            tools: &[],
            tools_enabled: true,
            reasoning_level: 0,
            output_schema: Some(schema),
            abandoned_turns: 0,
            context_window_tokens: model.context_window_tokens,
            clock: self.clock.clone(),
            pace: Default::default(),
        });
        let answer = async {
            let mut answer = String::new();
            while let Some(piece) = pieces.next().await {
                if let Piece::Text(delta) = piece? {
                    answer.push_str(&delta);
                }
            }
            Ok(answer)
        };
        tokio::select! {
            biased;
            reason = self.live.stopped() => Err(Ending::Stopped(reason)),
            answer = answer => Ok(answer),
        }
    }
}
