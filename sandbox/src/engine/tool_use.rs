//! What happens to a batch of calls: guarded, budgeted, then answered by the sandbox or by the client.

use std::time::Duration;

use futures::StreamExt;
use futures::stream::FuturesUnordered;
use protocol::spec;
use serde_json::{Value, json};

use super::guards::LoopVerdict;
use super::run_loop::{AfterTools, Call, Ending, Run};
use super::toolbox::Handler;
use crate::json_schema;
use crate::live::LocalAnswer;
use crate::provider::Message;

/// The tool's name, and what it answered or how it failed.
type Answer = (String, Result<String, String>);

impl Run {
    pub(super) async fn use_tools(&mut self, calls: Vec<Call>) -> Result<AfterTools, Ending> {
        match self.loop_guard.judge(calls.iter().map(|call| (call.name.as_str(), &call.input))) {
            LoopVerdict::Proceed => {
                self.answer_calls(calls).await?;
                Ok(AfterTools::NextTurn)
            }
            LoopVerdict::Skip { nudge } => {
                self.skip_calls(&calls, "Skipped: you have made this exact call before.").await;
                if nudge {
                    self.report_loop(&calls, false).await;
                    let nudge =
                        "You are repeating the same calls. Either give your final answer now or change strategy.";
                    self.messages.push(Message::Steering(nudge.to_owned()));
                }
                Ok(AfterTools::NextTurn)
            }
            LoopVerdict::GiveUp => {
                self.skip_calls(&calls, "Skipped: you have made this exact call before.").await;
                self.report_loop(&calls, true).await;
                let order = "Tools are switched off. Give your final answer from what you have.";
                self.messages.push(Message::Steering(order.to_owned()));
                Ok(AfterTools::Finalise)
            }
        }
    }

    /// Answers every call with the same sentence, unexecuted.
    pub(super) async fn skip_calls(&mut self, calls: &[Call], why: &str) {
        for call in calls {
            self.emit_result(call, &Ok(why.to_owned())).await;
            self.remember_result(call.name.clone(), Ok(why.to_owned()));
        }
    }

    async fn report_loop(&mut self, calls: &[Call], hard_cutoff: bool) {
        let tools: Vec<&str> = calls.iter().map(|call| call.name.as_str()).collect();
        let data = json!({
            "consecutiveCount": self.loop_guard.consecutive_count, "hardCutoff": hard_cutoff, "tools": tools,
        });
        self.log.emit("loop_detected", data).await;
    }

    async fn answer_calls(&mut self, calls: Vec<Call>) -> Result<(), Ending> {
        let mut answers: Vec<Option<Answer>> = calls.iter().map(|_| None).collect();
        let mut owed = Vec::new();
        for (position, call) in calls.into_iter().enumerate() {
            match self.answer_without_client(&call).await? {
                Some(answer) => answers[position] = Some((call.name, answer)),
                None => owed.push((position, call)),
            }
        }
        if !owed.is_empty() {
            self.ask_client(owed, &mut answers).await?;
        }
        // The model reads the answers in the order of its calls, whoever came first.
        for (name, answer) in answers.into_iter().flatten() {
            self.remember_result(name, answer);
        }
        Ok(())
    }

    /// The answer to a call that needs no client; `None` when the client owes it.
    async fn answer_without_client(&mut self, call: &Call) -> Result<Option<Result<String, String>>, Ending> {
        let attempt = self.budgets.attempt(&call.name);
        if let Some(max_calls) = attempt.exceeded {
            let body = format!("Budget exceeded for {}: pivot or finalize.", call.name);
            self.emit_result(call, &Ok(body.clone())).await;
            let data = json!({ "tool": call.name, "maxCalls": max_calls, "callIndex": attempt.call_index });
            self.log.emit("tool_budget_exceeded", data).await;
            return Ok(Some(Ok(body)));
        }
        let answer = match self.toolbox.handler(&call.name) {
            Handler::Client { parameters, .. } => match input_fault(&parameters, &call.input) {
                None => return Ok(None),
                Some(fault) => Err(fault),
            },
            Handler::Unavailable(why) => Err(why),
            Handler::Builtin(tool) => match input_fault(&tool.parameters(), &call.input) {
                Some(fault) => Err(fault),
                None => tokio::select! {
                    biased;
                    reason = self.live.stopped() => return Err(Ending::Stopped(reason)),
                    answer = tool.call(&call.input, attempt.call_index, &self.clock) => answer,
                },
            },
        };
        self.emit_result(call, &answer).await;
        Ok(Some(answer))
    }

