//! Model requests of the engine itself, by the planner and the supervisor. They are not turns, and do not count as usage.

use futures::StreamExt;
use serde_json::Value;

use super::run_loop::{Ending, Run};
use crate::models::Model;
use crate::provider::{Message, Piece, ProviderError, TurnRequest};

impl Run {
    /// Returns the whole answer, constrained by the schema. Ends early if the run is stopped.
    pub(super) async fn query_model(
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
