//! Execution of a batch of tool calls: loop guard, budgets, then the tools themselves.

use protocol::schema::check;
use serde_json::{Value, json};

use super::guards::LoopVerdict;
use super::run_loop::{AfterTools, Ending, Run};
use super::toolbox::{Handler, PLAN_TOOL};
use crate::provider::{Message, ToolCall};
use crate::tool_output::ToolOutput;

/// Limit for a result in the log. The model gets all of it.
const MAX_LOGGED_CHARS: usize = 100_000;

impl Run {
    pub(super) async fn use_tools(&mut self, calls: Vec<ToolCall>) -> Result<AfterTools, Ending> {
        match self.loop_guard.check(calls.iter().map(|call| (call.name.as_str(), &call.input))) {
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

    /// Answers every call with the same message, without executing it.
    pub(super) async fn skip_calls(&mut self, calls: &[ToolCall], why: &str) {
        for call in calls {
            let output = ToolOutput::text(why);
            self.emit_result(call, &output).await;
            self.add_result_message(call, &output);
        }
    }

    async fn report_loop(&mut self, calls: &[ToolCall], hard_cutoff: bool) {
        let tools: Vec<&str> = calls.iter().map(|call| call.name.as_str()).collect();
        let data = json!({
            "consecutiveCount": self.loop_guard.consecutive_count, "hardCutoff": hard_cutoff, "tools": tools,
        });
        self.log.emit("loop_detected", data).await;
    }

    /// Executes the calls in order. Consecutive calls of read-only local tools are announced together; any other call waits
    /// for them, so that they do not see its effects.
    async fn answer_calls(&mut self, calls: Vec<ToolCall>) -> Result<(), Ending> {
        let mut outputs: Vec<Option<ToolOutput>> = calls.iter().map(|_| None).collect();
        let mut reads: Vec<usize> = Vec::new();
        for (position, call) in calls.iter().enumerate() {
            let handler = match self.admit(call).await {
                Ok(handler) => handler,
                Err(refusal) => {
                    outputs[position] = Some(refusal);
                    continue;
                }
            };
            let reads_only = matches!(&handler, Handler::Client(tool) if tool.read_only);
            if !reads_only {
                self.call_client(&calls, &std::mem::take(&mut reads), &mut outputs).await?;
            }
            match handler {
                Handler::Client(_) if reads_only => reads.push(position),
                Handler::Client(_) => self.call_client(&calls, &[position], &mut outputs).await?,
                handler => outputs[position] = Some(self.run_tool(call, handler).await?),
            }
        }
        self.call_client(&calls, &reads, &mut outputs).await?;
        // The model gets the results in the order of its calls.
        for (call, output) in calls.iter().zip(outputs) {
            if let Some(output) = output {
                self.add_result_message(call, &output);
            }
        }
        Ok(())
    }

    /// Returns the handler of a call, or the logged result of a call that is not executed.
    async fn admit(&mut self, call: &ToolCall) -> Result<Handler, ToolOutput> {
        let attempt = self.budgets.attempt(&call.name);
        if let Some(max_calls) = attempt.exceeded {
            let refusal = ToolOutput::text(format!("Budget exceeded for {}: pivot or finalize.", call.name));
            self.emit_result(call, &refusal).await;
            let data = json!({ "tool": call.name, "maxCalls": max_calls, "callIndex": attempt.call_index });
            self.log.emit("tool_budget_exceeded", data).await;
            return Err(refusal);
        }
        let handler = self.toolbox.handler(&call.name);
        let fault = match &handler {
            Handler::Unavailable(why) => Some(why.clone()),
            _ if call.name != PLAN_TOOL && self.plan_is_missing() => Some(plan_required()),
            _ => input_error(&self.toolbox.parameters(&call.name), &call.input),
        };
        match fault {
            None => Ok(handler),
            Some(fault) => {
                let refusal = ToolOutput::failure(fault);
                self.emit_result(call, &refusal).await;
                Err(refusal)
            }
        }
    }

    /// Runs a tool that is not local.
    async fn run_tool(&mut self, call: &ToolCall, handler: Handler) -> Result<ToolOutput, Ending> {
        let output = match handler {
            Handler::Plan => self.update_plan(&call.input).await,
            handler => tokio::select! {
                biased;
                reason = self.live.stopped() => return Err(Ending::Stopped(reason)),
                output = self.call_tool(call, &handler) => output,
            },
        };
        self.emit_result(call, &output).await;
        Ok(output)
    }

    async fn call_tool(&self, call: &ToolCall, handler: &Handler) -> ToolOutput {
        match handler {
            Handler::Builtin(tool) => tool.call(&call.input, self.budgets.attempts(&call.name), &self.clock).await,
            Handler::Mcp { server, tool } => server.call(tool, &call.input).await,
            Handler::A2a(peer) => peer.send(call.input["message"].as_str().unwrap_or("")).await,
            Handler::Unavailable(why) => ToolOutput::failure(why),
            Handler::Plan | Handler::Client(_) => ToolOutput::failure("This tool is not for the sandbox to run."),
        }
    }

    /// Always has `result`, and `ok` if it is false. The documents disagree: one has `result`, another `ok` and `summary`.
    pub(super) async fn emit_result(&mut self, call: &ToolCall, output: &ToolOutput) {
        if !output.files.is_empty() {
            self.log.emit("tool_files", json!({ "name": call.name, "files": output.files })).await;
        }
        let mut data = json!({ "toolUseId": call.id, "name": call.name });
        match &output.outcome {
            Ok(result) => data["result"] = truncated(result).into(),
            Err(error) => {
                data["ok"] = false.into();
                data["result"] = truncated(error).into();
            }
        }
        self.log.emit("tool_result", data).await;
    }

    fn add_result_message(&mut self, call: &ToolCall, output: &ToolOutput) {
        let (ok, text) = output.for_model();
        let (call_id, name) = (call.id.clone(), call.name.clone());
        self.messages.push(Message::ToolResult { call_id, name, ok, text });
    }
}

fn plan_required() -> String {
    let message = format!("Set up a plan with {PLAN_TOOL} first, then use this tool.");
    json!({ "error": "plan_required", "message": message }).to_string()
}

/// Returns a message for the model if the arguments do not match the schema.
fn input_error(parameters: &Value, input: &Value) -> Option<String> {
    let (path, reason) = if !input.is_object() {
        (String::new(), "must be object".to_owned())
    } else if is_object_schema(parameters) {
        let violation = check(parameters, input).into_iter().next()?;
        (violation.path, violation.message)
    } else {
        return None;
    };
    let message = format!("The arguments do not fit: {} {reason}.", if path.is_empty() { "the whole" } else { &path });
    Some(json!({ "error": "tool_input_invalid", "path": path, "message": message }).to_string())
}

/// MCP servers may leave out the type. A schema of another type is ignored.
fn is_object_schema(parameters: &Value) -> bool {
    match parameters.get("type") {
        None => parameters.is_object(),
        Some(Value::Array(types)) => types.iter().any(|name| name == "object"),
        Some(name) => name == "object",
    }
}

fn truncated(text: &str) -> String {
    match text.char_indices().nth(MAX_LOGGED_CHARS) {
        Some((end, _)) => format!("{}… ({} characters more)", &text[..end], text[end..].chars().count()),
        None => text.to_owned(),
    }
}