    async fn announce(&mut self, call: &Call) {
        let mut data = json!({ "toolUseId": call.id, "name": call.name, "args": call.input });
        if let (Handler::Client { announcement, .. }, Some(fields)) =
            (self.toolbox.handler(&call.name), data.as_object_mut())
        {
            fields.extend(announcement);
        }
        self.log.emit("local_tool_call", data).await;
    }

    /// Announces the calls together and waits for the client, in whatever order it answers.
    async fn ask_client(&mut self, owed: Vec<(usize, Call)>, answers: &mut [Option<Answer>]) -> Result<(), Ending> {
        let (live, clock) = (self.live.clone(), self.clock.clone());
        let timeout_ms = spec::local_tool_timeout_ms(&self.spec);
        // The client's time runs from here: nothing it does can come before.
        let deadline = clock.expire(Duration::from_millis(timeout_ms));
        tokio::pin!(deadline);
        let mut waiting = FuturesUnordered::new();
        let mut unanswered: Vec<String> = Vec::new();
        for (position, call) in owed {
            // The slot is open before the call is announced: an answer may come at once.
            let slot = live.expect_answer(&call.id);
            self.announce(&call).await;
            unanswered.push(call.name.clone());
            waiting.push(async move { (position, call, slot.await) });
        }
        loop {
            // Nothing is written inside the selection: a write that is given up halfway would leave a gap.
            let (position, call, answer) = tokio::select! {
                biased;
                reason = live.stopped() => return Err(Ending::Stopped(reason)),
                answered = waiting.next() => match answered {
                    Some((position, call, Ok(answer))) => (position, call, answer),
                    // A slot is dropped only with its run.
                    Some((.., Err(_))) => continue,
                    None => return Ok(()),
                },
                () = &mut deadline => {
                    return Err(Ending::LocalToolTimedOut { tools: unanswered.join(", "), timeout_ms });
                }
            };
            if let Some(i) = unanswered.iter().position(|name| *name == call.name) {
                unanswered.remove(i);
            }
            self.echo(&call, &answer).await;
            answers[position] = Some((call.name, answer.outcome));
        }
    }

    async fn echo(&mut self, call: &Call, answer: &LocalAnswer) {
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

    async fn emit_result(&mut self, call: &Call, answer: &Result<String, String>) {
        let mut data = json!({ "toolUseId": call.id, "name": call.name });
        match answer {
            Ok(result) => data["result"] = result.as_str().into(),
            Err(error) => {
                data["ok"] = false.into();
                data["result"] = error.as_str().into();
            }
        }
        self.log.emit("tool_result", data).await;
    }

    fn remember_result(&mut self, name: String, answer: Result<String, String>) {
        let ok = answer.is_ok();
        let text = answer.unwrap_or_else(|error| error);
        self.messages.push(Message::ToolResult { name, ok, text });
    }
}

/// What the model is told when its arguments do not fit, so that it can mend them.
fn input_fault(parameters: &Value, input: &Value) -> Option<String> {
    // Anything but an object schema counts as one without rules.
    let (path, reason) = if parameters["type"] == "object" {
        json_schema::first_fault(parameters, input)?
    } else if input.is_object() {
        return None;
    } else {
        (String::new(), "must be object".to_owned())
    };
    let message = format!("The arguments do not fit: {} {reason}.", if path.is_empty() { "the whole" } else { &path });
    Some(json!({ "error": "tool_input_invalid", "path": path, "message": message }).to_string())
}
