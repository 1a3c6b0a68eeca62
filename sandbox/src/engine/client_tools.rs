//! Calls of local tools, which the client answers.

use std::time::Duration;

use futures::StreamExt;
use futures::stream::FuturesUnordered;
use protocol::spec;
use serde_json::json;

use super::run_loop::{Ending, Run};
use super::toolbox::Handler;
use crate::live::LocalAnswer;
use crate::provider::ToolCall;
use crate::store::NewRetained;
use crate::tool_output::ToolOutput;

impl Run {
    /// Announces the calls at these positions together and waits for the client to answer them in any order.
    pub(super) async fn call_client(
        &mut self,
        calls: &[ToolCall],
        positions: &[usize],
        outputs: &mut [Option<ToolOutput>],
    ) -> Result<(), Ending> {
        if positions.is_empty() {
            return Ok(());
        }
        let (live, clock) = (self.live.clone(), self.clock.clone());
        let timeout_ms = spec::local_tool_timeout_ms(&self.spec);
        // The timeout starts before the client can see the calls.
        let deadline = clock.expire(Duration::from_millis(timeout_ms));
        tokio::pin!(deadline);
        let mut waiting = FuturesUnordered::new();
        let mut unanswered = positions.to_vec();
        for &position in positions {
            // Opened before the call is announced, because the answer may arrive at once.
            let slot = live.expect_answer(&calls[position].id);
            self.announce(&calls[position]).await;
            waiting.push(async move { (position, slot.await) });
        }
        loop {
            // Nothing is logged inside `select!`: a cancelled write would leave a gap in the log.
            let (position, answer) = tokio::select! {
                biased;
                reason = live.stopped() => return Err(Ending::Stopped(reason)),
                answered = waiting.next() => match answered {
                    Some((position, Ok(answer))) => (position, answer),
                    // Happens only when the run is dropped.
                    Some((_, Err(_))) => continue,
                    None => return Ok(()),
                },
                () = &mut deadline => {
                    let names: Vec<&str> = unanswered.iter().map(|position| calls[*position].name.as_str()).collect();
                    return Err(Ending::LocalToolTimedOut { tools: names.join(", "), timeout_ms });
                }
            };
            unanswered.retain(|waiting| *waiting != position);
            self.echo(&calls[position], &answer).await;
            self.retain(&calls[position], &answer);
            outputs[position] = Some(ToolOutput { outcome: answer.outcome, files: answer.files });
        }
    }

    async fn announce(&mut self, call: &ToolCall) {
        let mut data = json!({ "toolUseId": call.id, "name": call.name, "args": call.input });
        if let (Handler::Client(tool), Some(fields)) = (self.toolbox.handler(&call.name), data.as_object_mut()) {
            fields.extend(tool.announcement);
        }
        self.log.emit("local_tool_call", data).await;
    }

    async fn echo(&mut self, call: &ToolCall, answer: &LocalAnswer) {
        let mut echo = json!({ "toolUseId": call.id });
        match &answer.outcome {
            Ok(output) => echo["output"] = output.as_str().into(),
            Err(error) => echo["error"] = error.as_str().into(),
        }
        if !answer.files.is_empty() {
            echo["files"] = answer.files.clone().into();
        }
        self.log.emit("local_tool_result_in", echo).await;
    }

    /// Keeps the result for later runs of the session, if the tool's reference asks for it.
    fn retain(&mut self, call: &ToolCall, answer: &LocalAnswer) {
        if let (Handler::Client(tool), Ok(output)) = (self.toolbox.handler(&call.name), &answer.outcome)
            && tool.retain
            && self.in_session
        {
            let ToolCall { id: call_id, name, input } = call.clone();
            self.retained.push(NewRetained { call_id, name, input, output: output.clone() });
        }
    }
}
